/**
 * Groups of a search with `groupBy` (relevance.md 5.9): each hit is the best document of its group,
 * the members are the documents that share one of its values and belong to no earlier hit.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { SearchRequest } from '../../model/search.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { DistinctFilter, type GroupValue } from './distinct.ts';
import type { GroupedList } from './segment-counts.ts';

const DOCUMENTS_BETWEEN_CHECKS = 256;

export interface DocumentGroup<Member> {
  readonly value: GroupValue;
  /** Number of documents, the hit included. */
  readonly count: number;
  /** The best documents after the hit. */
  readonly members: readonly Member[];
}

/** What the groups are made of. */
export interface Groupable<Hit, Member> {
  /** Best first, from the first hit on; a hit that an earlier one excludes is left out. */
  readonly ranked: readonly Hit[];
  /** The documents of all groups. */
  readonly candidates: DocSet;
  readonly docOf: (hit: Hit) => number;
  /** True if the hit at this place, from 0, is shown with its group. */
  readonly isShown: (place: number) => boolean;
  /** The best documents of a set. */
  readonly rank: (docs: DocSet, count: number) => readonly Member[];
  /** True if facets are counted by group, which takes up to 16 bytes a document. */
  readonly isListed: boolean;
}

export interface GroupedDocuments<Hit, Member> {
  /** One of each group. */
  readonly hits: readonly Hit[];
  /** By hit that is shown. */
  readonly groups: ReadonlyMap<Hit, DocumentGroup<Member>>;
  /** One document of each group: those of `hits`, then the first ones. */
  readonly representatives: DocSet;
  /** The documents of all groups, group by group; null = not listed. */
  readonly list: GroupedList | null;
}

export function groupDocuments<Hit, Member>(
  snapshot: IndexSnapshot,
  { groupBy, groupSize }: Pick<SearchRequest, 'groupSize'> & { readonly groupBy: string },
  { ranked, candidates, docOf, isShown, rank, isListed }: Groupable<Hit, Member>,
  deadline: Deadline,
): GroupedDocuments<Hit, Member> {
  const groupOf = isListed ? TYPED_ARRAY_POOL.zeros(snapshot.bitsetLength * 32) : null;
  const distinct = new DistinctFilter(snapshot, groupBy, groupOf);
  const hits: Hit[] = [];
  const groups = new Map<Hit, DocumentGroup<Member>>();
  for (const hit of ranked) {
    deadline.check();
    const doc = docOf(hit);
    if (distinct.isExcluded(doc)) continue;
    if (isShown(hits.length)) {
      const others = distinct.take(doc, candidates);
      const isRanked = groupSize > 1 && !others.isEmpty;
      groups.set(hit, {
        value: distinct.valueOf(doc),
        count: others.count + 1,
        members: isRanked ? rank(others, groupSize - 1) : [],
      });
    } else distinct.keep(doc);
    hits.push(hit);
  }
  const check = deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS);
  const representatives = distinct.exhaust(candidates, check);
  const list =
    groupOf === null ? null : listByGroup(candidates, groupOf, distinct.groupCount, check);
  return { hits, groups, representatives, list };
}

/** @param groupOf number of the group of each document, from 1; not valid afterwards */
function listByGroup(
  candidates: DocSet,
  groupOf: Uint32Array,
  groupCount: number,
  check: () => void,
): GroupedList {
  const ascending = candidates.toList();
  const docs = TYPED_ARRAY_POOL.numbers(ascending.length);
  const ends = new Uint32Array(groupCount);
  for (let i = 0; i < ascending.length; i++) ends[groupOf[ascending[i]!]! - 1]!++;
  // Starts of the groups until the second walk, which moves each to its end.
  let start = 0;
  for (let group = 0; group < ends.length; group++) {
    const count = ends[group]!;
    ends[group] = start;
    start += count;
  }
  for (let i = 0; i < ascending.length; i++) {
    check();
    docs[ends[groupOf[ascending[i]!]! - 1]!++] = ascending[i]!;
  }
  TYPED_ARRAY_POOL.release(groupOf);
  return { docs, ends };
}
