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
import { SEARCH_ERRORS } from './search-routes.ts';

const facetSearch = defineRoute({
  id: 'facetSearch.post',
  method: 'POST',
  path: '/indexes/:indexUid/facet-search',
  action: 'search',
  summary: 'Search the values of a facet',
  query: NoQuery,
  body: FacetSearchBody,
  errors: [...SEARCH_ERRORS, 'facet_search_disabled', 'invalid_search_media_and_vector'],
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
