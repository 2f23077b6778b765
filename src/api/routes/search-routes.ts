/** Search routes: both forms are converted to the same request to a query thread. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { SearchBody, SearchOptions, SearchQueryString } from '../../model/schemas/search-schema.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, QUERY_ERRORS, type Route, type RouteRequest } from '../contract/route.ts';
import { answeredSearch } from '../searches/answered-search.ts';
import { bodyOfQueryString, requireSearchedIndex } from '../searches/search-request.ts';

export const SEARCH_ERRORS: readonly ErrorCode[] = [
  'index_not_found',
  'feature_not_enabled',
  'vector_embedding_error',
  'invalid_vector_dimensions',
  'missing_search_hybrid',
  ...QUERY_ERRORS,
];

const search = async (
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
): Promise<Answer> => ({
  status: 200,
  bytes: await answeredSearch(context, {
    index: requireSearchedIndex(context, params.indexUid, body),
    body,
    showsProfile: query.profile === true,
    headers,
    access,
    caller,
    aliases: context.aliases,
    arrivedAtMs: receivedAtMs,
    cutoffSinceMs: undefined,
  }),
});

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
