/** Converts a validated search body or query string to the request for query threads. */
import type { Access } from '../../auth/access.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { givenMembers, isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { AliasTable } from '../../model/alias.ts';
import type { Features } from '../../model/features.ts';
import {
  bothFilters,
  filterForm,
  type UnparsedFilter,
  unparsedFilter,
} from '../../model/filter/filter-form.ts';
import type { FilterFeatures, FilterNode } from '../../model/filter/filter-node.ts';
import { parseShortFilter } from '../../model/filter/parse-filter.ts';
import { ruleNamesOf } from '../../model/index-manifest.ts';
import { normalizeLocale } from '../../model/locales.ts';
import {
  effectsOf,
  NO_EFFECTS,
  type PreparedRules,
  type RuledSearch,
  type RuleEffects,
} from '../../model/rule-pins.ts';
import type { SearchBody, SearchQueryString } from '../../model/schemas/search-schema.ts';
import { DEFAULT_SEARCH_REQUEST, type Diversity, type SearchRequest } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { requireIndex } from './index-reader.ts';
import { parseAggregations } from './parse-aggregations.ts';
import { parseSort } from './parse-sort.ts';
import { requireProvider } from './require-provider.ts';
import { parseRerank } from './reranked-search.ts';
import { semanticQueryOf } from './semantic-query.ts';

const ruleEffects = (
  rules: PreparedRules,
  { q, nowMs }: Pick<RuledSearch, 'q' | 'nowMs'>,
  filter: UnparsedFilter | null,
): RuleEffects =>
  effectsOf(rules, { q, nowMs, filter: () => (filter === null ? null : parsed(filter)) });

/** null also for an invalid filter, which the search refuses later. */
function parsed(filter: UnparsedFilter): FilterNode | null {
  try {
    return parseShortFilter(filter);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * The index of a search. `useNetwork` without the network and an invalid filter are refused before
 * a missing index.
 *
 * @throws ApiError
 */
export function requireSearchedIndex(
  context: ApiContext,
  uid: string,
  body: Pick<SearchBody, 'filter' | 'useNetwork'>,
): PublishedIndex {
  const { indexes, features } = context;
  checkNetwork(body, features);
  if (indexes.get(uid) === undefined) refuseInvalidFilter(body, features);
  return requireIndex(context, uid);
}

/** @throws ApiError with the code for an invalid filter, unless it is long */
export function refuseInvalidFilter(
  { filter }: Pick<SearchBody, 'filter'>,
  features: FilterFeatures,
  code: ErrorCode = 'invalid_search_filter',
): void {
  const unparsed = unparsedFilter(filterForm(filter, code), features);
  if (unparsed !== null) parseShortFilter(unparsed, code);
}

/** Members whose form in the request is another one than in the body. */
const CONVERTED: ReadonlySet<string> = new Set<keyof SearchRequest>([
  'attributesToRetrieve',
  'locales',
  'filter',
  'sort',
  'aggregations',
  'diversity',
  'rerank',
]);
/** Members that are copied from the body; null and absent ones have the default. */
const COPIED: ReadonlySet<string> = new Set(
  Object.keys(DEFAULT_SEARCH_REQUEST).filter((name) => !CONVERTED.has(name)),
);

/** null, which means all; also for a list that contains `*`. */
const namedAttributes = (names: readonly string[] | null | undefined): readonly string[] | null =>
  !isGiven(names) || names.includes('*') ? null : names;

function localesOf(codes: readonly string[] | null | undefined): readonly string[] | null {
  if (!isGiven(codes) || codes.length === 0) return null;
  return codes.map((code) => normalizeLocale(code) ?? code);
}

function checkFeatures(
  body: SearchBody,
  { multimodal, network }: Pick<Features, 'multimodal' | 'network'>,
): void {
  if (isGiven(body.media)) {
    if (body.vector)
      throw new ApiError(
        'invalid_search_media_and_vector',
        '`media` and `vector` exclude each other; give one of them.',
      );
    if (body.hybrid) requireFeature({ multimodal }, 'multimodal', '`media`');
  }
  checkNetwork(body, { network });
}

function checkNetwork(
  { useNetwork }: Pick<SearchBody, 'useNetwork'>,
  { network }: Pick<Features, 'network'>,
): void {
  if (isGiven(useNetwork)) requireFeature({ network }, 'network', '`useNetwork`');
}

/** The inputs of a search besides its body. */
export interface SearchConditions {
  readonly settings: Settings;
  /** JSON form of a filter that applies in addition to that of the body; null = none. */
  readonly binding: unknown;
  readonly features: FilterFeatures & Pick<Features, 'multimodal' | 'network' | 'legacySearch'>;
  /** Applicable search rules; null = none. */
  readonly rules: PreparedRules | null;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** @param aliases names that rules may have for the index, besides its own */
export const searchConditions = (
  { features, searchRules, clock, aliases: current }: ApiContext,
  { manifest }: PublishedIndex,
  access: Access,
  aliases: Pick<AliasTable, 'namesOf'> = current,
): SearchConditions => ({
  settings: manifest.settings,
  binding: access.searchFilter(manifest.uid),
  features,
  rules: features.dynamicSearchRules
    ? searchRules.preparedFor([...ruleNamesOf(manifest), ...aliases.namesOf(manifest.uid)])
    : null,
  nowMs: clock.now(),
});

const STRENGTH_DEFAULT = 0.5;
const DIVERSITY_CODE = 'invalid_search_diversity';

/** `diversity`, checked beyond its schema; null if not given. @throws ApiError */
function parseDiversity(
  { diversity, groupBy }: Pick<SearchBody, 'diversity' | 'groupBy'>,
  settings: Settings,
): Diversity | null {
  if (!isGiven(diversity)) return null;
  const { attribute, embedder } = diversity;
  const { strength = STRENGTH_DEFAULT, limit = limits.diversityDefault } = diversity;
  if (isGiven(groupBy)) {
    throw new ApiError(
      DIVERSITY_CODE,
      `\`diversity\` and \`groupBy\` (\`${groupBy}\`) exclude each other; give one of them. \`distinct\` is possible with \`diversity\`.`,
    );
  }
  if (attribute !== undefined && embedder === undefined) return { attribute, strength, limit };
  if (embedder !== undefined && attribute === undefined) {
    requireProvider('Embedder', settings.embedders, embedder, DIVERSITY_CODE);
    return { embedder, strength, limit };
  }
  const found = attribute === undefined ? 'neither' : `\`${attribute}\` and \`${embedder}\``;
  throw new ApiError(
    DIVERSITY_CODE,
    `\`diversity\` takes one of \`attribute\` and \`embedder\`; it has ${found}.`,
  );
}

/** @throws ApiError for the first fault in the order filter, `hybrid` and `vector`, `sort` */
function semanticAndSort(
  body: SearchBody,
  settings: Settings,
  filter: UnparsedFilter | null,
): Pick<SearchRequest, 'semantic' | 'sort'> {
  try {
    const semantic = semanticQueryOf(body, settings);
    return { semantic, sort: parseSort(body.sort, 'invalid_search_sort') };
  } catch (error) {
    if (filter !== null) parseShortFilter(filter);
    throw error;
  }
}

export function toSearchRequest(
  body: SearchBody,
  { settings, binding, features, rules, nowMs }: SearchConditions,
): SearchRequest {
  checkFeatures(body, features);
  const form = bothFilters(binding, body.filter, 'invalid_search_filter');
  const filter = unparsedFilter(form, features);
  const { semantic, sort } = semanticAndSort(body, settings, filter);
  const { pins, hidden } =
    rules === null ? NO_EFFECTS : ruleEffects(rules, { q: body.q ?? null, nowMs }, filter);
  const request: Record<string, unknown> = {
    ...DEFAULT_SEARCH_REQUEST,
    matchingStrategy: settings.matchingStrategy,
    totalMax: features.legacySearch ? settings.pagination.maxTotalHits : null,
    attributesToRetrieve: namedAttributes(body.attributesToRetrieve),
    locales: localesOf(body.locales),
    filter,
    aggregations: body.aggregations ? parseAggregations(body.aggregations, features) : null,
    diversity: parseDiversity(body, settings),
    rerank: parseRerank(body, settings),
    pins,
    hidden,
    sort,
    semantic,
  } satisfies SearchRequest;
  for (const name in body) {
    const value = body[name as keyof SearchBody];
    if (isGiven(value) && COPIED.has(name)) request[name] = value;
  }
  return request as unknown as SearchRequest;
}

/** The body that is equivalent to a query string. */
export function bodyOfQueryString(query: SearchQueryString): SearchBody {
  const {
    hybridEmbedder,
    hybridSemanticRatio: semanticRatio,
    hybridSemanticThreshold: semanticThreshold,
    personalizeUserContext,
    profile: _,
    ...same
  } = query;
  for (const name of ['hybridSemanticRatio', 'hybridSemanticThreshold'] as const) {
    if (query[name] === undefined || hybridEmbedder !== undefined) continue;
    throw new ApiError('invalid_search_hybrid_query', `\`${name}\` also needs \`hybridEmbedder\`.`);
  }
  if (query.vector !== undefined && hybridEmbedder === undefined)
    throw new ApiError('missing_search_hybrid', '`vector` also needs `hybridEmbedder`.');
  return {
    ...same,
    ...(hybridEmbedder !== undefined && {
      hybrid: givenMembers<NonNullable<SearchBody['hybrid']>>({
        embedder: hybridEmbedder,
        semanticRatio,
        semanticThreshold,
      }),
    }),
    ...(personalizeUserContext !== undefined && {
      personalize: { userContext: personalizeUserContext },
    }),
  };
}
