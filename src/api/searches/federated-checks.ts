/** Checks of a federated search that need no index. */
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import type { FilterFeatures } from '../../model/filter/filter-node.ts';
import type { Federation, MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import { errorInside } from './federated-answer.ts';
import { asksRemotes, type PlacedQueries } from './network-queries.ts';
import { refuseInvalidFilter } from './search-request.ts';

interface CheckedCall {
  readonly queries: readonly MultiSearchQuery[];
  readonly federation: Federation;
  readonly isForPeer: boolean;
}

export function checkFederation({ queries, federation, isForPeer }: CheckedCall): void {
  const { distinct, groupBy, precedingGroups } = federation;
  if (isGiven(precedingGroups) && !(isForPeer && isGiven(groupBy))) {
    throw new ApiError(
      'invalid_multi_search_group_by',
      '`federation.precedingGroups` is for requests of another instance of the network, with `federation.groupBy`. Leave it out.',
    );
  }
  if (isGiven(groupBy) && isGiven(distinct)) {
    throw new ApiError(
      'invalid_multi_search_group_by',
      `\`federation.groupBy\` (\`${groupBy}\`) and \`federation.distinct\` (\`${distinct}\`) exclude each other. Keep one of the two.`,
    );
  }
  for (const [position, query] of queries.entries()) checkQuery(query, position, federation);
}

/** @throws ApiError for the first query whose filter has invalid syntax */
export async function refuseInvalidFilters(
  queries: readonly MultiSearchQuery[],
  features: FilterFeatures,
  slices: TimeSlices,
): Promise<void> {
  for (const [position, query] of queries.entries()) {
    await slices.between();
    try {
      refuseInvalidFilter(query, features);
    } catch (error) {
      throw error instanceof ApiError ? errorInside(`queries[${position}]`, error) : error;
    }
  }
}

/** @throws ApiError if a remote instance would have to send texts of its documents */
export function checkRerank(queries: Pick<PlacedQueries, 'placed'>, { rerank }: Federation): void {
  if (!isGiven(rerank) || !asksRemotes(queries)) return;
  throw new ApiError(
    'invalid_search_rerank',
    '`federation.rerank` is not possible with queries of remote instances, because documents are read within one instance. Leave one of them out.',
  );
}

/** Refused query members, with their error codes and an alternative. */
const FEDERATION_ONLY = [
  [
    'aggregations',
    'invalid_multi_search_query_aggregations',
    'Send the query apart, with `limit` 0, to have them.',
  ],
  [
    'diversity',
    'invalid_multi_search_query_diversity',
    'Leave `federation` out to have each query answered apart.',
  ],
  ['rerank', 'invalid_multi_search_query_rerank', 'Give `federation.rerank` instead.'],
  [
    'sortFacetValuesBy',
    'invalid_multi_search_query_facets',
    'The order is that of the setting `faceting.sortFacetValuesBy`.',
  ],
  [
    'personalize',
    'invalid_multi_search_query_personalization',
    'Give `federation.personalize` instead.',
  ],
] as const satisfies readonly (readonly [keyof MultiSearchQuery, ApiError['code'], string])[];

function checkQuery(query: MultiSearchQuery, position: number, federation: Federation): void {
  const refuse = (code: ApiError['code'], message: string): never => {
    throw errorInside(`queries[${position}]`, { code, message });
  };
  for (const name of ['limit', 'offset', 'page', 'hitsPerPage'] as const) {
    if (!isGiven(query[name])) continue;
    const hint = `Give \`federation.${name}\` instead, or leave \`federation\` out to have each query answered apart.`;
    refuse(
      'invalid_multi_search_query_pagination',
      `\`${name}\` is not allowed in a federated query. ${hint}`,
    );
  }
  if ((query.facets ?? []).length > 0) {
    const place = `\`federation.facetsByIndex.${query.indexUid}\``;
    refuse(
      'invalid_multi_search_query_facets',
      `\`facets\` are not allowed in a federated query. Name the attributes in ${place} instead.`,
    );
  }
  for (const [name, code, hint] of FEDERATION_ONLY) {
    if (isGiven(query[name]))
      refuse(code, `\`${name}\` is not allowed in a federated query. ${hint}`);
  }
  if (query.showPerformanceDetails) {
    refuse(
      'invalid_multi_search_query_show_performance_details',
      '`showPerformanceDetails` is not allowed in a federated query. Give `federation.showPerformanceDetails` instead.',
    );
  }
  if (isGiven(query.groupBy)) {
    refuse(
      'invalid_multi_search_group_by',
      `\`groupBy\` (\`${query.groupBy}\`) is not allowed in a federated query. Give \`federation.groupBy\` instead.`,
    );
  }
  if (isGiven(query.distinct) && isGiven(federation.groupBy)) {
    refuse(
      'invalid_multi_search_group_by',
      `\`distinct\` (\`${query.distinct}\`) is not allowed in a query when \`federation.groupBy\` is given. Keep one of the two.`,
    );
  }
  if (isGiven(query.distinct) && isGiven(federation.distinct)) {
    refuse(
      'invalid_multi_search_distinct',
      '`distinct` is not allowed in a query when `federation.distinct` is given. Keep one of the two.',
    );
  }
}
