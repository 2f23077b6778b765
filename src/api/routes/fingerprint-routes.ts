/** The route that compares an index with its source. */
import { FingerprintQuery } from '../../model/schemas/fingerprint-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import {
  documentFingerprints,
  indexFingerprint,
  partsAnswer,
} from '../searches/index-fingerprint.ts';

export const fingerprintRoutes: readonly Route[] = [
  defineRoute({
    id: 'fingerprint.get',
    endpoint: 'GET /indexes/:indexUid/fingerprint',
    action: 'documents.get',
    summary: 'Read a fingerprint of all documents, in any order the same',
    query: FingerprintQuery,
    errors: ['index_not_found'],
    handler: async (context, { params: { indexUid }, query, caller }) => {
      if (query.documents !== undefined) {
        const documents = await documentFingerprints(context, indexUid, query.documents, caller);
        return { status: 200, json: { documents } };
      }
      const sum = await indexFingerprint(context, indexUid, caller);
      const parts = query.parts === true && { parts: partsAnswer(sum.parts) };
      return { status: 200, json: { ...sum.total, ...parts } };
    },
  }),
];
