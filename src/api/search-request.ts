/** Turns a validated search body or query string into the request that query threads take. */
import { ApiError } from '../core/errors.ts';
import { normalizeLocale, supportedLocales } from '../model/locales.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../model/search.ts';
import type { SearchBody, SearchQueryString } from '../model/search-schema.ts';
import type { Settings } from '../model/settings.ts';
import { bothFilters, checkFilterShape } from './filter-shape.ts';
import { checkSortCriteria } from './sort-criteria.ts';

const DEFAULTS = DEFAULT_SEARCH_REQUEST;
const SEMANTIC_RATIO_DEFAULT = 0.5;

/** null, which means all, also for a list that names `*`. */
const namedAttributes = (names: readonly string[] | null | undefined): readonly string[] | null =>
  names === null || names === undefined || names.includes('*') ? null : names;

function localesOf(codes: readonly string[] | null | undefined): readonly string[] | null {
  if (codes === null || codes === undefined || codes.length === 0) return null;
  return codes.map((code) => {
    const locale = normalizeLocale(code);
    if (locale !== null) return locale;
    throw new ApiError(
      'invalid_search_locales',
      `\`locales\` names \`${code}\`; it takes: ${supportedLocales().join(', ')}.`,
    );
  });
}

const isBlank = (q: string | null | undefined): boolean => q === null || q === undefined || q.trim() === '';

const featureOff = (field: string, feature: string): ApiError =>
  new ApiError(
    'feature_not_enabled',
    `\`${field}\` needs the experimental feature \`${feature}\`, which this server does not offer.`,
  );

function checkFeatures(body: SearchBody): void {
  if (body.media !== null && body.media !== undefined) {
    if (body.vector)
      throw new ApiError(
        'invalid_search_media_and_vector',
        '`media` and `vector` exclude each other; give one of them.',
      );
    throw featureOff('media', 'multimodal');
  }
  if (body.personalize) throw featureOff('personalize', 'personalization');
  if (body.useNetwork !== null && body.useNetwork !== undefined) throw featureOff('useNetwork', 'network');
}

/**
 * Checks the vector side of a request. What passes is answered by keywords alone: that is the whole answer of a hybrid search
 * whose embedder yields nothing.
 */
function checkSemantics(body: SearchBody, settings: Settings): void {
  const { hybrid, vector, q } = body;
  if (!hybrid) {
    if (vector)
      throw new ApiError('missing_search_hybrid', '`vector` needs `hybrid` with the name of an embedder beside it.');
    return;
  }
  const ratio = hybrid.semanticRatio ?? SEMANTIC_RATIO_DEFAULT;
  if (ratio === 0 || (isBlank(q) && !vector)) return;
  if (!Object.hasOwn(settings.embedders, hybrid.embedder)) {
    const known = Object.keys(settings.embedders).map((name) => `\`${name}\``);
    throw new ApiError(
      'invalid_search_embedder',
      `The index has no embedder \`${hybrid.embedder}\`; it has ${known.join(', ') || 'none'}.`,
    );
  }
  if (ratio === 1 || isBlank(q)) {
    throw new ApiError(
      'vector_embedding_error',
      `The embedder \`${hybrid.embedder}\` yields no vectors to search with.`,
    );
  }
}

/**
 * @param settings of the index that is searched
 * @param binding filter that holds beside that of the body, null for none
 * Throws `ApiError`.
 */
export function toSearchRequest(body: SearchBody, settings: Settings, binding: unknown): SearchRequest {
  checkFeatures(body);
  checkSemantics(body, settings);
  checkFilterShape(body.filter, 'invalid_search_filter');
  checkFilterShape(binding, 'invalid_search_filter');
  if (body.sort) checkSortCriteria(body.sort, 'invalid_search_sort');
  return {
    q: body.q ?? null,
    offset: body.offset ?? DEFAULTS.offset,
    limit: body.limit ?? DEFAULTS.limit,
    page: body.page ?? null,
    hitsPerPage: body.hitsPerPage ?? null,
    attributesToRetrieve: namedAttributes(body.attributesToRetrieve),
    attributesToSearchOn: namedAttributes(body.attributesToSearchOn),
    matchingStrategy: body.matchingStrategy ?? DEFAULTS.matchingStrategy,
    showRankingScore: body.showRankingScore ?? false,
    showRankingScoreDetails: body.showRankingScoreDetails ?? false,
    rankingScoreThreshold: body.rankingScoreThreshold ?? null,
    locales: localesOf(body.locales),
    attributesToHighlight: body.attributesToHighlight ?? null,
    attributesToCrop: body.attributesToCrop ?? null,
    cropLength: body.cropLength ?? DEFAULTS.cropLength,
    cropMarker: body.cropMarker ?? DEFAULTS.cropMarker,
    highlightPreTag: body.highlightPreTag ?? DEFAULTS.highlightPreTag,
    highlightPostTag: body.highlightPostTag ?? DEFAULTS.highlightPostTag,
    showMatchesPosition: body.showMatchesPosition ?? false,
    filter: bothFilters(binding, body.filter),
    sort: body.sort ?? null,
    distinct: body.distinct ?? null,
    facets: body.facets ?? null,
    retrieveVectors: body.retrieveVectors ?? false,
  };
}

/** The body that says the same as a query string. */
export function bodyOfQueryString(query: SearchQueryString): SearchBody {
  const { hybridEmbedder, hybridSemanticRatio, personalizeUserContext, ...same } = query;
  if (hybridSemanticRatio !== undefined && hybridEmbedder === undefined) {
    throw new ApiError('invalid_search_hybrid_query', '`hybridSemanticRatio` needs `hybridEmbedder` beside it.');
  }
  return {
    ...same,
    ...(hybridEmbedder === undefined
      ? {}
      : {
          hybrid: {
            embedder: hybridEmbedder,
            ...(hybridSemanticRatio === undefined ? {} : { semanticRatio: hybridSemanticRatio }),
          },
        }),
    ...(personalizeUserContext === undefined ? {} : { personalize: { userContext: personalizeUserContext } }),
  };
}
