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
import type { FacetGroups } from './segment-counts.ts';

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
  /** True if facets are counted by group, which takes 4 bytes a document of the index. */
  readonly hasFacets: boolean;
}

export interface GroupedDocuments<Hit, Member> {
  /** One of each group. */
  readonly hits: readonly Hit[];
  /** By hit that is shown. */
  readonly groups: ReadonlyMap<Hit, DocumentGroup<Member>>;
  /** One document of each group: those of `hits`, then the first ones. */
  readonly representatives: DocSet;
  /** null without facets. */
  readonly facetGroups: FacetGroups | null;
}

export function groupDocuments<Hit, Member>(
  snapshot: IndexSnapshot,
  { groupBy, groupSize }: Pick<SearchRequest, 'groupSize'> & { readonly groupBy: string },
  { ranked, candidates, docOf, isShown, rank, hasFacets }: Groupable<Hit, Member>,
  deadline: Deadline,
): GroupedDocuments<Hit, Member> {
  const groupOf = hasFacets ? TYPED_ARRAY_POOL.zeros(snapshot.bitsetLength * 32) : null;
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
  const facetGroups = groupOf === null ? null : { groupOf, count: distinct.groupCount };
  return { hits, groups, representatives, facetGroups };
}
