/**
 * Converts a validated body or query string for similar documents to the request for query threads.
 */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { bothForms, filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import { isDocumentId } from '../../model/schemas/schema.ts';
import type { SimilarBody } from '../../model/schemas/similar-schema.ts';
import type { SimilarRequest } from '../../model/search.ts';
import type { SearchConditions } from './search-request.ts';
import { requireEmbedder } from './semantic-query.ts';

/** Throws `ApiError`. */
export function toSimilarRequest(
  body: SimilarBody,
  { settings, binding, features }: SearchConditions,
): SimilarRequest {
  requireEmbedder(settings, body.embedder, 'invalid_similar_embedder');
  const id = String(body.id);
  if (!isDocumentId(id)) {
    throw new ApiError(
      'invalid_similar_id',
      `\`id\` is ${JSON.stringify(id.slice(0, 80))}; an id is an integer, or 1 to ${limits.documentIdBytesMax} characters out of \`A-Z a-z 0-9 _ -\`.`,
    );
  }
  const form = bothForms(
    filterForm(binding, 'invalid_similar_filter'),
    filterForm(body.filter, 'invalid_similar_filter'),
  );
  return {
    id,
    embedder: body.embedder,
    offset: body.offset ?? 0,
    limit: body.limit ?? limits.pageItemsDefault,
    filter: unparsedFilter(form, features),
    attributesToRetrieve: body.attributesToRetrieve ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    showPerformanceDetails: body.showPerformanceDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
  };
}
