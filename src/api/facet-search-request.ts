/** Turns a validated facet search body into the request that query threads take. */
import { limits } from '../core/limits.ts';
import type { FacetSearchBody } from '../model/facet-search-schema.ts';
import type { FacetSearchRequest } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import { toSearchRequest } from './search-request.ts';

/** Hits that are ranked where the candidates depend on them. */
const RANKED_HITS = limits.pageItemsDefault;

/** Parameters as of `toSearchRequest`. Throws `ApiError`. */
export function toFacetSearchRequest(body: FacetSearchBody, settings: Settings, binding: unknown): FacetSearchRequest {
  const { facetName, facetQuery, exhaustiveFacetCount, q, filter, matchingStrategy, attributesToSearchOn } = body;
  const { rankingScoreThreshold, locales, vector, hybrid, media, useNetwork } = body;
  const search = toSearchRequest(
    {
      ...(matchingStrategy === undefined ? {} : { matchingStrategy }),
      q: q ?? null,
      filter: filter ?? null,
      attributesToSearchOn: attributesToSearchOn ?? null,
      rankingScoreThreshold: rankingScoreThreshold ?? null,
      locales: locales ?? null,
      vector: vector ?? null,
      hybrid: hybrid ?? null,
      media: media ?? null,
      useNetwork: useNetwork ?? null,
    },
    settings,
    binding,
  );
  const dependsOnHits = search.rankingScoreThreshold !== null || settings.distinctAttribute !== null;
  return {
    facetName,
    facetQuery: facetQuery ?? null,
    search: {
      ...search,
      q: isSemantic(body) ? null : search.q,
      limit: dependsOnHits ? RANKED_HITS : 0,
      page: exhaustiveFacetCount === true && dependsOnHits ? 0 : null,
    },
  };
}

/** Where vectors take part, all documents that pass the filter count. */
const isSemantic = ({ hybrid }: FacetSearchBody): boolean =>
  hybrid !== null && hybrid !== undefined && hybrid.semanticRatio !== 0;
