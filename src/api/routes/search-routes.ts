/** Search routes: both forms are converted to the same request to a query thread. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { SearchBody, SearchOptions, SearchQueryString } from '../../model/schemas/search-schema.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, QUERY_ERRORS, type Route, type RouteRequest } from '../contract/route.ts';
import { foreignAccess } from '../searches/foreign-index-sources.ts';
import { asksNetwork, searchNetwork } from '../searches/network-search.ts';
import { personalizer, pinnedHits } from '../searches/personalized-search.ts';
import { readSearch } from '../searches/read-search.ts';
import { recordSearch } from '../searches/recorded-search.ts';
import { withRerankedHits } from '../searches/reranked-search.ts';
import { searchMetadata, wantsMetadata, withMetadata } from '../searches/search-metadata.ts';
import {
  bodyOfQueryString,
  requireSearchedIndex,
  searchConditions,
  toSearchRequest,
} from '../searches/search-request.ts';
import { withQueryVector } from '../searches/semantic-query.ts';

export const SEARCH_ERRORS: readonly ErrorCode[] = [
  'index_not_found',
  'feature_not_enabled',
  'vector_embedding_error',
  'invalid_vector_dimensions',
  'missing_search_hybrid',
  ...QUERY_ERRORS,
];

async function search(
  context: ApiContext,
  {
    params,
    query,
    headers,
    access,
    receivedAtMs,
    caller,
  }: RouteRequest<{ readonly indexUid: string }, Pick<SearchQueryString, 'profile'>, unknown>,
  body: SearchBody,
): Promise<Answer> {
  const index = requireSearchedIndex(context, params.indexUid, body);
  const { personalize, q } = body;
  const inOrder = personalizer(context, { personalize, queries: [q], place: 'personalize' });
  const plain = toSearchRequest(body, searchConditions(context, index, access));
  const asked = query.profile === true ? { ...plain, showProfile: true } : plain;
  const { requestUid } = caller;
  const facts = () => ({
    requestUid,
    processingTimeMs: Math.floor(context.clock.monotonic() - receivedAtMs),
  });
  const found = asksNetwork(context, body)
    ? await searchNetwork(
        context,
        { index, access, foreignAccess: foreignAccess({ access, headers }), caller, facts },
        body,
      )
    : await readSearch(
        context,
        index,
        {
          request:
            asked.semantic === null ? asked : await withQueryVector(context, index, asked, caller),
          requestUid,
          arrivedAtMs: receivedAtMs,
          access,
        },
        caller,
      );
  const { settings } = index.manifest;
  const ranked = await withRerankedHits(context, settings, asked, found, caller);
  const bytes =
    inOrder === null
      ? ranked
      : await inOrder(ranked, caller, pinnedHits(index.manifest, asked.pins));
  const metadata = wantsMetadata(headers) ? searchMetadata(index, q) : null;
  recordSearch(context, headers, {
    index: params.indexUid,
    q,
    filter: body.filter,
    bytes,
    queryUid: metadata?.queryUid,
    sinceMs: receivedAtMs,
  });
  return { status: 200, bytes: metadata === null ? bytes : withMetadata(bytes, metadata) };
}

export const searchRoutes: readonly Route[] = [
  defineRoute({
    id: 'search.post',
    endpoint: 'POST /indexes/:indexUid/search',
    action: 'search',
    summary: 'Search one index',
    query: SearchOptions,
    body: SearchBody,
    errors: [...SEARCH_ERRORS, 'invalid_search_media_and_vector'],
    handler: (context, request) => search(context, request, request.body),
  }),
  defineRoute({
    id: 'search.get',
    endpoint: 'GET /indexes/:indexUid/search',
    action: 'search',
    summary: 'Search one index with the parameters in the query string',
    query: SearchQueryString,
    errors: SEARCH_ERRORS,
    handler: (context, request) => search(context, request, bodyOfQueryString(request.query)),
  }),
];
