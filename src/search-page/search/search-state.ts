/** State of the search view, its form in the URL, and the requests made from it. Pure. */
import { parseJson } from '../../core/json.ts';
import { MARK_END, MARK_START } from './marked-text.ts';

export interface GeoCircle {
  readonly lat: number;
  readonly lng: number;
  readonly radiusMeters: number;
}

/** Bounds of a field's numbers; null = no bound. */
export interface ValueRange {
  readonly from: number | null;
  readonly to: number | null;
}

export interface SearchState {
  readonly q: string;
  /** Filter expression as typed. */
  readonly filter: string;
  /** `field:asc`, '' = by relevance. */
  readonly sort: string;
  /** Chosen values by field. */
  readonly chosen: Readonly<Record<string, readonly string[]>>;
  /** Ranges of numbers, by field. */
  readonly ranges: Readonly<Record<string, ValueRange>>;
  readonly geo: GeoCircle | null;
  /** '' = keyword search only. */
  readonly embedder: string;
  readonly semanticRatio: number;
  readonly matchingStrategy: string;
  readonly hits: number;
}

export const HITS_STEP = 20;
const SEMANTIC_RATIO_DEFAULT = 0.5;
/** Words of a long value that are shown around the matches. */
const CROP_WORDS = 40;

export const searchStateOf = (state: Readonly<Record<string, string>>): SearchState => ({
  q: state['q'] ?? '',
  filter: state['filter'] ?? '',
  sort: state['sort'] ?? '',
  chosen: parsed(state['chosen'], {}),
  ranges: parsed(state['ranges'], {}),
  geo: parsed(state['geo'], null),
  embedder: state['embedder'] ?? '',
  semanticRatio: Number(state['ratio'] || SEMANTIC_RATIO_DEFAULT),
  matchingStrategy: state['words'] ?? '',
  hits: Number(state['hits'] || HITS_STEP),
});

/** The state without values equal to the defaults. */
export const addressStateOf = (state: SearchState): Record<string, string> => ({
  q: state.q,
  filter: state.filter,
  sort: state.sort,
  chosen: textUnlessEmpty(state.chosen),
  ranges: textUnlessEmpty(state.ranges),
  geo: state.geo === null ? '' : JSON.stringify(state.geo),
  embedder: state.embedder,
  ratio: state.embedder === '' ? '' : String(state.semanticRatio),
  words: state.matchingStrategy,
  hits: state.hits === HITS_STEP ? '' : String(state.hits),
});

const textUnlessEmpty = (value: object): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value);

/** The state with a value of a field added, or removed if it was chosen. */
export function withToggled(state: SearchState, field: string, value: string): SearchState {
  const values = state.chosen[field] ?? [];
  const next = values.includes(value)
    ? values.filter((other) => other !== value)
    : [...values, value];
  const { [field]: _, ...others } = state.chosen;
  const chosen = next.length === 0 ? others : { ...others, [field]: next };
  return { ...state, chosen, hits: HITS_STEP };
}

/**
 * Bodies of a multi-search: the hits, then for each field with chosen values the counts that its
 * values would have without the choice.
 * @param hasFacets whether the index has filterable attributes; the API refuses facets of other
 * attributes
 */
export function queriesOf(
  indexUid: string,
  state: SearchState,
  hasFacets: boolean,
): Record<string, unknown>[] {
  const shared = {
    indexUid,
    q: state.q,
    ...(state.matchingStrategy !== '' && { matchingStrategy: state.matchingStrategy }),
    ...(state.embedder !== '' && {
      hybrid: { embedder: state.embedder, semanticRatio: state.semanticRatio },
    }),
  };
  const hits = {
    ...shared,
    limit: state.hits,
    filter: filterOf(state, null),
    ...(hasFacets && { facets: ['*'] }),
    ...(state.sort !== '' && { sort: [state.sort] }),
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    cropLength: CROP_WORDS,
    highlightPreTag: MARK_START,
    highlightPostTag: MARK_END,
    showRankingScore: true,
    showRankingScoreDetails: true,
  };
  const counts = Object.keys(state.chosen).map((field) => ({
    ...shared,
    limit: 0,
    filter: filterOf(state, field),
    facets: [field],
  }));
  return [hits, ...counts];
}

/** All conditions as a filter array; the chosen values of one field are combined with OR. */
function filterOf(
  { filter, chosen, ranges, geo }: SearchState,
  without: string | null,
): (string | string[])[] {
  const conditions: (string | string[])[] = Object.entries(chosen)
    .filter(([field]) => field !== without)
    .map(([field, values]) => values.map((value) => `${quoted(field)} = ${quoted(value)}`));
  for (const [field, { from, to }] of Object.entries(ranges)) {
    if (from !== null) conditions.push(`${quoted(field)} >= ${from}`);
    if (to !== null) conditions.push(`${quoted(field)} <= ${to}`);
  }
  if (geo !== null)
    conditions.push(`_geoRadius(${geo.lat}, ${geo.lng}, ${Math.round(geo.radiusMeters)})`);
  if (filter.trim() !== '') conditions.push(filter);
  return conditions;
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

function parsed<Value>(text: string | undefined, absent: Value): Value {
  if (text === undefined || text === '') return absent;
  const value = parseJson(text);
  return value === undefined ? absent : (value as Value);
}
