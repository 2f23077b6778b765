/**
 * Facet search: values of a facet that start with a text, with their counts among the documents of
 * a search (relevance.md 5.8).
 */
import { compareCodePoints } from '../core/compare-text.ts';
import type { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { partitionPoint } from '../core/partition-point.ts';
import { compareBytes, encodeUtf8 } from '../engine/bytes/utf8.ts';
import { isFieldOrBelow } from '../model/attribute-pattern.ts';
import { localesOfPath } from '../model/localized-attributes.ts';
import type { FacetOrder, FacetSearchRequest } from '../model/search.ts';
import type { Settings } from '../model/settings.ts';
import { executeSearch } from './execute-search.ts';
import { parsedFilter } from './filter/filter-evaluator.ts';
import { allowsFacetSearch, fieldRefusal, filterableRule } from './filter/filterable-fields.ts';
import { CACHE_KINDS } from './snapshot/cache-kinds.ts';
import type { FacetVocabulary } from './snapshot/cached-values.ts';
import { type FieldPart, FieldValues } from './snapshot/field-values.ts';
import { NO_FOREIGN_INDEXES } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { findByValue, spellingOf } from './values/facet-counts.ts';
import { facetOrder } from './values/facet-distribution.ts';
import {
  buildFacetVocabulary,
  type FacetQuery,
  findForms,
  formAt,
} from './values/facet-vocabulary.ts';
import { type CountedField, type FoundValue, STRINGS } from './values/merged-values.ts';
import { CountedDocuments } from './values/segment-counts.ts';

const VALUES_BETWEEN_LOOKS = 128;

export interface FacetHit {
  readonly value: string;
  readonly count: number;
}

/** @throws ApiError for the syntax of the filter first */
export function searchFacet(
  snapshot: IndexSnapshot,
  request: FacetSearchRequest,
  deadline: Deadline,
  foreign = NO_FOREIGN_INDEXES,
): FacetHit[] {
  const { settings } = snapshot.manifest;
  const { facetName } = request;
  if (!settings.facetSearch) {
    parsedFilter(request.search.filter, { code: 'invalid_search_filter', deadline });
    throw new ApiError(
      'facet_search_disabled',
      'Facet search is off for this index: its setting `facetSearch` is `false`.',
    );
  }
  const { candidates } = executeSearch(snapshot, request.search, deadline, null, foreign);
  checkFacetName(facetName, settings);
  const field = new FieldValues(snapshot, facetName);
  const counted = { snapshot, field, documents: new CountedDocuments(candidates, deadline) };
  const everywhere = new CountedDocuments(snapshot.live);
  const hits = findValues(counted, request, deadline).map((found) => ({
    value: spellingOf(field, inAllParts(field, found), everywhere),
    count: found.count,
  }));
  return orderOf(settings, request) === 'count' ? byCountAndSpelling(hits) : hits;
}

const orderOf = (settings: Settings, { facetName, search }: FacetSearchRequest): FacetOrder =>
  search.sortFacetValuesBy ?? facetOrder(settings, facetName);

/** Equal counts are in descending order of spelling, with upper case and spaces unchanged. */
const byCountAndSpelling = (hits: readonly FacetHit[]): FacetHit[] =>
  [...hits].sort((a, b) => b.count - a.count || compareCodePoints(b.value, a.value));

/** Finds the value also in parts where no counted document has it. */
function inAllParts({ parts }: FieldValues, { count, ordinals }: FoundValue): FoundValue {
  if (!ordinals.includes(-1)) return { count, ordinals };
  const part = ordinals.findIndex((ordinal) => ordinal >= 0);
  const value = parts[part]!.column.strings.bytesAt(ordinals[part]!).slice();
  return {
    count,
    ordinals: parts.map(({ column }, p) =>
      p === part ? ordinals[part]! : column.strings.find(value),
    ),
  };
}

/** The matching values, in the order of the answer. */
function findValues(
  counted: CountedField,
  request: FacetSearchRequest,
  deadline: Deadline,
): FoundValue[] {
  const { settings } = counted.snapshot.manifest;
  const order = orderOf(settings, request);
  const limit = settings.faceting.maxValuesPerFacet;
  const { facetQuery } = request;
  if (facetQuery === null || (facetQuery === '' && order === 'count'))
    return findByValue(counted, STRINGS, order, limit);
  if (facetQuery === '') return firstByForm(counted, order, limit, deadline);
  const matches = findMatches(counted, request, facetQuery, deadline);
  if (order === 'count') return findByValue(counted, STRINGS, order, limit, wantedOf(matches));
  return allByForm(counted, order, matches).slice(0, limit);
}

function checkFacetName(name: string, settings: Settings): void {
  const rule = filterableRule(settings, name);
  if (rule !== null && allowsFacetSearch(rule.features)) return;
  const problem = `Attribute \`${name}\` is not facet-searchable.`;
  const refusal = { code: 'invalid_facet_search_facet_name', problem } as const;
  throw fieldRefusal(settings, name, refusal, allowsFacetSearch);
}

/** Matches in one part of the field. */
interface PartMatches {
  readonly values: FacetVocabulary;
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** Ordinal → place among the normalised values. */
  readonly places: ReadonlyMap<number, number>;
}

function findMatches(
  { snapshot, field }: CountedField,
  request: FacetSearchRequest,
  facetQuery: string,
  deadline: Deadline,
): PartMatches[] {
  const locales = localesOfPath(snapshot.manifest.settings, field.path);
  const query = normalizedQuery(snapshot, request, facetQuery, locales);
  return field.parts.map((part) => {
    const values = facetVocabulary(snapshot, part, locales, deadline);
    const places = new Map<number, number>();
    const visit = (place: number) => void places.set(values.ordinals[place]!, place);
    findForms(values, query, visit, deadline.checkOnceIn(VALUES_BETWEEN_LOOKS));
    return matchesAt(values, places);
  });
}

/**
 * The first counted values by form, which all match the empty query. Reads forms from the least one on,
 * twice as many each time, until enough of them are counted.
 */
function firstByForm(
  counted: CountedField,
  order: FacetOrder,
  limit: number,
  deadline: Deadline,
): FoundValue[] {
  const { snapshot, field } = counted;
  const locales = localesOfPath(snapshot.manifest.settings, field.path);
  const parts = field.parts.map((part) => facetVocabulary(snapshot, part, locales, deadline));
  for (let places = Math.max(limit, 1) * 2; ; places *= 2) {
    deadline.check();
    const rest = leastFormAt(parts, places);
    const matches = parts.map((values) => matchesBefore(values, rest));
    const found = allByForm(counted, order, matches);
    if (rest === null || found.length >= limit) return found.slice(0, limit);
  }
}

const wantedOf = (matches: readonly PartMatches[]): Uint32Array[] =>
  matches.map(({ ordinals }) => ordinals);

/** All counted values among the matches, by form. */
const allByForm = (
  counted: CountedField,
  order: FacetOrder,
  matches: readonly PartMatches[],
): FoundValue[] =>
  byForm(
    findByValue(counted, STRINGS, order, Number.POSITIVE_INFINITY, wantedOf(matches)),
    matches,
  );

/** @param places in the vocabulary, by ordinal */
const matchesAt = (values: FacetVocabulary, places: PartMatches['places']): PartMatches => ({
  values,
  ordinals: Uint32Array.from(places.keys()).sort(),
  places,
});

/** The least of the forms at this place, or null when no part has as many. */
function leastFormAt(parts: readonly FacetVocabulary[], place: number): Uint8Array | null {
  let least: Uint8Array | null = null;
  for (const values of parts) {
    if (place >= values.count) continue;
    const form = formAt(values, place);
    if (least === null || compareBytes(form, least) < 0) least = form;
  }
  return least;
}

/** The values with a lesser form; all when it is null. */
function matchesBefore(values: FacetVocabulary, form: Uint8Array | null): PartMatches {
  const isBefore = (place: number) =>
    form === null || compareBytes(formAt(values, place), form) < 0;
  const end = partitionPoint(0, values.count, isBefore);
  const places = new Map<number, number>();
  for (let place = 0; place < end; place++) places.set(values.ordinals[place]!, place);
  return matchesAt(values, places);
}

/** Typos are allowed by the query's length in bytes. Only the beginning of a very long query counts. */
function normalizedQuery(
  { analyzer, manifest, wordLists }: IndexSnapshot,
  { facetName, search }: FacetSearchRequest,
  facetQuery: string,
  locales: readonly string[] | null,
): FacetQuery {
  const { enabled, minWordSizeForTypos, disableOnAttributes } = manifest.settings.typoTolerance;
  const { locales: requested } = search;
  const shared =
    locales === null || requested === null
      ? locales
      : locales.filter((locale) => requested.includes(locale));
  const examined = facetQuery.slice(0, limits.queryLengthExaminedMax);
  const text = analyzer.normalizeWhole(examined, shared);
  const isTolerant =
    enabled && !disableOnAttributes.some((name) => isFieldOrBelow(facetName, name));
  const bytes = encodeUtf8(text).length;
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  const typosMax = !isTolerant || bytes < oneTypo ? 0 : bytes < twoTypos ? 1 : 2;
  return { text, isExact: isTolerant && wordLists.protectedWords.has(text), typosMax };
}

/**
 * The normalised values of a part, cached for later searches, including later generations that have
 * the same file.
 */
function facetVocabulary(
  snapshot: IndexSnapshot,
  part: FieldPart,
  locales: readonly string[] | null,
  deadline: Deadline,
): FacetVocabulary {
  const { settings } = snapshot.manifest;
  const rules = JSON.stringify([
    locales,
    settings.separatorTokens,
    settings.nonSeparatorTokens,
    settings.dictionary,
  ]);
  const normalize = (text: string): string => snapshot.analyzer.normalizeWhole(text, locales);
  const look = deadline.checkOnceIn(VALUES_BETWEEN_LOOKS);
  const key = { fileId: part.fileId, path: part.column.path, rules };
  return snapshot.queryCache.getOrMake(CACHE_KINDS.facetVocabulary, key, () =>
    buildFacetVocabulary(part.column.strings, normalize, look),
  );
}

/** By normalised form, then by value: the order of the answer. */
function byForm(found: readonly FoundValue[], matches: readonly PartMatches[]): FoundValue[] {
  const placed = found.map((value, i) => {
    const part = value.ordinals.findIndex((ordinal) => ordinal >= 0);
    const { values, places } = matches[part]!;
    return { value, i, part, values, place: places.get(value.ordinals[part]!)! };
  });
  placed.sort((a, b) =>
    a.part === b.part
      ? a.place - b.place
      : compareBytes(formAt(a.values, a.place), formAt(b.values, b.place)) || a.i - b.i,
  );
  return placed.map(({ value }) => value);
}

/** The body of the answer. */
export function writeFacetSearchAnswer(
  { facetQuery }: FacetSearchRequest,
  facetHits: readonly FacetHit[],
  processingTimeMs: number,
): Uint8Array {
  return encodeUtf8(JSON.stringify({ facetHits, facetQuery, processingTimeMs }));
}
