/**
 * Schemas of the multi-search route: several searches in one body, answered separately or merged.
 */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import { preview } from '../../core/preview.ts';
import {
  closed,
  count,
  flag,
  INDEX_UID,
  IndexUid,
  integer,
  isIndexUid,
  mapOf,
  names,
  nullable,
  optional,
  ruled,
  text,
} from './schema.ts';
import { groupSize, Personalize, RerankOptions, SearchBody } from './search-schema.ts';

const FederationOptions = closed(
  {
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        code: 'invalid_multi_search_weight',
        expects: 'a number of at least 0.0',
      }),
    ),
    remote: optional(text('invalid_multi_search_remote', 'the name of a remote')),
    queryPosition: optional(count('invalid_multi_search_query_position')),
  },
  {
    code: 'bad_request',
    expects: 'an object with any of `weight`, `remote`, `queryPosition`',
  },
);

export const MultiSearchQuery = closed({
  ...SearchBody.properties,
  offset: optional(count('invalid_search_offset')),
  limit: optional(count('invalid_search_limit')),
  indexUid: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
  federationOptions: optional(FederationOptions),
});
export type MultiSearchQuery = Static<typeof MultiSearchQuery>;

const MergeFacets = closed(
  { maxValuesPerFacet: optional(count('invalid_multi_search_max_values_per_facet')) },
  {
    code: 'invalid_multi_search_merge_facets',
    expects: 'an object with or without `maxValuesPerFacet`',
  },
);

const GROUPS = 'invalid_multi_search_group_by';

/** A group whose hit comes before the requested hits. */
const PrecedingGroup = closed(
  {
    values: Type.Array(text(GROUPS, 'a value'), { code: GROUPS, expects: 'an array of values' }),
    size: integer(GROUPS, 0, limits.groupSizeMax),
  },
  { code: GROUPS, expects: 'an object with `values` and `size`' },
);

const FACETS = 'invalid_multi_search_facets_by_index';

export const Federation = closed({
  limit: Type.Optional(count('invalid_search_limit')),
  offset: Type.Optional(count('invalid_search_offset')),
  page: optional(count('invalid_search_page')),
  hitsPerPage: optional(count('invalid_search_hits_per_page')),
  facetsByIndex: Type.Optional(
    ruled(
      mapOf(
        nullable(names(FACETS), { expects: 'an array of strings' }),
        FACETS,
        'an object of index uids with the attributes to count for each',
      ),
      (facets) => {
        const wrong = Object.keys(facets).find((uid) => !isIndexUid(uid));
        return wrong === undefined
          ? null
          : `\`federation.facetsByIndex\` names ${preview(wrong)}, which is not a valid index name: ${INDEX_UID.expects}.`;
      },
    ),
  ),
  mergeFacets: optional(MergeFacets),
  distinct: optional(text('invalid_search_distinct')),
  groupBy: optional(text('invalid_search_group_by')),
  groupSize: Type.Optional(groupSize),
  precedingGroups: optional(
    Type.Array(PrecedingGroup, {
      code: GROUPS,
      expects: 'an array of groups',
    }),
  ),
  showPerformanceDetails: Type.Optional(flag('invalid_search_show_performance_details')),
  rerank: optional(RerankOptions),
  personalize: optional(Personalize),
});
export type Federation = Static<typeof Federation>;

export const MultiSearchBody = closed({
  queries: Type.Array(MultiSearchQuery, { code: 'bad_request', expects: 'an array of searches' }),
  federation: optional(Federation, { code: 'bad_request' }),
});
export type MultiSearchBody = Static<typeof MultiSearchBody>;
