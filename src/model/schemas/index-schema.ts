/** Schemas of the index and instance routes. */
import Type, { type Static } from 'typebox';
import { closed, count, flag, IndexUid, oneOf, optional, refused, text } from './schema.ts';
import { SettingsPatchBody } from './settings-schema.ts';

const primaryKey = optional(text('invalid_index_primary_key'));

export const IndexListQuery = closed({
  offset: Type.Optional(count('invalid_index_offset')),
  limit: Type.Optional(count('invalid_index_limit')),
});

export const IndexCreationBody = closed({
  uid: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
  primaryKey,
});

export const BranchBody = closed({
  uid: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
  settings: optional(SettingsPatchBody, {
    code: 'bad_request',
    expects: 'an object of settings',
  }),
});

export const IndexUpdateBody = closed({
  primaryKey,
  uid: optional(text('invalid_index_uid')),
  createdAt: Type.Optional(
    refused('immutable_index_created_at', 'no `createdAt`: the server sets it'),
  ),
  updatedAt: Type.Optional(
    refused('immutable_index_updated_at', 'no `updatedAt`: the server sets it'),
  ),
});

export const IndexSwapBody = Type.Array(
  closed({
    indexes: Type.Array(Type.String({ ...IndexUid, code: 'invalid_swap_indexes' }), {
      code: 'invalid_swap_indexes',
      missing: 'missing_swap_indexes',
      expects: 'an array of exactly two index uids',
    }),
    rename: Type.Optional(flag('invalid_swap_rename')),
  }),
  { expects: 'an array of swaps', code: 'bad_request' },
);
export type IndexSwapBody = Static<typeof IndexSwapBody>;

export const StatsQuery = closed({
  sizeFormat: Type.Optional(oneOf(['raw', 'human'], 'invalid_stats_size_format')),
  showInternalDatabaseSizes: Type.Optional(flag('invalid_stats_show_internal_database_sizes')),
});
export type StatsQuery = Static<typeof StatsQuery>;
