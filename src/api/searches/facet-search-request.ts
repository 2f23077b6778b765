/** Converts a validated facet search body to the request for query threads. */
import { limits } from '../../core/limits.ts';
import {
  FACET_SEARCH_MEMBERS,
  type FacetSearchBody,
} from '../../model/schemas/facet-search-schema.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { FacetSearchRequest } from '../../model/search.ts';
import { type SearchConditions, toSearchRequest } from './search-request.ts';

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
  const search = toSearchRequest(searchBodyOf(body), { ...conditions, rules: null });
  const dependsOnHits =
    search.rankingScoreThreshold !== null || conditions.settings.distinctAttribute !== null;
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

/**
 * In vector search all documents that pass the filter are candidates, unless there is a threshold.
 */
const isSemantic = ({ hybrid }: FacetSearchBody): boolean =>
  hybrid !== null &&
  hybrid !== undefined &&
  hybrid.semanticRatio !== 0 &&
  hybrid.semanticThreshold === undefined;
