/** The facet search route. */

import { limits } from '../../core/limits.ts';
import { FACET_SEARCH_MEMBERS, FacetSearchBody } from '../../model/schemas/facet-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { FacetSearchRequest } from '../../model/search.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { withForeignIds } from '../searches/foreign-conditions.ts';
import { foreignAccess } from '../searches/foreign-index-sources.ts';
import { readIndex } from '../searches/index-reader.ts';
import { asksNetwork, withRemoteFacetHits } from '../searches/network-search.ts';
import {
  requireSearchedIndex,
  type SearchConditions,
  searchConditions,
  toSearchRequest,
} from '../searches/search-request.ts';
import { withQueryVector } from '../searches/semantic-query.ts';
import { SEARCH_ERRORS } from './search-routes.ts';

/** Number of ranked hits, if the candidates depend on ranking. */
const RANKED_HITS = limits.pageItemsDefault;

const searchBodyOf = (body: FacetSearchBody): SearchBody =>
  Object.fromEntries(
    FACET_SEARCH_MEMBERS.flatMap((name) => (Object.hasOwn(body, name) ? [[name, body[name]]] : [])),
  );

/**
 * A vector search counts all documents that pass the filter, whatever their scores and their values
 * of the distinct attribute.
 */
export function toFacetSearchRequest(
  body: FacetSearchBody,
  conditions: SearchConditions,
): FacetSearchRequest {
  const { facetName, facetQuery, exhaustiveFacetCount } = body;
  const asked = toSearchRequest(searchBodyOf(body), conditions);
  const countsFiltered = asked.semantic !== null && body.hybrid?.semanticThreshold === undefined;
  const search = countsFiltered ? { ...asked, q: null, rankingScoreThreshold: null } : asked;
  const dependsOnHits =
    !countsFiltered &&
    (search.rankingScoreThreshold !== null || conditions.settings.distinctAttribute !== null);
  return {
    facetName,
    facetQuery: facetQuery ?? null,
    search: {
      ...search,
      pins: null,
      limit: dependsOnHits ? RANKED_HITS : 0,
      page: exhaustiveFacetCount === true && dependsOnHits ? 0 : null,
    },
  };
}

export const facetSearchRoutes: readonly Route[] = [
  defineRoute({
    id: 'facetSearch.post',
    endpoint: 'POST /indexes/:indexUid/facet-search',
    action: 'search',
    summary: 'Search the values of a facet',
    body: FacetSearchBody,
    errors: [...SEARCH_ERRORS, 'facet_search_disabled', 'invalid_search_media_and_vector'],
    handler: async (
      context,
      { params, body: given, headers, access: own, receivedAtMs, caller },
    ) => {
      const index = requireSearchedIndex(context, params.indexUid, given);
      const isNetworked = asksNetwork(context, given);
      const included = foreignAccess({ access: own, headers });
      const { body, access } = isNetworked
        ? await withForeignIds(
            context,
            { index, access: own, foreignAccess: included, caller },
            given,
            'invalid_search_filter',
          )
        : { body: given, access: own };
      const asked = toFacetSearchRequest(body, searchConditions(context, index, access));
      const search = await withQueryVector(context, index, asked.search, caller);
      const request = { ...asked, search };
      const spentMs = context.clock.monotonic() - receivedAtMs;
      const work = { kind: 'facetSearch', request, spentMs } as const;
      const read = { index, work, access: isNetworked ? null : included };
      const bytes = await readIndex(context, read, caller);
      if (!isNetworked) return { status: 200, bytes };
      return {
        status: 200,
        json: await withRemoteFacetHits(context, { index, access, caller }, body, bytes),
      };
    },
  }),
];
