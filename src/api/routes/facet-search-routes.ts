/** The facet search route. */

import { limits } from '../../core/limits.ts';
import { FACET_SEARCH_MEMBERS, FacetSearchBody } from '../../model/schemas/facet-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { FacetSearchRequest } from '../../model/search.ts';
import { defineRoute, type Route } from '../contract/route.ts';
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

/** Other members are ignored. */
const searchBodyOf = (body: FacetSearchBody): SearchBody =>
  Object.fromEntries(
    FACET_SEARCH_MEMBERS.flatMap((name) => (Object.hasOwn(body, name) ? [[name, body[name]]] : [])),
  );

/** Throws `ApiError`. */
export function toFacetSearchRequest(
  body: FacetSearchBody,
  conditions: SearchConditions,
): FacetSearchRequest {
  const { facetName, facetQuery, exhaustiveFacetCount } = body;
  const asked = toSearchRequest(searchBodyOf(body), conditions);
  const search = isSemantic(body) ? { ...asked, q: null, rankingScoreThreshold: null } : asked;
  const dependsOnHits =
    search.rankingScoreThreshold !== null || conditions.settings.distinctAttribute !== null;
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

/** In vector search all documents that pass the filter are candidates, whatever their scores. */
const isSemantic = ({ hybrid }: FacetSearchBody): boolean =>
  hybrid !== null &&
  hybrid !== undefined &&
  hybrid.semanticRatio !== 0 &&
  hybrid.semanticThreshold === undefined;

export const facetSearchRoutes: readonly Route[] = [
  defineRoute({
    id: 'facetSearch.post',
    endpoint: 'POST /indexes/:indexUid/facet-search',
    action: 'search',
    summary: 'Search the values of a facet',
    body: FacetSearchBody,
    errors: [...SEARCH_ERRORS, 'facet_search_disabled', 'invalid_search_media_and_vector'],
    handler: async (context, { params, body, headers, access, receivedAtMs, caller }) => {
      const index = requireSearchedIndex(context, params.indexUid, body);
      const asked = toFacetSearchRequest(body, searchConditions(context, index, access));
      const search = await withQueryVector(context, index, asked.search, caller);
      const request = { ...asked, search };
      const spentMs = context.clock.monotonic() - receivedAtMs;
      const work = { kind: 'facetSearch', request, spentMs } as const;
      const isNetworked = asksNetwork(context, body);
      const broughtBy = isNetworked ? null : foreignAccess({ access, headers });
      const bytes = await readIndex(context, index, work, caller, broughtBy);
      if (!isNetworked) return { status: 200, bytes };
      return {
        status: 200,
        json: await withRemoteFacetHits(context, { index, access, caller }, body, bytes),
      };
    },
  }),
];
