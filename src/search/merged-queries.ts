/**
 * Hits and candidates of the queries of one index, merged while the queries run: a search of 1,000
 * queries with 1,000 hits each holds the hits that it may show, not a million.
 */
import type { Deadline } from '../core/deadline.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { mergeWithPins, type RuleKind } from '../model/federation.ts';
import {
  type FederatedIndex,
  type PlacedHit,
  placeHits,
  type RanQuery,
  withoutRepeatedHits,
} from './federated-window.ts';
import type { SearchOutcome } from './ranking/search-outcome.ts';
import { DocSet } from './sets/doc-set.ts';

const HITS_BETWEEN_LOOKS = 256;
/** Hits and sets that wait to be merged, beyond the hits that may be shown. */
const WAITING_HITS_MAX = 10_000;
const WAITING_SETS_MAX = 32;

/** Pinned hits, then best first. */
export function mergedHits(
  lists: readonly (readonly PlacedHit[])[],
  deadline: Deadline,
): readonly PlacedHit[] {
  const { pinned, ranked } = mergeWithPins(lists, deadline.checkOnceIn(HITS_BETWEEN_LOOKS));
  return [...pinned, ...ranked];
}

/**
 * Number of hits that may be shown, or null if every hit may matter: groups and a distinct field
 * exclude hits by others, and lists by distance are not in the order of the merge.
 */
function shownMax(
  { search: { grouping, distinct, window, queries } }: FederatedIndex,
  rules: readonly (readonly RuleKind[])[],
): number | null {
  const isByDistance = rules.some((kinds) => kinds.some((kind) => kind.startsWith('geo')));
  if (grouping !== null || distinct !== null || isByDistance) return null;
  const pinned = queries.flatMap(({ request: { pins } }) => (pins ?? []).map(({ id }) => id));
  return window.offset + window.limit + new Set(pinned).size;
}

const tooManyHits = (): ApiError =>
  new ApiError(
    'bad_request',
    `the queries up to this one have more than ${limits.federatedHitsMax} hits, which a federated search with \`distinct\`, with \`groupBy\` or with a sort by distance has to hold. Use a lower \`limit\` or fewer queries.`,
  );

export class MergedQueries {
  readonly #index: FederatedIndex;
  readonly #shownMax: number | null;
  readonly #hitsMax: number;
  #lists: (readonly PlacedHit[])[] = [];
  #hitCount = 0;
  #sets: DocSet[] = [];

  /** @param rules comparisons of each query's ranking */
  constructor(index: FederatedIndex, rules: readonly (readonly RuleKind[])[]) {
    this.#index = index;
    this.#shownMax = shownMax(index, rules);
    this.#hitsMax =
      this.#shownMax === null ? limits.federatedHitsMax : this.#shownMax + WAITING_HITS_MAX;
  }

  /**
   * Adds a query of a later position than those before.
   * @throws ApiError `bad_request` for more hits than may be held
   */
  add(query: RanQuery, { documents, candidates }: SearchOutcome): void {
    const { snapshot, search, deadline } = this.#index;
    deadline.check();
    const hits = placeHits(snapshot, query, documents, search.distinct);
    this.#lists.push(hits);
    this.#hitCount += hits.length;
    if (this.#hitCount > this.#hitsMax) this.#makeRoom();
    this.#sets.push(candidates);
    if (this.#sets.length > WAITING_SETS_MAX) this.#sets = [this.candidates];
  }

  /** Pinned hits, then best first, each document once. */
  get hits(): readonly PlacedHit[] {
    return this.#merge();
  }

  /** Of all queries. */
  get candidates(): DocSet {
    return DocSet.unionOf(this.#sets, this.#index.snapshot.bitsetLength);
  }

  #makeRoom(): void {
    if (this.#shownMax !== null) this.#lists = [this.#merge()];
    else if (this.#lists.length > 1) throw tooManyHits();
  }

  #merge(): readonly PlacedHit[] {
    const all = withoutRepeatedHits(mergedHits(this.#lists, this.#index.deadline));
    if (this.#shownMax === null) return all;
    const pinnedCount = all.findIndex(({ pin }) => pin === null);
    const shown = pinnedCount < 0 ? all : all.slice(0, pinnedCount + this.#shownMax);
    this.#hitCount = shown.length;
    return shown;
  }
}
