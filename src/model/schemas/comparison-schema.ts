/** Schema of the comparison of two indexes. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { closed, IndexUid, integer, optional, text } from './schema.ts';
import { SearchBody } from './search-schema.ts';

/** Members that decide which documents a search finds, and in which order. */
const members = Type.Pick(SearchBody, [
  'attributesToSearchOn',
  'distinct',
  'diversity',
  'filter',
  'hybrid',
  'locales',
  'matchingStrategy',
  'rankingScoreThreshold',
  'rerank',
  'sort',
]).properties;

const ComparedSearch = closed(members, {
  code: 'bad_request',
  expects: 'an object of search parameters',
});

const Wanted = Type.Union(
  [Type.Array(Type.String()), Type.Record(Type.String(), Type.Number({ minimum: 0 }))],
  { code: 'bad_request', expects: 'a list of ids, or an object with grades by id' },
);

const ComparedQuery = closed(
  {
    q: text('bad_request'),
    filter: members.filter,
    wanted: optional(Wanted),
  },
  { code: 'bad_request' },
);

export const ComparisonBody = closed({
  candidate: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
  queries: optional(
    Type.Array(ComparedQuery, {
      minItems: 1,
      maxItems: limits.comparedQueriesMax,
      code: 'bad_request',
      expects: `a list of 1 to ${limits.comparedQueriesMax} objects with \`q\``,
    }),
  ),
  limit: Type.Optional(integer('bad_request', 1, limits.comparedHitsMax)),
  search: optional(ComparedSearch),
  candidateSearch: optional(ComparedSearch),
});
export type ComparisonBody = Static<typeof ComparisonBody>;
export type ComparedSearch = Static<typeof ComparedSearch>;
