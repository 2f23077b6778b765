/** Document routes: add, replace, update, read, delete. */

import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import {
  DocumentDeletionBody,
  DocumentDeletionQuery,
  DocumentIdList,
  DocumentQueryString,
  DocumentsFetchBody,
  DocumentsQueryString,
  DocumentWriteQuery,
} from '../../model/schemas/document-schema.ts';
import { DOCUMENT_ID, isDocumentId } from '../../model/schemas/schema.ts';
import type { DocumentsRequest } from '../../model/search.ts';
import type { DocumentSelection } from '../../model/task.ts';
import { UPLOAD_MEDIA_TYPES, type UploadFormat, type UploadOptions } from '../../model/upload.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { enqueued } from '../contract/enqueued.ts';
import { requireFeature } from '../contract/require-feature.ts';
import {
  defineRoute,
  defineUploadRoute,
  QUERY_ERRORS,
  type Route,
  type RouteRequest,
} from '../contract/route.ts';
import { withForeignIds } from '../searches/foreign-conditions.ts';
import { foreignAccess } from '../searches/foreign-index-sources.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import { readNetworkDocuments } from '../searches/network-documents.ts';
import { parseSort } from '../searches/parse-sort.ts';

const CSV_DELIMITER_DEFAULT = ',';

const MEDIA_TYPES = Object.values(UPLOAD_MEDIA_TYPES);
const FORMATS = Object.keys(UPLOAD_MEDIA_TYPES) as readonly UploadFormat[];

function uploadOptions(mediaType: string, { csvDelimiter }: DocumentWriteQuery): UploadOptions {
  const format = FORMATS[MEDIA_TYPES.indexOf(mediaType)];
  if (format === undefined) {
    throw new ApiError(
      'invalid_content_type',
      `The content type \`${mediaType}\` is not accepted here; it must be ${MEDIA_TYPES.join(', ')}.`,
    );
  }
  if (csvDelimiter !== undefined && format !== 'csv') {
    throw new ApiError(
      'invalid_content_type',
      `\`csvDelimiter\` goes with the content type text/csv only, not with \`${mediaType}\`.`,
    );
  }
  return { format, csvDelimiter: csvDelimiter ?? CSV_DELIMITER_DEFAULT };
}

const writeDocuments = (verb: 'POST' | 'PUT', method: 'replace' | 'update', summary: string) =>
  defineUploadRoute({
    id: `documents.${method}`,
    endpoint: `${verb} /indexes/:indexUid/documents`,
    action: 'documents.add',
    summary,
    query: DocumentWriteQuery,
    upload: uploadOptions,
    handler: ({ indexer }, { access, params: { indexUid }, query, body: upload }) => {
      const { primaryKey = null, skipCreation = false, csvDelimiter: _, ...metadata } = query;
      return enqueued(indexer, {
        type: 'documentAdditionOrUpdate',
        indexUid,
        method,
        primaryKey,
        skipCreation,
        ...upload,
        allowIndexCreation: access.holds('indexes.create'),
        ...metadata,
      });
    },
  });

/** In a query string `*` means all fields; in a body it is a plain name. */
const allFieldsWhenStarred = (
  fields: readonly string[] | null | undefined,
): readonly string[] | null => (fields?.includes('*') ? null : (fields ?? null));

function documentIds(
  ids: readonly (string | number)[] | null | undefined,
): readonly string[] | null {
  if (!isGiven(ids)) return null;
  return ids.map((id) => {
    const text = String(id);
    if (isDocumentId(text)) return text;
    throw new ApiError(
      'invalid_document_ids',
      `\`ids\` names ${JSON.stringify(id)}; an id is an integer, or ${DOCUMENT_ID.expects}.`,
    );
  });
}

/** @param problem of a filter without effect. @throws ApiError `invalid_document_filter` */
export async function requireSelection(
  { features, payloads }: ApiContext,
  filter: unknown,
  problem: string,
): Promise<void> {
  const code = 'invalid_document_filter';
  const unparsed = unparsedFilter(filterForm(filter, code), features);
  if (unparsed === null || !(await payloads.selects(unparsed, code)))
    throw new ApiError(code, problem);
}

/** `String` is faster than `JSON.stringify` for a million numbers. */
const idText = (id: unknown): string =>
  typeof id === 'string' || typeof id === 'number' ? String(id) : JSON.stringify(id);

/**
 * The index and the request of a document read. Invalid ids and sort criteria are refused before a
 * missing index, an invalid filter after it.
 */
function documentsRequest(
  context: ApiContext,
  indexUid: string,
  given: DocumentsFetchBody,
  fields: readonly string[] | null,
): { readonly index: PublishedIndex; readonly request: DocumentsRequest } {
  const ids = documentIds(given.ids);
  const sort = parseSort(given.sort, 'invalid_document_sort');
  const index = requireIndex(context, indexUid);
  const form = filterForm(given.filter, 'invalid_document_filter');
  return {
    index,
    request: {
      offset: given.offset ?? 0,
      limit: given.limit ?? limits.pageItemsDefault,
      fields,
      ids,
      filter: unparsedFilter(form, context.features),
      sort,
      retrieveVectors: given.retrieveVectors ?? false,
    },
  };
}

async function readDocuments(
  context: ApiContext,
  route: RouteRequest<{ readonly indexUid: string }, unknown, unknown>,
  given: DocumentsFetchBody,
  fields: readonly string[] | null,
): Promise<Answer> {
  const { params, caller } = route;
  const { index, request } = documentsRequest(context, params.indexUid, given, fields);
  const work = { kind: 'documents', request } as const;
  const read = { index, work, access: foreignAccess(route) };
  const bytes = await readIndex(context, read, caller);
  return { status: 200, bytes };
}

function readsNetwork(
  { features }: Pick<ApiContext, 'features'>,
  { useNetwork }: DocumentsFetchBody,
): boolean {
  if (!isGiven(useNetwork)) return false;
  requireFeature(features, 'network', '`useNetwork`');
  return useNetwork;
}

type Deletion = RouteRequest<{ readonly indexUid: string }, DocumentDeletionQuery, unknown>;

const enqueueDeletion = (
  { indexer }: ApiContext,
  { params: { indexUid }, query }: Deletion,
  by: DocumentSelection,
): Promise<Answer> => enqueued(indexer, { type: 'documentDeletion', indexUid, by, ...query });

export const documentRoutes: readonly Route[] = [
  writeDocuments('POST', 'replace', 'Add documents, replacing those with the same id'),
  writeDocuments('PUT', 'update', 'Add documents, merging them into those with the same id'),
  defineRoute({
    id: 'documents.get',
    endpoint: 'GET /indexes/:indexUid/documents/:documentId',
    action: 'documents.get',
    summary: 'Read one document',
    query: DocumentQueryString,
    errors: ['index_not_found', 'document_not_found', ...QUERY_ERRORS],
    handler: async (context, { params: { indexUid, documentId: id }, query, caller }) => {
      const index = requireIndex(context, indexUid);
      const fields = allFieldsWhenStarred(query.fields);
      const { retrieveVectors = false } = query;
      const work = { kind: 'document', id, fields, retrieveVectors } as const;
      return { status: 200, bytes: await readIndex(context, { index, work }, caller) };
    },
  }),
  defineRoute({
    id: 'documents.list',
    endpoint: 'GET /indexes/:indexUid/documents',
    action: 'documents.get',
    summary: 'Read documents page by page, or by ids',
    query: DocumentsQueryString,
    errors: ['index_not_found', ...QUERY_ERRORS],
    handler: (context, request) => {
      const { query } = request;
      return readDocuments(context, request, query, allFieldsWhenStarred(query.fields));
    },
  }),
  defineRoute({
    id: 'documents.fetch',
    endpoint: 'POST /indexes/:indexUid/documents/fetch',
    action: 'documents.get',
    summary: 'Read documents page by page, or by ids, with the parameters in the body',
    body: DocumentsFetchBody,
    errors: ['index_not_found', 'feature_not_enabled', ...QUERY_ERRORS],
    handler: async (context, request) => {
      const { params, body, caller } = request;
      const fields = body.fields ?? null;
      if (!readsNetwork(context, body)) return readDocuments(context, request, body, fields);
      const { index } = documentsRequest(context, params.indexUid, body, fields);
      const { body: resolved } = await withForeignIds(
        context,
        { index, access: request.access, foreignAccess: foreignAccess(request), caller },
        body,
        'invalid_document_filter',
      );
      const asked = documentsRequest(context, params.indexUid, resolved, fields);
      return {
        status: 200,
        bytes: await readNetworkDocuments(context, { ...asked, body: resolved, caller }),
      };
    },
  }),
  defineRoute({
    id: 'documents.deleteOne',
    endpoint: 'DELETE /indexes/:indexUid/documents/:documentId',
    action: 'documents.delete',
    summary: 'Delete one document',
    query: DocumentDeletionQuery,
    handler: (context, request) =>
      enqueueDeletion(context, request, {
        kind: 'ids',
        ids: [request.params.documentId],
      }),
  }),
  defineRoute({
    id: 'documents.deleteAll',
    endpoint: 'DELETE /indexes/:indexUid/documents',
    action: 'documents.delete',
    summary: 'Delete all documents of an index',
    query: DocumentDeletionQuery,
    handler: (context, request) => enqueueDeletion(context, request, { kind: 'all' }),
  }),
  defineRoute({
    id: 'documents.deleteBatch',
    endpoint: 'POST /indexes/:indexUid/documents/delete-batch',
    action: 'documents.delete',
    summary: 'Delete documents by ids',
    query: DocumentDeletionQuery,
    body: DocumentIdList,
    handler: async (context, request) => {
      const ids = request.body.map(idText);
      return enqueueDeletion(context, request, { kind: 'ids', ids });
    },
  }),
  defineRoute({
    id: 'documents.deleteByFilter',
    endpoint: 'POST /indexes/:indexUid/documents/delete',
    action: 'documents.delete',
    summary: 'Delete documents by filter',
    query: DocumentDeletionQuery,
    body: DocumentDeletionBody,
    errors: ['feature_not_enabled'],
    handler: async (context, request) => {
      const { filter } = request.body;
      await requireSelection(
        context,
        filter,
        'An empty `filter` would select every document; to delete all of them use DELETE on the documents.',
      );
      return enqueueDeletion(context, request, { kind: 'filter', filter });
    },
  }),
];
