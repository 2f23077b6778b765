/** What is counted of searches of one index, of several, for facets and for similar documents. */
import { normalizeLocale } from '../model/locales.ts';
import type { MultiSearchBody } from '../model/schemas/multi-search-schema.ts';
import type { SearchBody, SearchQueryString } from '../model/schemas/search-schema.ts';
import { type EndedRequest, hasSucceeded, isGiven, lengthOf } from './ended-request.ts';
import { filterSyntax, filterText, TEXT_MAX } from './filter-usage.ts';
import {
  average,
  distinctTexts,
  ever,
  type Figure,
  figure,
  maximum,
  mostUsed,
  percentile99,
  seen,
  total,
} from './measures.ts';

/** Parameters of either form of a search; none where it was refused unread. */
type SearchParameters = Partial<SearchBody & SearchQueryString>;

interface Search {
  readonly request: EndedRequest;
  readonly asked: SearchParameters;
  readonly filter: string;
}

export const searchOf = (request: EndedRequest): Search => {
  const asked = (request.body ?? request.query ?? {}) as SearchParameters;
  return { request, asked, filter: filterText(asked.filter) };
};

const wordCount = (q: string): number => q.slice(0, TEXT_MAX).trim().split(/\s+/).length;

const isExcluding = (q: string): boolean => /(^|\s)-\S/.test(q.slice(0, TEXT_MAX));

const mostUsedSyntax: Figure<Search> = figure(mostUsed, ({ asked }) => filterSyntax(asked.filter));

const requestFigures: Readonly<Record<string, Figure<EndedRequest>>> = {
  'requests.99th_response_time': figure(percentile99, (request) =>
    hasSucceeded(request) ? request.durationMs : undefined,
  ),
  'requests.total_received': figure(total, () => 1),
  'requests.total_succeeded': figure(total, (request) => Number(hasSucceeded(request))),
  'requests.total_failed': figure(total, (request) => Number(!hasSucceeded(request))),
  'requests.total_degraded': figure(total, ({ isDegraded }) => Number(isDegraded)),
};

/** Counts of requests of any facts that hold one. */
const ofRequests = <Fact extends { readonly request: EndedRequest }>(): Record<
  string,
  Figure<Fact>
> =>
  Object.fromEntries(
    Object.entries(requestFigures).map(([name, { measure, of }]) => [
      name,
      { measure, of: ({ request }: Fact) => of(request) },
    ]),
  );

const uses = (of: (asked: SearchParameters) => boolean): Figure<Search> =>
  figure(ever, ({ asked }) => of(asked));
const greatest = (of: (asked: SearchParameters) => number | undefined): Figure<Search> =>
  figure(maximum, ({ asked }) => of(asked));

export const searchFigures: Readonly<Record<string, Figure<Search>>> = {
  ...ofRequests<Search>(),
  'requests.total_used_negative_operator': figure(total, ({ asked: { q } }) =>
    Number(typeof q === 'string' && isExcluding(q)),
  ),
  'sort.with_geoPoint': uses(
    ({ sort }) =>
      Array.isArray(sort) && sort.some((criterion) => criterion.startsWith('_geoPoint')),
  ),
  'sort.avg_criteria_number': figure(average, ({ asked: { sort } }) => lengthOf(sort)),
  'filter.with_geoRadius': figure(ever, ({ filter }) => filter.includes('_geoRadius')),
  'filter.with_geoBoundingBox': figure(ever, ({ filter }) => filter.includes('_geoBoundingBox')),
  'filter.on_vectors': figure(ever, ({ filter }) => filter.includes('_vectors')),
  'filter.most_used_syntax': mostUsedSyntax,
  'q.max_terms_number': greatest(({ q }) => (typeof q === 'string' ? wordCount(q) : undefined)),
  'pagination.max_limit': greatest(({ limit, hitsPerPage }) => hitsPerPage ?? limit),
  'pagination.max_offset': greatest(({ offset }) => offset),
  'pagination.most_used_navigation': figure(mostUsed, ({ asked: { page, hitsPerPage } }) =>
    isGiven(page) || isGiven(hitsPerPage) ? 'exhaustive' : 'estimated',
  ),
  'formatting.max_attributes_to_retrieve': greatest((asked) =>
    lengthOf(asked.attributesToRetrieve),
  ),
  'formatting.max_attributes_to_highlight': greatest((asked) =>
    lengthOf(asked.attributesToHighlight),
  ),
  'formatting.max_attributes_to_crop': greatest((asked) => lengthOf(asked.attributesToCrop)),
  'formatting.highlight_pre_tag': uses((asked) => isGiven(asked.highlightPreTag)),
  'formatting.highlight_post_tag': uses((asked) => isGiven(asked.highlightPostTag)),
  'formatting.crop_length': uses((asked) => isGiven(asked.cropLength)),
  'formatting.crop_marker': uses((asked) => isGiven(asked.cropMarker)),
  'formatting.show_matches_position': uses((asked) => asked.showMatchesPosition === true),
  'facets.avg_facets_number': figure(average, ({ asked: { facets } }) => lengthOf(facets)),
  'scoring.show_ranking_score': uses((asked) => asked.showRankingScore === true),
  'scoring.show_ranking_score_details': uses((asked) => asked.showRankingScoreDetails === true),
  'scoring.ranking_score_threshold': uses((asked) => isGiven(asked.rankingScoreThreshold)),
  'attributes_to_search_on.total_number_of_uses': figure(total, ({ asked }) =>
    Number(isGiven(asked.attributesToSearchOn)),
  ),
  'matching_strategy.most_used_strategy': figure(
    mostUsed,
    ({ asked: { matchingStrategy } }) => matchingStrategy,
  ),
  distinct: uses((asked) => isGiven(asked.distinct)),
  locales: figure(seen, ({ asked: { locales } }) =>
    locales?.flatMap((locale) => normalizeLocale(locale) ?? []),
  ),
  'vector.max_vector_size': greatest(({ vector }) => lengthOf(vector)),
  'vector.retrieve_vectors': uses((asked) => asked.retrieveVectors === true),
  'hybrid.enabled': uses((asked) => isGiven(asked.hybrid) || isGiven(asked.hybridEmbedder)),
  'hybrid.semantic_ratio': uses(
    (asked) => isGiven(asked.hybrid?.semanticRatio) || isGiven(asked.hybridSemanticRatio),
  ),
  'hybrid.total_media': figure(total, ({ asked: { media } }) => Number(isGiven(media))),
};

interface MultiSearch {
  readonly request: EndedRequest;
  readonly queries: MultiSearchBody['queries'];
  readonly isFederated: boolean;
}

export const multiSearchOf = (request: EndedRequest): MultiSearch => {
  const { queries = [], federation } = (request.body ?? {}) as Partial<MultiSearchBody>;
  return { request, queries, isFederated: isGiven(federation) };
};

const distinctCount = (values: readonly (string | null | undefined)[]): number =>
  new Set(values.filter(isGiven)).size;
const indexesOf = ({ queries }: MultiSearch): number =>
  distinctCount(queries.map(({ indexUid }) => indexUid));
const remotesOf = ({ queries }: MultiSearch): string[] =>
  queries.flatMap(({ federationOptions }) => federationOptions?.remote ?? []);

export const multiSearchFigures: Readonly<Record<string, Figure<MultiSearch>>> = {
  ...ofRequests<MultiSearch>(),
  'searches.total_search_count': figure(total, ({ queries }) => queries.length),
  'searches.avg_search_count': figure(average, ({ queries }) => queries.length),
  'indexes.avg_distinct_index_count': figure(average, indexesOf),
  'indexes.total_distinct_index_count': figure(total, indexesOf),
  'indexes.total_single_index': figure(total, (search) => Number(indexesOf(search) === 1)),
  'federation.use_federation': figure(ever, ({ isFederated }) => isFederated),
  'remotes.total_distinct_remote_count': figure(distinctTexts, remotesOf),
  'remotes.avg_distinct_remote_count': figure(average, (search) =>
    distinctCount(remotesOf(search)),
  ),
  'scoring.show_ranking_score': figure(ever, ({ queries }) =>
    queries.some(({ showRankingScore }) => showRankingScore === true),
  ),
};

/** Members of a facet search beside the words. */
const FACET_SEARCH_BASICS = ['facetName', 'facetQuery'];

export const facetSearchFigures: Readonly<Record<string, Figure<Search>>> = {
  ...ofRequests<Search>(),
  'facets.total_distinct_facet_count': figure(distinctTexts, ({ asked }) => {
    const { facetName } = asked as { readonly facetName?: unknown };
    return typeof facetName === 'string' ? [facetName] : undefined;
  }),
  'facets.additional_search_parameters_provided': uses((asked) =>
    Object.keys(asked).some((name) => !FACET_SEARCH_BASICS.includes(name)),
  ),
};

export const similarFigures: Readonly<Record<string, Figure<Search>>> = {
  ...ofRequests<Search>(),
  'filter.most_used_syntax': mostUsedSyntax,
  'pagination.max_limit': greatest(({ limit }) => limit),
  'pagination.max_offset': greatest(({ offset }) => offset),
  'vector.retrieve_vectors': uses((asked) => asked.retrieveVectors === true),
};
