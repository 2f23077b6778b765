/** State of the search view, its form in the URL, and the requests made from it. Pure. */
import { isObject, objectOf, parseJson } from '../../core/json.ts';
import { type LatLng, latLngOf } from './distance.ts';
import { MARK_END, MARK_START } from './marked-text.ts';
import { dayOf, timeUnitOf } from './time-values.ts';

export interface GeoCircle extends LatLng {
  /** null = any distance. */
  readonly radiusMeters: number | null;
}

/** Bounds of a field's numbers; null = no bound. */
export interface ValueRange {
  readonly from: number | null;
  readonly to: number | null;
}

export const WHOLE_RANGE: ValueRange = { from: null, to: null };

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
  chosen: membersOf(state['chosen'], isTexts),
  ranges: membersOf(state['ranges'], isRange),
  geo: circleOf(parseJson(state['geo'] ?? '')),
  embedder: state['embedder'] ?? '',
  semanticRatio: Number(state['ratio'] || SEMANTIC_RATIO_DEFAULT),
  matchingStrategy: state['words'] ?? '',
  hits: Number(state['hits']) || HITS_STEP,
});

/** The members of a JSON object that are valid: users edit addresses. */
const membersOf = <Value>(
  text: string | undefined,
  isValid: (value: unknown) => value is Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    Object.entries(objectOf(parseJson(text ?? ''))).flatMap(([name, value]) =>
      isValid(value) ? [[name, value]] : [],
    ),
  );

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');
const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number';
const isRange = (value: unknown): value is ValueRange =>
  isObject(value) && isNumberOrNull(value['from']) && isNumberOrNull(value['to']);

function circleOf(value: unknown): GeoCircle | null {
  const place = latLngOf(value);
  if (place === null) return null;
  const { radiusMeters } = objectOf(value);
  return { ...place, radiusMeters: typeof radiusMeters === 'number' ? radiusMeters : null };
}

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
  return { ...state, chosen };
}

/** Fields whose choice or range is a condition. */
const boundFields = ({ chosen, ranges }: SearchState): readonly string[] => [
  ...Object.keys(chosen),
  ...Object.keys(ranges).filter((field) => !isWhole(ranges[field])),
];

const isWhole = (range: ValueRange | undefined): boolean =>
  range === undefined || (range.from === null && range.to === null);

/** Members that decide which documents a search finds, without filter. */
const queryOf = (state: SearchState): Record<string, unknown> => ({
  q: state.q,
  ...(state.matchingStrategy !== '' && { matchingStrategy: state.matchingStrategy }),
  ...(state.embedder !== '' && {
    hybrid: { embedder: state.embedder, semanticRatio: state.semanticRatio },
  }),
});

/** Conditions of the state without those on one field, for the counts of this field's values. */
export const facetQueryOf = (state: SearchState, field: string): Record<string, unknown> => ({
  ...queryOf(state),
  filter: filterOf(state, field),
  sortFacetValuesBy: 'count',
});

/** The search as a program would send it. */
export function plainQueryOf(state: SearchState, hasFacets: boolean): Record<string, unknown> {
  const filter = filterOf(state, null);
  return {
    ...queryOf(state),
    ...(filter.length > 0 && { filter }),
    ...(state.sort !== '' && { sort: [state.sort] }),
    ...(hasFacets && { facets: ['*'] }),
    limit: state.hits,
  };
}

/**
 * Bodies of a multi-search: the hits, then for each field with a condition the counts and bounds
 * that it would have without this condition.
 * @param hasFacets whether the index has filterable attributes; the API refuses facets of other
 * attributes
 */
export function queriesOf(
  indexUid: string,
  state: SearchState,
  hasFacets: boolean,
): Record<string, unknown>[] {
  const hits = {
    indexUid,
    ...plainQueryOf(state, hasFacets),
    ...(hasFacets && { sortFacetValuesBy: 'count' }),
    attributesToHighlight: ['*'],
    attributesToCrop: ['*'],
    cropLength: CROP_WORDS,
    highlightPreTag: MARK_START,
    highlightPostTag: MARK_END,
    showRankingScore: true,
    showRankingScoreDetails: true,
  };
  const counts = boundFields(state).map((field) => ({
    indexUid,
    ...facetQueryOf(state, field),
    limit: 0,
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
    .map(([field, values]) => values.map((value) => `${nameOf(field)} = ${quoted(value)}`));
  for (const [field, { from, to }] of Object.entries(ranges)) {
    if (field === without) continue;
    if (from !== null) conditions.push(`${nameOf(field)} >= ${from}`);
    if (to !== null) conditions.push(`${nameOf(field)} <= ${to}`);
  }
  if (geo !== null && geo.radiusMeters !== null)
    conditions.push(`_geoRadius(${geo.lat}, ${geo.lng}, ${Math.round(geo.radiusMeters)})`);
  if (filter.trim() !== '') conditions.push(filter);
  return conditions;
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Quoted unless it is a plain name that is no word of the filter language. */
const nameOf = (field: string): string =>
  /^[A-Za-z_][\w.]*$/.test(field) &&
  !/^(?:AND|OR|NOT|IN|TO|EXISTS|IS|NULL|EMPTY|CONTAINS|STARTS|WITH)$/i.test(field)
    ? field
    : quoted(field);

export interface ActiveFilter {
  readonly text: string;
  /** The state without this filter. */
  readonly without: SearchState;
}

/** Everything that narrows the hits, apart from the query. */
export function activeFilters(state: SearchState): readonly ActiveFilter[] {
  const values = Object.entries(state.chosen).flatMap(([field, chosen]) =>
    chosen.map((value) => ({
      text: `${field}: ${value}`,
      without: withToggled(state, field, value),
    })),
  );
  const ranges = Object.entries(state.ranges)
    .filter(([, range]) => !isWhole(range))
    .map(([field, range]) => ({
      text: rangeText(field, range),
      without: withRange(state, field, WHOLE_RANGE),
    }));
  const typed =
    state.filter.trim() === '' ? [] : [{ text: state.filter, without: { ...state, filter: '' } }];
  const place =
    state.geo === null || state.geo.radiusMeters === null
      ? []
      : [
          {
            text: `within ${state.geo.radiusMeters / 1000} km`,
            without: { ...state, geo: { ...state.geo, radiusMeters: null } },
          },
        ];
  return [...values, ...ranges, ...place, ...typed];
}

export const withoutFilters = (state: SearchState): SearchState => ({
  ...state,
  chosen: {},
  ranges: {},
  filter: '',
  geo: state.geo === null ? null : { ...state.geo, radiusMeters: null },
});

export function withRange(state: SearchState, field: string, range: ValueRange): SearchState {
  const { [field]: _, ...others } = state.ranges;
  return { ...state, ranges: isWhole(range) ? others : { ...others, [field]: range } };
}

function rangeText(field: string, { from, to }: ValueRange): string {
  const texts = [from, to].map((end) => (end === null ? null : endText(field, end)));
  if (texts[0] === null) return `${field}: up to ${texts[1]}`;
  return texts[1] === null ? `${field}: from ${texts[0]}` : `${field}: ${texts[0]} – ${texts[1]}`;
}

function endText(field: string, end: number): string {
  const unit = timeUnitOf(field, [end]);
  return unit === null ? String(end) : dayOf(end, unit);
}
