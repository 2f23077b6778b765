/** Routes of whole indexes: list, create, read, update, delete, swap, their fields. */

import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { FieldListBody } from '../../model/field-list.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import {
  IndexCreationBody,
  IndexListQuery,
  IndexSwapBody,
  IndexUpdateBody,
  NoQuery,
} from '../../model/schemas/index-schema.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';

const recordOf = ({ uid, createdAt, updatedAt, primaryKey }: IndexManifest) => ({
  uid,
  createdAt,
  updatedAt,
  primaryKey,
});

const listIndexes = defineRoute({
  id: 'indexes.list',
  method: 'GET',
  path: '/indexes',
  action: 'indexes.get',
  summary: 'List indexes in order of uid',
  query: IndexListQuery,
  handler: ({ indexes }, { access, query: { offset = 0, limit = limits.pageItemsDefault } }) => {
    const all = indexes.list().filter(({ manifest }) => access.reaches(manifest.uid));
    const results = all.slice(offset, offset + limit).map(({ manifest }) => recordOf(manifest));
    return { status: 200, json: { results, offset, limit, total: all.length } };
  },
});

const createIndex = defineRoute({
  id: 'indexes.create',
  method: 'POST',
  path: '/indexes',
  action: 'indexes.create',
  summary: 'Create an index',
  query: NoQuery,
  body: IndexCreationBody,
  handler: async ({ indexer }, { access, body: { uid, primaryKey = null } }) => {
    requireReach(access, uid);
    return {
      status: 202,
      json: await indexer.request('enqueue', { type: 'indexCreation', indexUid: uid, primaryKey }),
    };
  },
});

const getIndex = defineRoute({
  id: 'indexes.get',
  method: 'GET',
  path: '/indexes/:indexUid',
  action: 'indexes.get',
  summary: 'Read one index',
  query: NoQuery,
  errors: ['index_not_found'],
  handler: (context, { params }) => ({
    status: 200,
    json: recordOf(requireIndex(context, params.indexUid).manifest),
  }),
});

const updateIndex = defineRoute({
  id: 'indexes.update',
  method: 'PATCH',
  path: '/indexes/:indexUid',
  action: 'indexes.update',
  summary: 'Update the primary key or the uid of an index',
  query: NoQuery,
  body: IndexUpdateBody,
  handler: async (
    { indexer },
    { access, params: { indexUid }, body: { primaryKey = null, uid: newUid = null } },
  ) => {
    if (newUid !== null) requireReach(access, newUid);
    return {
      status: 202,
      json: await indexer.request('enqueue', { type: 'indexUpdate', indexUid, primaryKey, newUid }),
    };
  },
});

const deleteIndex = defineRoute({
  id: 'indexes.delete',
  method: 'DELETE',
  path: '/indexes/:indexUid',
  action: 'indexes.delete',
  summary: 'Delete an index with all its documents',
  query: NoQuery,
  handler: async ({ indexer }, { params: { indexUid } }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'indexDeletion', indexUid }),
  }),
});

function swapsOf(
  body: IndexSwapBody,
  access: Access,
): { indexes: [string, string]; rename: boolean }[] {
  const seen = new Set<string>();
  return body.map(({ indexes: [first = '', second = ''], rename = false }) => {
    for (const uid of [first, second]) {
      if (seen.has(uid)) {
        throw new ApiError(
          'invalid_swap_duplicate_index_found',
          `The index \`${uid}\` occurs more than once in the list of swaps.`,
        );
      }
      requireReach(access, uid);
      seen.add(uid);
    }
    return { indexes: [first, second], rename };
  });
}

const swapIndexes = defineRoute({
  id: 'indexes.swap',
  method: 'POST',
  path: '/swap-indexes',
  action: 'indexes.swap',
  summary: 'Swap pairs of indexes; all pairs or none',
  query: NoQuery,
  body: IndexSwapBody,
  errors: ['invalid_swap_duplicate_index_found'],
  handler: async ({ indexer }, { access, body }) => ({
    status: 202,
    json: await indexer.request('enqueue', { type: 'indexSwap', swaps: swapsOf(body, access) }),
  }),
});

export const indexRoutes: readonly Route[] = [
  listIndexes,
  createIndex,
  getIndex,
  updateIndex,
  deleteIndex,
  swapIndexes,
];

const listFields = defineRoute({
  id: 'fields.post',
  method: 'POST',
  path: '/indexes/:indexUid/fields',
  action: 'fields.post',
  summary: 'List the fields of an index with their settings',
  query: NoQuery,
  body: FieldListBody,
  errors: ['index_not_found', ...QUERY_ERRORS],
  handler: async (context, { params, body, caller }) => {
    const request = {
      offset: body.offset ?? 0,
      limit: body.limit ?? limits.pageItemsDefault,
      filter: body.filter ?? {},
    };
    const index = requireIndex(context, params.indexUid);
    const bytes = await readIndex(context, index, { kind: 'fields', request }, caller);
    return { status: 200, bytes };
  },
});

export const fieldRoutes: readonly Route[] = [listFields];
