/**
 * Groups over several instances (relevance.md 5.9): takes the hits of the page from the lists of all
 * instances, then asks each instance for its documents of these groups.
 */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import { mergeHits, separatePins } from '../../model/federation.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import type { PrecedingGroup } from '../../model/shared-groups.ts';
import { type IndexAnswer, type LocatedHit, locatedHits } from './index-answer.ts';

/**
 * Repeated requests for one page. A document with several values may be in another group than within
 * its instance, and so may the documents that it excluded there.
 */
const LISTS_AGAIN_MAX = 10;

/** Groups that precede, and the number of hits that may follow them. */
export interface GroupsQuestion {
  readonly preceding: readonly PrecedingGroup[];
  readonly limit: number;
}

/** The answers of one instance; null = it failed. @param remote null = this instance */
export type AskForGroups = (
  remote: string | null,
  question: GroupsQuestion,
) => Promise<readonly IndexAnswer[] | null>;

export interface SharedGrouping {
  readonly groupSize: number;
  readonly ask: AskForGroups;
}

export interface ShownGroup {
  readonly count: number;
  readonly members: readonly LocatedHit[];
}

interface MergedGroups {
  /** Of the instances that have answered all requests. */
  readonly answers: readonly IndexAnswer[];
  /** Pinned hits, then best first, up to the end of the page. */
  readonly pins: readonly LocatedHit[];
  readonly results: readonly LocatedHit[];
}

interface InstanceList {
  readonly remote: string | null;
  readonly hits: readonly LocatedHit[];
  readonly isCut: boolean;
}

/** @param end number of hits up to the end of the page, without pinned ones */
export async function mergeGroups(
  answers: readonly IndexAnswer[],
  end: number,
  ask: AskForGroups,
  slices: TimeSlices,
): Promise<MergedGroups> {
  let left = answers;
  let lists = listsOf(left, end);
  for (let again = 0; ; again++) {
    const { pins, results, stale } = await takeHits(lists, end, slices);
    if (stale === null || again === LISTS_AGAIN_MAX) return { answers: left, pins, results };
    const { remote } = stale;
    const taken = [...pins, ...results];
    const preceding = taken.map(({ distinctValues }) => ({ values: distinctValues, size: 0 }));
    const found = await ask(remote, { preceding, limit: end });
    if (found === null) {
      left = left.filter((answer) => answer.remote !== remote);
      lists = listsOf(left, end);
      continue;
    }
    const own = taken.filter((hit) => hit.remote === remote);
    const known = new Set(own.map(documentOf));
    const more = found.flatMap(locatedHits);
    const hits = [...own, ...more.filter((hit) => !known.has(documentOf(hit)))];
    const list = { remote, hits, isCut: more.length >= end };
    lists = lists.map((other) => (other.remote === remote ? list : other));
  }
}

const documentOf = ({ group }: LocatedHit): string => group?.document ?? '';

/** One list for each instance. */
function listsOf(answers: readonly IndexAnswer[], end: number): readonly InstanceList[] {
  return answers.flatMap((answer) => {
    const hits = locatedHits(answer);
    return hits.length === 0 ? [] : [{ remote: answer.remote, hits, isCut: hits.length >= end }];
  });
}

interface TakenHits {
  readonly pins: readonly LocatedHit[];
  readonly results: readonly LocatedHit[];
  /** The instance whose list lacks hits that may follow the taken ones; null = none. */
  readonly stale: { readonly remote: string | null } | null;
}

/**
 * A hit that shares a value with an earlier one is none. If it has a value of its own, its list has
 * left out documents with that value.
 */
async function takeHits(
  lists: readonly InstanceList[],
  end: number,
  slices: TimeSlices,
): Promise<TakenHits> {
  const seen = new Set<string>();
  const isFree = ({ distinctValues }: LocatedHit) =>
    !distinctValues.some((value) => seen.has(value));
  const isOnlySeen = ({ distinctValues }: LocatedHit) =>
    distinctValues.every((value) => seen.has(value));
  const { pinned, lists: ranked } = separatePins(lists.map(({ hits }) => hits));
  const pins: LocatedHit[] = [];
  const results: LocatedHit[] = [];
  const take = (hit: LocatedHit, hits: LocatedHit[]): boolean => {
    if (!isFree(hit)) return isOnlySeen(hit);
    for (const value of hit.distinctValues) seen.add(value);
    hits.push(hit);
    return true;
  };
  for (const pin of pinned) if (!take(pin, pins)) return { pins, results, stale: pin };
  for (const hit of mergeHits(ranked)) {
    if (slices.isOver) await slices.next();
    if (results.length >= end) return { pins, results, stale: null };
    if (!take(hit, results)) return { pins, results, stale: hit };
  }
  const stale = results.length < end ? lists.find(({ isCut }) => isCut) : undefined;
  return { pins, results, stale: stale ?? null };
}

interface FoundDocuments {
  readonly groups: ReadonlyMap<LocatedHit, ShownGroup>;
  /** Instances that failed; then the groups lack documents. */
  readonly failed: ReadonlySet<string | null>;
}

export async function documentsOfGroups(
  { answers, pins, results }: MergedGroups,
  shown: readonly LocatedHit[],
  { groupSize, ask }: SharedGrouping,
): Promise<FoundDocuments> {
  const isShown = new Set(shown);
  const sized = [...pins, ...results].map((hit) => {
    const values = hit.distinctValues;
    return { hit, values, size: isShown.has(hit) && values.length > 0 ? groupSize : 0 };
  });
  const asked = sized.filter(({ size }) => size > 0);
  const groups = new Map<LocatedHit, ShownGroup>(
    shown.map((hit) => [hit, { count: 1, members: [] }]),
  );
  const failed = new Set<string | null>();
  if (asked.length === 0) return { groups, failed };
  const preceding = sized.map(({ values, size }) => ({ values, size }));
  const instances = [...new Set(answers.map(({ remote }) => remote))];
  const found = await mapInParallel(instances, PARALLEL_INSTANCES_MAX, async (remote) => {
    const own = await ask(remote, { preceding, limit: 0 });
    if (own === null) failed.add(remote);
    return own ?? [];
  });
  const parts = found.flat();
  for (const [at, { hit }] of asked.entries()) {
    let count = 0;
    const lists = parts.map(({ part: { precedingGroups }, bytes, remote }) => {
      const group = precedingGroups[at];
      count += group?.count ?? 0;
      return (group?.hits ?? []).map((member) => ({ ...member, bytes, remote }));
    });
    const isHit = (member: LocatedHit): boolean =>
      member.remote === hit.remote && documentOf(member) === documentOf(hit);
    const members = [...mergeHits(lists)].filter((member) => !isHit(member));
    groups.set(hit, { count: Math.max(1, count), members: members.slice(0, groupSize - 1) });
  }
  return { groups, failed };
}

export function withGroup(
  { bytes, start, end, group }: LocatedHit,
  { count, members }: ShownGroup,
): Uint8Array {
  const parts = [
    bytes.subarray(start, end - 1),
    Buffer.from(
      `,"_group":{"value":${JSON.stringify(group?.value ?? null)},"count":${count},"hits":[`,
    ),
  ];
  members.forEach((member, i) => {
    if (i > 0) parts.push(Buffer.from(','));
    parts.push(member.bytes.subarray(member.start, member.end));
  });
  return Buffer.concat([...parts, Buffer.from(']}}')]);
}
