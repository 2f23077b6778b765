/**
 * The vector part of a search: chooses keyword, hybrid or vector search from a body, and computes
 * the vector (relevance.md 7.1).
 */
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { knownDimensions } from '../../model/embedders/embedder-dimensions.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { parseShortFilter } from '../../model/filter/parse-filter.ts';
import { isBlank } from '../../model/query-words.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import {
  SEMANTIC_RATIO_DEFAULT,
  type SearchRequest,
  type SemanticQuery,
} from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireProvider } from './require-provider.ts';

/**
 * null for a keyword search. Without a given vector, the vector of words and media is computed
 * later (`withQueryVector`). Throws `ApiError`.
 */
export function semanticQueryOf(body: SearchBody, settings: Settings): SemanticQuery | null {
  const { hybrid, vector, q } = body;
  const media = body.media ?? null;
  if (!hybrid) {
    if (!vector && media === null) return null;
    throw new ApiError(
      'missing_search_hybrid',
      `\`${vector ? 'vector' : 'media'}\` also needs \`hybrid\` with the name of an embedder.`,
    );
  }
  const { embedder, semanticRatio = SEMANTIC_RATIO_DEFAULT, semanticThreshold } = hybrid;
  if (semanticRatio === 0 || (isBlank(q) && !vector && media === null)) return null;
  const declared = requireProvider(
    'Embedder',
    settings.embedders,
    embedder,
    'invalid_search_embedder',
  );
  return {
    embedder,
    ratio: isBlank(q) ? 1 : semanticRatio,
    vector: vector ? givenVector(vector, embedder, declared) : null,
    ...(semanticThreshold !== undefined && { threshold: semanticThreshold }),
    ...(media !== null && { media }),
  };
}

function givenVector(
  given: readonly number[],
  embedder: string,
  declared: EmbedderSettings,
): Float32Array {
  const dimensions = knownDimensions(declared);
  if (dimensions !== null && given.length !== dimensions)
    throw new ApiError(
      'invalid_vector_dimensions',
      `\`vector\` has ${given.length} dimensions; the embedder \`${embedder}\` has ${dimensions}.`,
    );
  const vector = Float32Array.from(given);
  const tooLarge = vector.findIndex((value) => !Number.isFinite(value));
  if (tooLarge < 0) return vector;
  throw new ApiError(
    'invalid_search_vector',
    `\`vector[${tooLarge}]\` is ${given[tooLarge]}, expected a number that a 32-bit float holds, from -3.4e38 to 3.4e38.`,
  );
}

/**
 * The request with the vector of its words and media, if it needs one. A hybrid search continues as
 * a keyword search if the embedder fails. @param caller its signal ends the wait. @throws ApiError
 * `invalid_search_filter` before the embedder is asked, `vector_embedding_error` for a pure vector
 * search
 */
export async function withQueryVector(
  { embedders }: ApiContext,
  index: PublishedIndex,
  request: SearchRequest,
  caller: Pick<Requester, 'signal'>,
): Promise<SearchRequest> {
  const { q, filter } = request;
  if (request.semantic === null || request.semantic.vector !== null) return request;
  if (filter !== null) parseShortFilter(filter);
  const { media = null, ...semantic } = request.semantic;
  const hasWords = semantic.ratio < 1;
  try {
    const query = { q: isBlank(q) ? null : q, media };
    const { embedder } = semantic;
    const vector = await embedders.embedQuery(index.manifest, embedder, query, {
      isOptional: hasWords,
      requestEnd: caller.signal,
    });
    return { ...request, semantic: { ...semantic, vector } };
  } catch (error) {
    if (caller.signal?.aborted === true) throw error;
    if (hasWords && error instanceof ApiError) return { ...request, semantic };
    throw error;
  }
}
