/**
 * Merges hits of several indexes: scores that are valid outside their index, comparison of hits,
 * and which queries are comparable (relevance.md 7.3, 7.6). Plain data, shared by query threads and
 * fronts.
 */

import { compareCodePoints } from '../core/compare-text.ts';
import type { WireError } from '../core/errors.ts';
import { type Json, objectOf } from '../core/json.ts';
import type { FacetTable } from './federated-facets.ts';
import type { SearchRequest } from './search.ts';
import type { GroupFacts, GroupValue, PrecedingGroup } from './shared-groups.ts';
import type { SortDirection } from './sort-criterion.ts';

/** A run of relevancy levels combined into one weighted number, or the value of one sort. */
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

/** Validates a value from a remote instance. */
export function isScoreElement(value: unknown): value is ScoreElement {
  const element = objectOf(value);
  if (element['kind'] === 'score') return typeof element['value'] === 'number';
  if (!SORT_DIRECTIONS.includes(element['direction'])) return false;
  const sorted = element[element['kind'] === 'field' ? 'value' : 'metres'];
  return sorted === null || typeof sorted === 'number' || isFieldText(element, sorted);
}

const isFieldText = ({ kind }: Json, value: unknown): boolean =>
  kind === 'field' && typeof value === 'string';

/** Ranking values of a hit for another instance of this server, which merges hits. */
export interface PeerFacts {
  /** Absent if a value must not be shown. */
  readonly weightedScoreValues?: readonly ScoreElement[];
  readonly distinctValues?: readonly string[];
  readonly isSemantic: boolean;
  /** Absent without a pin. */
  readonly pin?: PinnedPlace;
  /** Present if groups are made over several instances. */
  readonly group?: GroupedHit;
}

/** A hit of which the merging instance makes a group. */
export interface GroupedHit {
  /** Identifies the document within its instance. */
  readonly document: string;
  /** As the document spells it. */
  readonly value: GroupValue;
}

/** The position of a hit that a search rule pins. */
export interface PinnedPlace {
  /** Position in the merged list, from 0. */
  readonly position: number;
  /** Precedence of the rule; the lower one wins a position. */
  readonly precedence: number;
}

/** The comparison at one level of a query's ranking. */
export type RuleKind = 'relevancy' | 'field:asc' | 'field:desc' | 'geo:asc' | 'geo:desc';

export interface FederatedQuery {
  /** Its window starts at 0 and ends with the federation's window. */
  readonly request: SearchRequest;
  /** Position in the request. */
  readonly position: number;
  readonly weight: number;
}

export interface FederatedGrouping {
  readonly groupBy: string;
  readonly groupSize: number;
  /**
   * Groups before the first hit, if several instances have documents of the groups: then hits have no
   * `_group`. null = this instance alone makes the groups.
   */
  readonly preceding: readonly PrecedingGroup[] | null;
}

/** The part of a federated search for one index. */
export interface FederatedSearch {
  /** By ascending position. */
  readonly queries: readonly FederatedQuery[];
  /** Hits of the merged list that may be on the requested page. */
  readonly window: { readonly offset: number; readonly limit: number };
  /** Field whose values may occur once in the merged list. */
  readonly distinct: string | null;
  /**
   * Attribute whose values form groups, and documents shown of each; null = no groups. With groups,
   * one task searches all indexes.
   */
  readonly grouping: FederatedGrouping | null;
  /** Fields to count in the candidates of all queries. */
  readonly facets: readonly string[] | null;
  /** True if the counts of all indexes are added: a group then counts in one of them only. */
  readonly mergesFacets: boolean;
  /** True if the hits are merged with hits of other instances. */
  readonly isShared: boolean;
  /** Name of the instance in hits; null = none. */
  readonly remote: string | null;
  /** True if hits carry `PeerFacts`. */
  readonly isForPeer: boolean;
}

export interface RankedQuery {
  /** Position in the request. */
  readonly position: number;
  /** Runs of relevancy rules count as one; null if unknown because of `error`. */
  readonly rules: readonly RuleKind[] | null;
  /** True if vector search takes part. */
  readonly isSemantic: boolean;
  /** The vector of the query, if the request shows vectors. */
  readonly queryVector: Float32Array | null;
  readonly error: WireError | null;
}

/** The result of one index in a federated search: its queries, already merged. */
export interface FederatedPart {
  /** In order of position; queries after a failed one have not run. */
  readonly queries: readonly RankedQuery[];
  readonly hits: readonly FederatedHit[];
  /** Number of documents that match at least one query. */
  readonly candidateCount: number;
  /** Number of documents in all groups; null without groups, which `candidateCount` then counts. */
  readonly groupedCount: number | null;
  /** null if none are requested. */
  readonly facets: readonly FacetTable[] | WireError | null;
  /** null unless groups are made over several instances, and no group precedes. */
  readonly groupFacts: GroupFacts | null;
  /** By preceding group with a size, in order. */
  readonly precedingGroups: readonly FoundGroup[];
}

/** Documents of a group in one instance. */
export interface FoundGroup {
  readonly count: number;
  readonly hits: readonly FederatedHit[];
}

/** False for an error, and if no facets are requested. */
export const isTables = (facets: FederatedPart['facets']): facets is readonly FacetTable[] =>
  facets !== null && !('code' in facets);

export interface FederatedHit {
  readonly position: number;
  readonly score: WeightedScore;
  /** null = ranked by its score. */
  readonly pin: PinnedPlace | null;
  /** True if its score is a similarity. */
  readonly isSemantic: boolean;
  /**
   * Normalised values of the field of the federation's `distinct`, or of a `groupBy` over several
   * instances; numbers and strings differ.
   */
  readonly distinctValues: readonly string[];
  /** null unless groups are made over several instances. */
  readonly group: GroupedHit | null;
  /** Range of the hit's JSON in the accompanying bytes; empty if the hit cannot be on the page. */
  readonly start: number;
  readonly end: number;
  /** Text for the reranker of the federation; absent = not scored. */
  readonly rerankText?: string;
}

const EPSILON = 2 ** -52;

/** Positive if `a` comes first. */
export const compareScores = (a: WeightedScore, b: WeightedScore): number =>
  compareElementwise(a, b, () => a.elements.length - b.elements.length || a.total - b.total);

/**
 * Positive if `a` comes first: the first differing elements decide, a longer list wins. @param
 * compareUnlike decides between elements of different kinds
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

/** Positive if `a` is better; null if the two are of different kinds. */
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

/** Numbers, then strings, then missing values, in both directions. */
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
 * The greater distance comes first in both directions, as in the reference server; documents
 * without a point come last.
 */
function compareDistances(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return a - b;
}

/** Order of two hits in a merge; ties keep the order of their queries. */
const isBefore = (a: FederatedHit, b: FederatedHit): boolean => {
  const order = compareScores(a.score, b.score);
  return order > 0 || (order === 0 && a.position < b.position);
};

interface MergedHits<Hit> {
  /** In order of precedence. */
  readonly pinned: readonly Hit[];
  /** Best first. */
  readonly ranked: readonly Hit[];
}

/** Pinned hits in order of precedence, and the lists without them. */
export function separatePins<Hit extends FederatedHit>(
  lists: readonly (readonly Hit[])[],
): { readonly pinned: readonly Hit[]; readonly lists: readonly (readonly Hit[])[] } {
  const pinned = lists.flatMap((list) => list.filter(({ pin }) => pin !== null));
  if (pinned.length === 0) return { pinned, lists };
  const precedenceOf = ({ pin }: Hit): number => pin?.precedence ?? 0;
  return {
    pinned: pinned.sort((a, b) => precedenceOf(a) - precedenceOf(b)),
    lists: lists.map((list) => list.filter(({ pin }) => pin === null)),
  };
}

/** Merges hits by score, and collects pinned hits separately. @param look called for each hit */
export function mergeWithPins<Hit extends FederatedHit>(
  lists: readonly (readonly Hit[])[],
  look: () => void,
): MergedHits<Hit> {
  const { pinned, lists: others } = separatePins(lists);
  const ranked: Hit[] = [];
  for (const hit of mergeHits(others)) {
    look();
    ranked.push(hit);
  }
  return { pinned, ranked };
}

interface Head<Hit> {
  readonly list: readonly Hit[];
  readonly place: number;
  at: number;
  hit: Hit;
}

/** Merges ordered lists by their best heads. The order within each list is kept. */
export function* mergeHits<Hit extends FederatedHit>(
  lists: readonly (readonly Hit[])[],
): Generator<Hit> {
  const heads = lists.flatMap((list, place): Head<Hit>[] => {
    const [hit] = list;
    return hit === undefined ? [] : [{ list, place, at: 0, hit }];
  });
  for (let i = heads.length >> 1; i >= 0; i--) {
    const head = heads[i];
    if (head !== undefined) sink(heads, i, head);
  }
  for (let best = heads[0]; best !== undefined; best = heads[0]) {
    yield best.hit;
    const next = best.list[++best.at];
    if (next !== undefined) {
      best.hit = next;
      sink(heads, 0, best);
      continue;
    }
    const last = heads.pop();
    if (last !== undefined && last !== best) sink(heads, 0, last);
  }
}

const comesFirst = <Hit extends FederatedHit>(a: Head<Hit>, b: Head<Hit>): boolean =>
  isBefore(a.hit, b.hit) || (a.place < b.place && !isBefore(b.hit, a.hit));

/** Sifts the head at `i` down in a binary heap with the best head first. */
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

/** Finds hits that share a value with an earlier hit. */
export class DistinctHits {
  readonly #seen = new Set<string>();

  /** False if the hit shares a value with an earlier one. */
  add({ distinctValues }: FederatedHit): boolean {
    if (distinctValues.some((value) => this.#seen.has(value))) return false;
    for (const value of distinctValues) this.#seen.add(value);
    return true;
  }
}

/** True if lists ranked by these rules can be merged; one list may have fewer rules. */
export const isComparable = (a: readonly RuleKind[], b: readonly RuleKind[]): boolean =>
  a.slice(0, b.length).every((kind, i) => kind === b[i]);
