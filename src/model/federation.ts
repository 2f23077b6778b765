/**
 * One list out of several: what a hit's scores look like away from its index, how two hits compare,
 * which queries may be compared at all (relevance.md 7.3, 7.6). Plain data, shared by query threads
 * and the front.
 */
import { compareCodePoints } from '../core/compare-text.ts';
import type { WireError } from '../core/errors.ts';
import type { FacetTable } from './federated-facets.ts';
import type { SearchRequest } from './search.ts';
import type { SortDirection } from './sort-criterion.ts';

/** A run of score levels folded into one weighted number, or the value of one sort. */
export type ScoreElement =
  | { readonly kind: 'score'; readonly value: number }
  | {
      readonly kind: 'field';
      readonly direction: SortDirection;
      readonly value: number | string | null;
    }
  | { readonly kind: 'geo'; readonly direction: SortDirection; readonly metres: number | null };

export interface WeightedScore {
  readonly elements: readonly ScoreElement[];
  /** Ranking score × weight. */
  readonly total: number;
}

const SORT_DIRECTIONS: readonly unknown[] = ['asc', 'desc'] satisfies SortDirection[];

/** Whether a value from elsewhere is one. */
export function isScoreElement(value: unknown): value is ScoreElement {
  if (typeof value !== 'object' || value === null) return false;
  const element = value as Readonly<Record<string, unknown>>;
  if (element['kind'] === 'score') return typeof element['value'] === 'number';
  if (!SORT_DIRECTIONS.includes(element['direction'])) return false;
  const sorted = element[element['kind'] === 'field' ? 'value' : 'metres'];
  return sorted === null || typeof sorted === 'number' || isFieldText(element, sorted);
}

const isFieldText = ({ kind }: Readonly<Record<string, unknown>>, value: unknown): boolean =>
  kind === 'field' && typeof value === 'string';

/** What hits tell another instance of this server, which merges them with its own. */
export interface PeerFacts {
  /** Absent where a value is not to be shown. */
  readonly weightedScoreValues?: readonly ScoreElement[];
  readonly distinctValues?: readonly string[];
  readonly isSemantic: boolean;
  /** Absent where it has none. */
  readonly pin?: PinnedPlace;
}

/** Where a search rule wants a hit to stand. */
export interface PinnedPlace {
  /** In the whole merged list, from 0. */
  readonly position: number;
  /** Of the rule: the lower one has the place that both ask for. */
  readonly precedence: number;
}

/** What a place in a query's ranking compares. */
export type RuleKind = 'relevancy' | 'field:asc' | 'field:desc' | 'geo:asc' | 'geo:desc';

export interface FederatedQuery {
  /** Its window starts at 0 and is as long as the federation's reaches. */
  readonly request: SearchRequest;
  /** Place in the request. */
  readonly position: number;
  readonly weight: number;
}

/** The part of a federated search that concerns one index. */
export interface FederatedSearch {
  /** By ascending position. */
  readonly queries: readonly FederatedQuery[];
  /** Hits of the merged list that can be on the page asked for. */
  readonly window: { readonly offset: number; readonly limit: number };
  /** A field of which each value may occur once in the merged list. */
  readonly distinct: string | null;
  /** Fields to count in the candidates of all queries together. */
  readonly facets: readonly string[] | null;
  /** What hits say of the instance that they are from; null = nothing. */
  readonly remote: string | null;
  /** Whether hits carry `PeerFacts`. */
  readonly isForPeer: boolean;
}

export interface RankedQuery {
  /** Place in the request. */
  readonly position: number;
  /** Runs of relevancy rules count as one; null when they cannot be told because of `error`. */
  readonly rules: readonly RuleKind[] | null;
  /** Whether meaning takes part. */
  readonly isSemantic: boolean;
  /** What was searched with, where the request shows vectors. */
  readonly queryVector: Float32Array | null;
  readonly error: WireError | null;
}

/** What one index adds to a federated answer: the queries on it, already merged. */
export interface FederatedPart {
  /** In the order of their positions; after one with an error none has run. */
  readonly queries: readonly RankedQuery[];
  readonly hits: readonly FederatedHit[];
  /** Documents that some query matches. */
  readonly candidateCount: number;
  /** null when none are asked for. */
  readonly facets: readonly FacetTable[] | WireError | null;
}

export interface FederatedHit {
  readonly position: number;
  readonly score: WeightedScore;
  /** null = it stands where its score puts it. */
  readonly pin: PinnedPlace | null;
  /** Whether its score is a similarity. */
  readonly isSemantic: boolean;
  /** Normalised values of the federation's distinct field, numbers and strings told apart. */
  readonly distinctValues: readonly string[];
  /**
   * The hit's JSON within the bytes that come with it; empty when it can be on no page asked for.
   */
  readonly start: number;
  readonly end: number;
}

const EPSILON = 2 ** -52;

/** Positive when `a` comes first. */
export const compareScores = (a: WeightedScore, b: WeightedScore): number =>
  compareElementwise(a, b, () => a.elements.length - b.elements.length || a.total - b.total);

/**
 * Positive when `a` comes first: the first elements that differ decide, a longer list wins.
 * @param compareUnlike decides where two elements measure different things
 */
export function compareElementwise(
  a: WeightedScore,
  b: WeightedScore,
  compareUnlike: (x: ScoreElement, y: ScoreElement) => number,
): number {
  const count = Math.max(a.elements.length, b.elements.length);
  for (let i = 0; i < count; i++) {
    const [x, y] = [a.elements[i], b.elements[i]];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    const order = compareElements(x, y);
    if (order === null) return compareUnlike(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

/** Positive when `a` is better; null when the two measure different things. */
function compareElements(a: ScoreElement, b: ScoreElement): number | null {
  if (a.kind === 'score' && b.kind === 'score')
    return Math.abs(a.value - b.value) <= EPSILON ? 0 : a.value - b.value;
  if (a.kind === 'field' && b.kind === 'field') {
    return a.direction === b.direction ? compareSortValues(a.value, b.value, a.direction) : null;
  }
  if (a.kind === 'geo' && b.kind === 'geo')
    return a.direction === b.direction ? compareDistances(a.metres, b.metres) : null;
  return null;
}

type SortValue = number | string | null;

/** Numbers before strings before nothing, in either direction. */
const classOf = (value: SortValue): number =>
  typeof value === 'number' ? 2 : typeof value === 'string' ? 1 : 0;

function compareSortValues(a: SortValue, b: SortValue, direction: SortDirection): number {
  const byClass = classOf(a) - classOf(b);
  if (byClass !== 0 || a === null || b === null) return byClass;
  const ascending =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : compareCodePoints(String(a), String(b));
  return direction === 'asc' ? -ascending : ascending;
}

/**
 * The farther place comes first in both directions, as clients of the reference know it; no place
 * comes last.
 */
function compareDistances(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return a - b;
}

/** Two hits of a merge; equals stand in the order of their queries. */
const isBefore = (a: FederatedHit, b: FederatedHit): boolean => {
  const order = compareScores(a.score, b.score);
  return order > 0 || (order === 0 && a.position < b.position);
};

export interface MergedHits<Hit> {
  /** Those that win first. */
  readonly pinned: readonly Hit[];
  /** Best first. */
  readonly ranked: readonly Hit[];
}

/**
 * What stands by its score merged, and apart from it what search rules have pinned.
 * @param look is called for each hit
 */
export function mergeWithPins<Hit extends FederatedHit>(
  lists: readonly (readonly Hit[])[],
  look: () => void = () => undefined,
): MergedHits<Hit> {
  const pinned = lists.flat().filter(({ pin }) => pin !== null);
  if (pinned.length === 0) return { pinned, ranked: mergeHits(lists, look) };
  const precedenceOf = ({ pin }: Hit): number => pin?.precedence ?? 0;
  return {
    pinned: pinned.sort((a, b) => precedenceOf(a) - precedenceOf(b)),
    ranked: mergeHits(
      lists.map((list) => list.filter(({ pin }) => pin === null)),
      look,
    ),
  };
}

/** The next hit of an ordered list that is merged. */
interface Head<Hit> {
  readonly list: readonly Hit[];
  /** Place of the list. */
  readonly place: number;
  at: number;
  hit: Hit;
}

/**
 * Merges ordered lists: the best of the heads comes next. A list whose own order differs keeps it.
 * @param look is called for each hit
 */
export function mergeHits<Hit extends FederatedHit>(
  lists: readonly (readonly Hit[])[],
  look: () => void = () => undefined,
): Hit[] {
  const heads = lists.flatMap((list, place): Head<Hit>[] => {
    const [hit] = list;
    return hit === undefined ? [] : [{ list, place, at: 0, hit }];
  });
  for (let i = heads.length >> 1; i >= 0; i--) {
    const head = heads[i];
    if (head !== undefined) sink(heads, i, head);
  }
  const merged: Hit[] = [];
  for (let best = heads[0]; best !== undefined; best = heads[0]) {
    look();
    merged.push(best.hit);
    const next = best.list[++best.at];
    if (next !== undefined) {
      best.hit = next;
      sink(heads, 0, best);
      continue;
    }
    const last = heads.pop();
    if (last !== undefined && last !== best) sink(heads, 0, last);
  }
  return merged;
}

const comesFirst = <Hit extends FederatedHit>(a: Head<Hit>, b: Head<Hit>): boolean =>
  isBefore(a.hit, b.hit) || (a.place < b.place && !isBefore(b.hit, a.hit));

/** Puts the head into a binary heap, the best head first, at `i` or below. */
function sink<Hit extends FederatedHit>(heads: Head<Hit>[], i: number, head: Head<Hit>): void {
  let place = i;
  for (;;) {
    const left = heads[2 * place + 1];
    const right = heads[2 * place + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && comesFirst(right, left);
    const child = isRight ? right : left;
    if (!comesFirst(child, head)) break;
    heads[place] = child;
    place = 2 * place + (isRight ? 2 : 1);
  }
  heads[place] = head;
}

/** Keeps of a merged list the hits that share no value with one kept before. */
export function keepDistinct<Hit extends FederatedHit>(hits: readonly Hit[]): Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ distinctValues }) => {
    if (distinctValues.some((value) => seen.has(value))) return false;
    for (const value of distinctValues) seen.add(value);
    return true;
  });
}

/** Whether lists ranked by these rules can be merged; the shorter one may stop early. */
export const isComparable = (a: readonly RuleKind[], b: readonly RuleKind[]): boolean =>
  a.slice(0, b.length).every((kind, i) => kind === b[i]);
