/**
 * A search of one index on all instances of the network with its documents (`useNetwork`, api.md
 * 9.6): a federated search of one query, with the answer of a plain search.
 */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import { compareCodePoints } from '../../core/compare-text.ts';
import { ApiError, type ErrorEnvelope } from '../../core/errors.ts';
import { givenMembers, isGiven } from '../../core/is-given.ts';
import { bothFilters } from '../../model/filter/filter-form.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import type { FacetSearchBody } from '../../model/schemas/facet-search-schema.ts';
import type { Federation } from '../../model/schemas/multi-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import { groupByWithDistinct } from '../../model/search.ts';
import type { ApiContext } from '../contract/context.ts';
import { searchFederated } from './federated-search.ts';
import type { NetworkRequest } from './foreign-conditions.ts';
import { instancesToAsk, orNullIfRemoteFails } from './network-queries.ts';

export const asksNetwork = (
  { features }: Pick<ApiContext, 'features'>,
  { useNetwork }: Pick<SearchBody, 'useNetwork'>,
): boolean => features.network && useNetwork === true;

interface NetworkCall extends NetworkRequest {
  readonly arrivedAtMs: number;
}

/** @throws ApiError for members that need all documents in one instance */
function checkNetworkSearch(body: SearchBody): void {
  const { groupBy, distinct } = body;
  if (isGiven(groupBy) && isGiven(distinct)) throw groupByWithDistinct(groupBy, distinct);
  if (isGiven(body.aggregations)) {
    throw new ApiError(
      'invalid_search_aggregations',
      '`aggregations` are not possible with `useNetwork`, because they are computed within one instance. Leave one of them out.',
    );
  }
  if (isGiven(body.diversity)) {
    throw new ApiError(
      'invalid_search_diversity',
      '`diversity` is not possible with `useNetwork`, because documents are compared within one instance. Leave one of them out.',
    );
  }
}

export async function searchNetwork(
  context: ApiContext,
  { index, access, foreignAccess, caller, arrivedAtMs }: NetworkCall,
  body: SearchBody,
): Promise<Uint8Array> {
  const { uid: indexUid, settings } = index.manifest;
  checkNetworkSearch(body);
  const { limit, offset, page, hitsPerPage, facets, distinct, groupBy, groupSize, ...others } =
    body;
  const { showPerformanceDetails, ...rest } = others;
  // The instance that received the request reorders the hits of all instances together; values of
  // facets are merged in the order of the settings.
  const { personalize: _, sortFacetValuesBy: __, ...query } = rest;
  const isPaged = (page ?? hitsPerPage ?? null) !== null;
  const { parts } = await searchFederated(context, {
    queries: [{ ...query, indexUid }],
    federation: givenMembers<Federation>({
      ...(isPaged ? { page, hitsPerPage } : { limit, offset }),
      distinct: distinct ?? (isGiven(groupBy) ? null : settings.distinctAttribute),
      groupBy,
      groupSize,
      showPerformanceDetails,
      ...(facets && {
        facetsByIndex: { [indexUid]: facets },
        mergeFacets: { maxValuesPerFacet: settings.faceting.maxValuesPerFacet },
      }),
    }),
    hasMetadata: false,
    isForPeer: false,
    access,
    foreignAccess,
    caller,
    arrivedAtMs,
    plainQuery: body.q ?? '',
  });
  return Buffer.concat(parts);
}

interface FacetHit {
  readonly value: string;
  readonly count: number;
}

export async function withRemoteFacetHits(
  context: ApiContext,
  { index, access, caller: { signal } }: Omit<NetworkCall, 'arrivedAtMs' | 'foreignAccess'>,
  body: FacetSearchBody,
  own: Uint8Array,
): Promise<object> {
  const { uid, settings } = index.manifest;
  const { useNetwork: _, ...same } = body;
  // The caller's filter applies on remote instances too.
  const filter = bothFilters(access.searchFilter(uid), body.filter, 'invalid_search_filter');
  const remoteBody = { ...same, filter };
  const instances = instancesToAsk(context);
  const remotes = instances.filter((name) => name !== null);
  const errors: Record<string, ErrorEnvelope> = {};
  const { network, remoteSearches } = context;
  const found = await mapInParallel(remotes, PARALLEL_INSTANCES_MAX, async (name) => {
    const ask = () => remoteSearches.facetSearch(uid, { network, name, body: remoteBody, signal });
    return (await orNullIfRemoteFails(name, ask, errors, signal))?.facetHits ?? [];
  });
  const answer = JSON.parse(Buffer.from(own).toString()) as { facetHits: readonly FacetHit[] };
  const { maxValuesPerFacet, sortFacetValuesBy } = settings.faceting;
  const order =
    body.sortFacetValuesBy ?? sortFacetValuesBy[body.facetName] ?? sortFacetValuesBy['*'];
  const here = instances.includes(null) ? answer.facetHits : [];
  const facetHits = addedUp([here, ...found]).sort((a, b) =>
    order === 'count'
      ? b.count - a.count || compareCodePoints(a.value, b.value)
      : compareCodePoints(a.value, b.value),
  );
  return { ...answer, facetHits: facetHits.slice(0, maxValuesPerFacet), remoteErrors: errors };
}

function addedUp(lists: readonly (readonly FacetHit[])[]): FacetHit[] {
  const counts = new Map<string, number>();
  for (const { value, count } of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count }));
}
