/** Routes for similar documents: both forms are converted to the same request to a query thread. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { bothFilters, filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import { DOCUMENT_ID, isDocumentId } from '../../model/schemas/schema.ts';
import { SimilarBody, SimilarQueryString } from '../../model/schemas/similar-schema.ts';
import type { SimilarRequest } from '../../model/search.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, QUERY_ERRORS, type Route, type RouteRequest } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import { requireProvider } from '../searches/require-provider.ts';
import {
  refuseInvalidFilter,
  type SearchConditions,
  searchConditions,
} from '../searches/search-request.ts';

/** null for a value that is no document id. */
function idOf(value: unknown): string | null {
  const id = typeof value === 'string' || Number.isInteger(value) ? String(value) : '';
  return isDocumentId(id) ? id : null;
}

function toSimilarRequest(
  body: SimilarBody,
  { settings, binding, features }: SearchConditions,
): SimilarRequest {
  requireProvider('Embedder', settings.embedders, body.embedder, 'invalid_similar_embedder');
  const id = idOf(body.id);
  if (id === null) {
    refuseInvalidFilter(body, features, 'invalid_similar_filter');
    throw new ApiError(
      'invalid_similar_id',
      `\`id\` is ${JSON.stringify(body.id).slice(0, 80)}; an id is an integer, or ${DOCUMENT_ID.expects}.`,
    );
  }
  const bindingForm = filterForm(binding, 'invalid_similar_filter');
  const form = bothFilters(binding, body.filter, 'invalid_similar_filter');
  return {
    id,
    embedder: body.embedder,
    offset: body.offset ?? 0,
    limit: body.limit ?? limits.pageItemsDefault,
    filter: unparsedFilter(form, features),
    binding: unparsedFilter(bindingForm, features),
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    showPerformanceDetails: body.showPerformanceDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
  };
}

const SIMILAR_ERRORS: readonly ErrorCode[] = [
  'index_not_found',
  'not_found_similar_id',
  ...QUERY_ERRORS,
];

async function similar(
  context: ApiContext,
  {
    params,
    access,
    receivedAtMs,
    caller,
  }: RouteRequest<{ readonly indexUid: string }, unknown, unknown>,
  body: SimilarBody,
): Promise<Answer> {
  const index = requireIndex(context, params.indexUid);
  const request = toSimilarRequest(body, searchConditions(context, index, access));
  const spentMs = context.clock.monotonic() - receivedAtMs;
  const work = { kind: 'similar', request, spentMs } as const;
  const bytes = await readIndex(context, { index, work, access }, caller);
  return { status: 200, bytes };
}

export const similarRoutes: readonly Route[] = [
  defineRoute({
    id: 'similar.post',
    endpoint: 'POST /indexes/:indexUid/similar',
    action: 'search',
    summary: 'Find documents similar to a document',
    body: SimilarBody,
    errors: SIMILAR_ERRORS,
    handler: (context, request) => similar(context, request, request.body),
  }),
  defineRoute({
    id: 'similar.get',
    endpoint: 'GET /indexes/:indexUid/similar',
    action: 'search',
    summary: 'Find documents similar to a document, with the parameters in the query string',
    query: SimilarQueryString,
    errors: SIMILAR_ERRORS,
    handler: (context, request) => similar(context, request, request.query),
  }),
];
