/** The facet search route. */
import { FacetSearchBody } from '../../model/schemas/facet-search-schema.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { toFacetSearchRequest } from '../searches/facet-search-request.ts';
import { foreignAccess } from '../searches/foreign-index-sources.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import { asksNetwork, withRemoteFacetHits } from '../searches/network-search.ts';
import { searchConditions } from '../searches/search-request.ts';
import { withQueryVector } from '../searches/semantic-query.ts';

const facetSearch = defineRoute({
  id: 'facetSearch.post',
  method: 'POST',
  path: '/indexes/:indexUid/facet-search',
  action: 'search',
  summary: 'Search the values of a facet',
  query: NoQuery,
  body: FacetSearchBody,
  errors: [
    'index_not_found',
    'too_many_search_requests',
    'search_timeout',
    'response_too_large',
    'feature_not_enabled',
    'facet_search_disabled',
    'vector_embedding_error',
    'invalid_vector_dimensions',
    'missing_search_hybrid',
    'missing_facet_search_facet_name',
    'invalid_facet_search_facet_name',
    'invalid_facet_search_query',
    'invalid_facet_search_exhaustive_facet_count',
    'invalid_search_q',
    'invalid_search_filter',
    'invalid_search_matching_strategy',
    'invalid_search_attributes_to_search_on',
    'invalid_search_ranking_score_threshold',
    'invalid_search_locales',
    'invalid_search_vector',
    'invalid_search_hybrid_query',
    'invalid_search_embedder',
    'invalid_search_semantic_ratio',
    'invalid_search_media_and_vector',
    'invalid_search_use_network',
  ],
  handler: async (context, { params, body, headers, access, receivedAtMs, caller }) => {
    const index = requireIndex(context, params.indexUid);
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
});

export const facetSearchRoutes: readonly Route[] = [facetSearch];
