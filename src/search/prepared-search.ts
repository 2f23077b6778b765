/**
 * Common part of keyword and semantic search: checks the request against the settings and computes
 * sets and terms.
 */
import type { Deadline } from '../core/deadline.ts';
import { limits } from '../core/limits.ts';
import type { StepTimes } from '../core/step-times.ts';
import { localesOfPath } from '../model/localized-attributes.ts';
import { isBlank } from '../model/query-words.ts';
import type { SearchRequest } from '../model/search.ts';
import { filterDocuments, parsedFilter } from './filter/filter-evaluator.ts';
import { MatchSets } from './matching/match-sets.ts';
import { type RequestScopes, requestScopes } from './matching/request-scopes.ts';
import { allowedDocuments } from './matching/universe.ts';
import { type ParsedQuery, parseQuery } from './query/query-parser.ts';
import { type Vocabulary, vocabularyOf } from './query/vocabulary.ts';
import { checkSort, checkSortRule } from './ranking/sort-levels.ts';
import { DocSet } from './sets/doc-set.ts';
import { findDocument } from './snapshot/document-place.ts';
import type { ForeignIndexes } from './snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from './snapshot/index-snapshot.ts';
import { checkDistinct, distinctFieldOf } from './values/distinct.ts';
import { checkDiversity } from './values/document-similarity.ts';

const { queryTermsMax, sentenceTermsMax } = limits;

/** Inputs of a search in addition to its index and its request. */
interface SearchMeans {
  readonly deadline: Deadline;
  /** Step times, if the request asks for them. */
  readonly times: StepTimes | null;
  /** Indexes that the filter may refer to. */
  readonly foreign: ForeignIndexes;
}

export interface PreparedSearch extends Omit<SearchMeans, 'foreign'> {
  readonly snapshot: IndexSnapshot;
  readonly request: SearchRequest;
  readonly scopes: RequestScopes;
  readonly sets: MatchSets;
  readonly vocabulary: Vocabulary;
  readonly parsed: ParsedQuery;
  /** Live documents that the filter selects and no rule hides. */
  readonly filtered: DocSet;
  /** `filtered` without documents that hold words and phrases excluded by the request. */
  readonly allowed: DocSet;
  /** Field whose values occur once among the hits; null = none. */
  readonly distinctField: string | null;
  /** Pinned documents, which the sets above do not contain; null = none. */
  readonly pinned: DocSet | null;
}

/** @throws ApiError for parameters that contradict the index's settings */
export function prepareSearch(
  snapshot: IndexSnapshot,
  request: SearchRequest,
  { deadline, times, foreign }: SearchMeans,
): PreparedSearch {
  const { settings } = snapshot.manifest;
  const filter = parsedFilter(request.filter, { code: 'invalid_search_filter', deadline });
  const scopes = requestScopes(snapshot, request);
  checkDistinct(request, settings);
  checkDiversity(request, settings);
  const selected = filterDocuments(snapshot, filter, foreign);
  const filtered = withoutHidden(snapshot, selected ?? snapshot.live, request.hidden);
  times?.end('search > filter', request.showProfile ? filtered.count : undefined);
  checkSort(request.sort, settings, 'invalid_search_sort');
  checkSortRule(request.sort, settings);
  const sets = new MatchSets(snapshot, scopes);
  const vocabulary = vocabularyOf(snapshot);
  const parsed = parseRequest(snapshot, request);
  const allowed = allowedDocuments(filtered, parsed, vocabulary, sets);
  times?.end('search > read the query', request.showProfile ? allowed.count : undefined);
  return {
    snapshot,
    request,
    deadline,
    times,
    scopes,
    sets,
    vocabulary,
    parsed,
    filtered,
    allowed,
    distinctField: distinctFieldOf(request, settings),
    pinned: null,
  };
}

/** A hidden document counts nowhere: it is as if the filter excluded it. */
function withoutHidden(
  snapshot: IndexSnapshot,
  selected: DocSet,
  hidden: readonly string[] | null,
): DocSet {
  if (hidden === null) return selected;
  const docs = hidden.flatMap((id) => findDocument(snapshot, id)?.docId ?? []);
  if (docs.length === 0) return selected;
  return selected.without(DocSet.fromUnordered(Uint32Array.from(docs), snapshot.bitsetLength));
}

function parseRequest(snapshot: IndexSnapshot, request: SearchRequest): ParsedQuery {
  const text = request.q ?? '';
  if (isBlank(text)) return { terms: [], negativeWords: [], negativePhrases: [], parts: [] };
  const locales = request.locales ?? settingsLocales(snapshot, request.attributesToSearchOn);
  return parseQuery(text, snapshot.analyzer, locales, {
    prefixSearch: snapshot.manifest.settings.prefixSearch !== 'disabled',
    termsMax: request.matchingStrategy === 'any' ? sentenceTermsMax : queryTermsMax,
    hasParts: snapshot.manifest.settings.substringAttributes.length > 0,
  });
}

/** Union of the locales of the searched fields in the settings; null when there are none. */
function settingsLocales(
  { manifest, fields }: IndexSnapshot,
  names: readonly string[] | null,
): string[] | null {
  if (!manifest.settings.localizedAttributes) return null;
  const isRestricted = names !== null && !names.includes('*');
  const paths = isRestricted ? names : fields.paths.filter((_, f) => fields.weights[f]! >= 0);
  const locales = new Set<string>();
  for (const path of paths) {
    for (const locale of localesOfPath(manifest.settings, path) ?? []) locales.add(locale);
  }
  return locales.size > 0 ? [...locales] : null;
}
