/**
 * Groups of a search with `groupBy` (relevance.md 5.9): each hit is the best document of its group,
 * the members are the documents that share one of its values and belong to no earlier hit. A group
 * may have documents of several indexes.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { GroupValue, PrecedingGroup } from '../../model/shared-groups.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { DistinctFilter } from './distinct.ts';
import type { FacetGroups } from './segment-counts.ts';

const DOCUMENTS_BETWEEN_CHECKS = 256;

export interface DocumentGroup<Hit> {
  readonly value: GroupValue;
  /** Number of documents, the hit included. */
  readonly count: number;
  /** The best documents after the hit. */
  readonly members: readonly Hit[];
}

/** An index whose documents are grouped. */
export interface GroupedIndex {
  readonly snapshot: IndexSnapshot;
  /** The documents of all groups. */
  readonly candidates: DocSet;
  /** Maximum number of hits from this index. */
  readonly hitsMax: number;
}

/** Grouping of the documents of several indexes. */
export interface Groupable<Hit> {
  readonly groupBy: string;
  /** Documents shown of each group, the hit included. */
  readonly groupSize: number;
  /**
   * Best first, from the first hit on, without the hits that earlier ones of their own list exclude:
   * a list ends when it has `end` hits.
   */
  readonly ranked: readonly Hit[];
  /** Place of the hit's index. */
  readonly indexOf: (hit: Hit) => number;
  readonly docOf: (hit: Hit) => number;
  /** Number of hits up to the end of the page. */
  readonly end: number;
  /** Groups that come before the first hit; their documents are no hits. */
  readonly preceding: readonly PrecedingGroup[];
  /** True if the hit at this place, from 0, is shown with its group. */
  readonly isShown: (place: number) => boolean;
  /** The best documents of sets by index. @param isDistinct as `ranked`, else all documents */
  readonly rank: (docs: readonly DocSet[], count: number, isDistinct: boolean) => readonly Hit[];
  /** True if facets are counted by group, which takes 4 bytes a document of the indexes. */
  readonly hasFacets: boolean;
}

export interface GroupedDocuments<Hit> {
  /** One of each group, up to the end of the page. */
  readonly hits: readonly Hit[];
  /** By hit that is shown. */
  readonly groups: ReadonlyMap<Hit, DocumentGroup<Hit>>;
  /** By preceding group with a size. */
  readonly precedingGroups: readonly Omit<DocumentGroup<Hit>, 'value'>[];
  /**
   * By index: one document of each group, those of `hits`, then the first ones. All documents if
   * groups precede.
   */
  readonly representatives: readonly DocSet[];
  /** By index; null without facets. */
  readonly facetGroups: readonly (FacetGroups | null)[];
}

export function groupDocuments<Hit>(
  indexes: readonly GroupedIndex[],
  groupable: Groupable<Hit>,
  deadline: Deadline,
): GroupedDocuments<Hit> {
  const { groupBy, hasFacets, preceding } = groupable;
  const snapshots = indexes.map(({ snapshot }) => snapshot);
  const filters = DistinctFilter.ofIndexes(snapshots, groupBy, hasFacets);
  const forming = new GroupForming(indexes, filters, groupable, deadline);
  forming.run();
  const { hits, groups, precedingGroups, candidates } = forming;
  const check = deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS);
  const representatives =
    preceding.length > 0
      ? candidates
      : candidates.map((docs, i) => filters[i]!.exhaust(docs, check));
  const facetGroups = filters.map((filter) => filter.facetGroups);
  return { hits, groups, precedingGroups, representatives, facetGroups };
}

/** Takes hits from the ranked list until the page is full. */
class GroupForming<Hit> {
  readonly hits: Hit[] = [];
  readonly groups = new Map<Hit, DocumentGroup<Hit>>();
  readonly precedingGroups: Omit<DocumentGroup<Hit>, 'value'>[] = [];
  /** By index. */
  readonly candidates: readonly DocSet[];
  readonly #indexes: readonly GroupedIndex[];
  readonly #filters: readonly DistinctFilter[];
  readonly #groupable: Groupable<Hit>;
  readonly #deadline: Deadline;
  /** Hits by index. */
  readonly #docs: readonly number[][];
  /** Values of the first `#keyedCount` hits. */
  readonly #keys = new Set<string>();
  #keyedCount = 0;

  constructor(
    indexes: readonly GroupedIndex[],
    filters: readonly DistinctFilter[],
    groupable: Groupable<Hit>,
    deadline: Deadline,
  ) {
    this.candidates = indexes.map(({ candidates }) => candidates);
    this.#indexes = indexes;
    this.#filters = filters;
    this.#groupable = groupable;
    this.#deadline = deadline;
    this.#docs = indexes.map(() => []);
  }

  run(): void {
    const { ranked, rank, end, preceding } = this.#groupable;
    for (const group of preceding) this.#takePreceding(group);
    let isIncomplete = this.#takeFrom(ranked);
    while (isIncomplete && this.hits.length < end) {
      const left = this.#left();
      if (left.every((docs) => docs.isEmpty)) break;
      isIncomplete = this.#takeFrom(rank(left, end - this.hits.length, true));
    }
  }

  /**
   * True if the list lacks hits that may follow: it left out documents of a hit that is none here,
   * or hits of the list are none here.
   */
  #takeFrom(ranked: readonly Hit[]): boolean {
    const { indexOf, docOf, end } = this.#groupable;
    let isIncomplete = false;
    for (const hit of ranked) {
      if (this.hits.length >= end) break;
      this.#deadline.check();
      const index = indexOf(hit);
      const doc = docOf(hit);
      if (this.#isFull(index)) continue;
      if (!this.#filters[index]!.isExcluded(doc)) this.#take(hit, index, doc);
      else if (this.#hasNewValue(index, doc)) return true;
      else isIncomplete = true;
    }
    return isIncomplete;
  }

  #takePreceding({ values, size }: PrecedingGroup): void {
    const [filter] = this.#filters;
    if (filter === undefined) return;
    this.#deadline.check();
    for (const value of values) this.#keys.add(value);
    if (size === 0) {
      filter.excludeKeys(values);
      return;
    }
    const documents = filter.excludedBy(() => filter.excludeKeys(values), this.candidates);
    this.precedingGroups.push(this.#bestOf(documents, size));
  }

  /** The number of documents, and the `size` best ones. */
  #bestOf(documents: readonly DocSet[], size: number): Omit<DocumentGroup<Hit>, 'value'> {
    const count = documents.reduce((sum, docs) => sum + docs.count, 0);
    if (count === 0 || size < 1) return { count, members: [] };
    return { count, members: this.#groupable.rank(documents, size, false).slice(0, size) };
  }

  #take(hit: Hit, index: number, doc: number): void {
    const { isShown, groupSize } = this.#groupable;
    const filter = this.#filters[index]!;
    if (isShown(this.hits.length)) {
      const others = filter.excludedBy(() => filter.keep(doc), this.candidates);
      const { count, members } = this.#bestOf(others, groupSize - 1);
      this.groups.set(hit, { value: filter.valueOf(doc), count: count + 1, members });
    } else filter.keep(doc);
    this.hits.push(hit);
    this.#docs[index]!.push(doc);
  }

  #isFull(index: number): boolean {
    return this.#docs[index]!.length >= this.#indexes[index]!.hitsMax;
  }

  /**
   * True if no hit has one of the values of an excluded document: its own list left out documents
   * with that value.
   */
  #hasNewValue(index: number, doc: number): boolean {
    const own = this.#filters[index]!.keysOf(doc);
    if (own.length < 2) return false;
    const { indexOf, docOf } = this.#groupable;
    for (; this.#keyedCount < this.hits.length; this.#keyedCount++) {
      const hit = this.hits[this.#keyedCount]!;
      for (const key of this.#filters[indexOf(hit)]!.keysOf(docOf(hit))) this.#keys.add(key);
    }
    return own.some((key) => !this.#keys.has(key));
  }

  /** Documents that may become hits. */
  #left(): DocSet[] {
    return this.candidates.map((docs, i) => {
      const { bitsetLength } = docs;
      if (this.#isFull(i)) return DocSet.empty(bitsetLength);
      const taken = DocSet.fromUnordered(Uint32Array.from(this.#docs[i]!), bitsetLength);
      return docs.subtract(this.#filters[i]!.excluded).without(taken);
    });
  }
}
