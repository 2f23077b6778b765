/** Routes of whole indexes: list, create, read, update, delete, swap, their fields. */

import type { Access } from '../../auth/access.ts';
import { requireAction, requireReach } from '../../auth/authorize.ts';
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import type { AliasTable } from '../../model/alias.ts';
import { FieldListBody } from '../../model/field-list.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import {
  BranchBody,
  IndexCreationBody,
  IndexListQuery,
  IndexSwapBody,
  IndexUpdateBody,
} from '../../model/schemas/index-schema.ts';
import type { SettingsBody } from '../../model/schemas/settings-schema.ts';
import { enqueued } from '../contract/enqueued.ts';
import { offsetPage } from '../contract/offset-page.ts';
import { checkedUid } from '../contract/path-uid.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import { checkSettings } from '../settings/settings-rules.ts';

const recordOf = ({ uid, createdAt, updatedAt, primaryKey }: IndexManifest) => ({
  uid,
  createdAt,
  updatedAt,
  primaryKey,
});

function swapsOf(
  body: IndexSwapBody,
  access: Access,
  aliases: AliasTable,
): { indexes: [string, string]; rename: boolean }[] {
  const seen = new Set<string>();
  return body.map(({ indexes: [first, second, ...more], rename = false }) => {
    if (first === undefined || second === undefined || more.length > 0)
      throw new ApiError(
        'invalid_swap_indexes',
        'A swap needs exactly two index uids in `indexes`.',
      );
    const indexes: [string, string] = [aliases.resolve(first), aliases.resolve(second)];
    for (const uid of indexes) {
      if (seen.has(uid)) {
        throw new ApiError(
          'invalid_swap_duplicate_index_found',
          `The index \`${uid}\` occurs more than once in the list of swaps.`,
        );
      }
      requireReach(access, uid);
      seen.add(uid);
    }
    return { indexes, rename };
  });
}

export const indexRoutes: readonly Route[] = [
  defineRoute({
    id: 'indexes.list',
    endpoint: 'GET /indexes',
    action: 'indexes.get',
    summary: 'List indexes in order of uid',
    query: IndexListQuery,
    handler: ({ indexes }, { access, query }) => {
      const all = indexes.list().filter(({ manifest }) => access.reaches(manifest.uid));
      return offsetPage(all, query, ({ manifest }) => recordOf(manifest));
    },
  }),
  defineRoute({
    id: 'indexes.create',
    endpoint: 'POST /indexes',
    action: 'indexes.create',
    summary: 'Create an index',
    body: IndexCreationBody,
    handler: ({ indexer }, { access, body: { uid, primaryKey = null } }) => {
      requireReach(access, uid);
      return enqueued(indexer, { type: 'indexCreation', indexUid: uid, primaryKey });
    },
  }),
  defineRoute({
    id: 'indexes.get',
    endpoint: 'GET /indexes/:indexUid',
    action: 'indexes.get',
    summary: 'Read one index',
    errors: ['index_not_found'],
    handler: (context, { params }) => ({
      status: 200,
      json: recordOf(requireIndex(context, params.indexUid).manifest),
    }),
  }),
  defineRoute({
    id: 'indexes.update',
    endpoint: 'PATCH /indexes/:indexUid',
    action: 'indexes.update',
    summary: 'Update the primary key or the uid of an index',
    body: IndexUpdateBody,
    handler: (
      { indexer },
      { access, params: { indexUid }, body: { primaryKey = null, uid: newUid = null } },
    ) => {
      if (newUid !== null) requireReach(access, checkedUid(newUid, 'index name'));
      return enqueued(indexer, { type: 'indexUpdate', indexUid, primaryKey, newUid });
    },
  }),
  defineRoute({
    id: 'indexes.branch',
    endpoint: 'POST /indexes/:indexUid/branches',
    action: 'indexes.create',
    summary: 'Copy an index at once: documents and settings, under another name',
    body: BranchBody,
    errors: ['feature_not_enabled'],
    handler: ({ indexer, features }, { access, params: { indexUid: source }, body }) => {
      const { uid, settings } = body;
      requireReach(access, uid);
      const draft = { type: 'indexBranch', indexUid: uid, source } as const;
      if (!isGiven(settings)) return enqueued(indexer, draft);
      requireAction(access, 'settings.update', 'a branch with `settings` requires');
      return enqueued(indexer, {
        ...draft,
        settings: checkSettings(settings as SettingsBody, features),
      });
    },
  }),
  defineRoute({
    id: 'indexes.delete',
    endpoint: 'DELETE /indexes/:indexUid',
    action: 'indexes.delete',
    summary: 'Delete an index with all its documents',
    handler: ({ indexer }, { params: { indexUid } }) =>
      enqueued(indexer, { type: 'indexDeletion', indexUid }),
  }),
  defineRoute({
    id: 'indexes.swap',
    endpoint: 'POST /swap-indexes',
    action: 'indexes.swap',
    summary: 'Swap pairs of indexes; all pairs or none',
    body: IndexSwapBody,
    errors: ['invalid_swap_duplicate_index_found'],
    handler: ({ indexer, aliases }, { access, body }) =>
      enqueued(indexer, { type: 'indexSwap', swaps: swapsOf(body, access, aliases) }),
  }),
];

export const fieldRoutes: readonly Route[] = [
  defineRoute({
    id: 'fields.post',
    endpoint: 'POST /indexes/:indexUid/fields',
    action: 'fields.post',
    summary: 'List the fields of an index with their settings',
    body: FieldListBody,
    errors: ['index_not_found', ...QUERY_ERRORS],
    handler: async (context, { params, body, caller }) => {
      const request = {
        offset: body.offset ?? 0,
        limit: body.limit ?? limits.pageItemsDefault,
        filter: body.filter ?? {},
      };
      const index = requireIndex(context, params.indexUid);
      const work = { kind: 'fields', request } as const;
      const bytes = await readIndex(context, { index, work }, caller);
      return { status: 200, bytes };
    },
  }),
];
