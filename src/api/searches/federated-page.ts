/** The hits of the requested page of a federated search, taken from the lists of all indexes. */
import type { TimeSlices } from '../../core/time-slices.ts';
import { DistinctHits, mergeHits, separatePins } from '../../model/federation.ts';
import { pageWithPins } from '../../model/pin-places.ts';
import { countGroups } from './federated-group-counts.ts';
import {
  documentsOfGroups,
  mergeGroups,
  type SharedGrouping,
  type ShownGroup,
} from './federated-groups.ts';
import { type IndexAnswer, type LocatedHit, locatedHits } from './index-answer.ts';

export type FederatedPage =
  | { readonly offset: number; readonly limit: number }
  | { readonly page: number; readonly hitsPerPage: number };

export interface PagePlan {
  readonly page: FederatedPage;
  readonly isDistinct: boolean;
  /** null unless groups are made here of documents of several instances. */
  readonly grouping: SharedGrouping | null;
  /** True if another instance makes groups of the hits, which needs the pinned ones behind the page. */
  readonly isPartOfGroups: boolean;
  /** null = facets are separate by index. */
  readonly mergeFacets: { readonly valuesMax: number | null } | null;
  /** Orders the first hits before the page is cut out; null = no reranker. */
  readonly rerank: { readonly topN: number } | null;
}

/** The page in hits; page 0 is empty. */
export function windowOf(page: FederatedPage): { readonly offset: number; readonly limit: number } {
  if ('offset' in page) return page;
  if (page.page === 0) return { offset: 0, limit: 0 };
  return { offset: (page.page - 1) * page.hitsPerPage, limit: page.hitsPerPage };
}

/** The hits to merge for a page: with a reranker from the first one on, if it orders any of them. */
export function mergedWindow(
  page: FederatedPage,
  topN: number,
): { readonly offset: number; readonly limit: number } {
  const { offset, limit } = windowOf(page);
  if (limit === 0 || offset >= topN) return { offset, limit };
  return { offset: 0, limit: Math.max(topN, offset + limit) };
}

export interface MergedPage {
  /** Of the instances that have answered all requests. */
  readonly answers: readonly IndexAnswer[];
  readonly shown: readonly LocatedHit[];
  /** Hits that share a distinct value with an earlier hit. */
  readonly droppedCount: number;
  /** null unless groups are made here. */
  readonly groups: ReadonlyMap<LocatedHit, ShownGroup> | null;
  /** Number of groups of several instances; null = unknown. */
  readonly groupCount: number | null;
}

export const pageOfHits = (
  answers: readonly IndexAnswer[],
  plan: PagePlan,
  slices: TimeSlices,
): Promise<MergedPage> =>
  plan.grouping === null
    ? mergedPage(answers, plan, slices)
    : groupedPage(answers, plan, plan.grouping, slices);

/** Without `distinct` the merge ends with the page. */
async function mergedPage(
  answers: readonly IndexAnswer[],
  { isDistinct, isPartOfGroups, page, rerank }: PagePlan,
  slices: TimeSlices,
): Promise<MergedPage> {
  const located: LocatedHit[][] = [];
  for (const answer of answers) {
    located.push(locatedHits(answer));
    await slices.between();
  }
  const { pinned, lists } = separatePins(located);
  const { offset, limit } = rerank === null ? windowOf(page) : mergedWindow(page, rerank.topN);
  const distinct = new DistinctHits();
  const pins = pinned.filter((hit) => !isDistinct || distinct.add(hit));
  const results: LocatedHit[] = [];
  let droppedCount = pinned.length - pins.length;
  let isEnd = true;
  for (const hit of mergeHits(lists)) {
    if (slices.isOver) await slices.next();
    if (isDistinct && !distinct.add(hit)) droppedCount += 1;
    else if (results.length < offset + limit) results.push(hit);
    else isEnd = false;
    if (!isEnd && !isDistinct) break;
  }
  const others = { results, from: 0, isEnd };
  return {
    answers,
    shown: isPartOfGroups
      ? [...pins, ...results]
      : pageWithPins(pins.map(placedPin), others, { offset, limit }),
    droppedCount,
    groups: null,
    groupCount: null,
  };
}

const placedPin = (result: LocatedHit) => ({ result, position: result.pin?.position ?? 0 });

/** Without an instance that fails, as if it had failed at first. */
async function groupedPage(
  answers: readonly IndexAnswer[],
  { page, mergeFacets }: PagePlan,
  grouping: SharedGrouping,
  slices: TimeSlices,
): Promise<MergedPage> {
  const { offset, limit } = windowOf(page);
  const end = offset + limit;
  for (let left = answers; ; ) {
    const merged = await mergeGroups(left, end, grouping.ask, slices);
    const { pins, results } = merged;
    const others = { results, from: 0, isEnd: results.length < end };
    const shown = pageWithPins(pins.map(placedPin), others, { offset, limit });
    const found = await documentsOfGroups(merged, shown, grouping);
    left = merged.answers.filter(({ remote }) => !found.failed.has(remote));
    if (found.failed.size > 0) continue;
    const hits = [...pins, ...results];
    const counted = await countGroups(left, hits, mergeFacets !== null, slices);
    return { ...counted, shown, droppedCount: 0, groups: found.groups };
  }
}
