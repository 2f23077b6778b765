/**
 * Numbers of groups over several instances (relevance.md 5.9): in total, and by facet value. A group
 * with documents of several instances counts once.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import type { FacetTable } from '../../model/federated-facets.ts';
import { isTables } from '../../model/federation.ts';
import { GroupNumbers, NewGroups, type ValueGroups } from '../../model/shared-groups.ts';
import type { IndexAnswer, LocatedHit } from './index-answer.ts';

interface CountedGroups {
  /** With facet counts that may be added. */
  readonly answers: readonly IndexAnswer[];
  /** null = an index has too many. */
  readonly groupCount: number | null;
}

/**
 * @param hits in order: documents belong to the first hit that shares a value
 * @param isMerged true if the facets of all indexes are added, false if only facets of the same uid are
 */
export async function countGroups(
  answers: readonly IndexAnswer[],
  hits: readonly LocatedHit[],
  isMerged: boolean,
  slices: TimeSlices,
): Promise<CountedGroups> {
  const numbers = new GroupNumbers();
  for (const { distinctValues } of hits) if (distinctValues.length > 0) numbers.of(distinctValues);
  let loneCount = 0;
  let isExact = true;
  const tables: CountedTable[] = [];
  for (const answer of answers) {
    const facts = answer.part.groupFacts;
    if (facts === null) continue;
    const { combinations } = facts;
    isExact &&= combinations !== null;
    loneCount += facts.loneCount;
    const groups = await groupsOf(combinations ?? [], numbers, slices);
    tables.push(...tablesOf(answer, groups, isMerged));
  }
  const counted = await countTables(tables, numbers.count, slices);
  return {
    answers: answers.map((answer) => {
      const { facets } = answer.part;
      if (!isTables(facets)) return answer;
      const own = facets.map((table) => counted.get(table) ?? table);
      return { ...answer, part: { ...answer.part, facets: own } };
    }),
    groupCount: isExact ? loneCount + numbers.count : null,
  };
}

/** By combination. */
async function groupsOf(
  combinations: readonly (readonly string[])[],
  numbers: GroupNumbers,
  slices: TimeSlices,
): Promise<Uint32Array> {
  const groups = new Uint32Array(combinations.length);
  for (const [i, values] of combinations.entries()) {
    if (slices.isOver) await slices.next();
    groups[i] = numbers.of(values);
  }
  return groups;
}

/** The tables of which the groups of each value are known. */
function tablesOf(
  { indexUid, part: { facets, groupFacts } }: IndexAnswer,
  groups: Uint32Array,
  isMerged: boolean,
): CountedTable[] {
  if (!isTables(facets)) return [];
  return facets.flatMap((table) => {
    const values = groupFacts?.facets?.get(table.path);
    const scope = JSON.stringify([isMerged ? null : indexUid, table.path]);
    return values === undefined ? [] : [{ scope, table, values, groups }];
  });
}

interface CountedTable {
  /** Tables of one scope are added. */
  readonly scope: string;
  readonly table: FacetTable;
  readonly values: ReadonlyMap<string, ValueGroups>;
  /** By combination: the number of its group. */
  readonly groups: Uint32Array;
}

/** In each scope a value loses the groups that an earlier table counts. */
async function countTables(
  tables: readonly CountedTable[],
  groupCount: number,
  slices: TimeSlices,
): Promise<ReadonlyMap<FacetTable, FacetTable>> {
  const byScope = new Map<string, CountedTable[]>();
  for (const table of tables) {
    getOrCompute(byScope, table.scope, () => []).push(table);
  }
  const groups = new NewGroups(groupCount);
  const counted = new Map<FacetTable, FacetTable>();
  for (const same of byScope.values()) {
    const counts = same.map((table) => ({ ...table, counts: new Map<string, number>() }));
    for (const text of new Set(same.flatMap(({ values }) => [...values.keys()]))) {
      if (slices.isOver) await slices.next();
      groups.begin();
      countValue(counts, text, groups);
    }
    for (const { table, counts: own } of counts) counted.set(table, withCounts(table, own));
  }
  return counted;
}

function countValue(
  tables: readonly (CountedTable & { readonly counts: Map<string, number> })[],
  text: string,
  counted: NewGroups,
): void {
  for (const { values, groups, counts } of tables) {
    const own = values.get(text);
    if (own === undefined) continue;
    const added = own.combinations.filter((combination) => counted.isNew(groups[combination] ?? 0));
    counts.set(text, own.loneCount + added.length);
  }
}

/** Several combinations may be one group, so the order by count may be another one. */
function withCounts(table: FacetTable, counts: ReadonlyMap<string, number>): FacetTable {
  const values = [...table.values].map(
    ([text, count]) => [text, counts.get(text) ?? count] as const,
  );
  if (table.order === 'count') values.sort(([, a], [, b]) => b - a);
  return { ...table, values: new Map(values) };
}
