/**
 * Facet tables of several indexes for a merge, which adds their counts: a group with documents of
 * several indexes counts in one table for each value (relevance.md 5.9).
 */
import type { Deadline } from '../../core/deadline.ts';
import { normalizeValue, storedValueLength } from '../../engine/columns/normalize-value.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { FacetTable } from '../../model/federated-facets.ts';
import { NewGroups, type ValueGroups } from '../../model/shared-groups.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { FacetGroups } from './segment-counts.ts';

const DOCUMENTS_BETWEEN_CHECKS = 1024;

/** An index with the tables of its groups. */
export interface CountedIndex {
  readonly snapshot: IndexSnapshot;
  /** The documents of all groups. */
  readonly candidates: DocSet;
  /** null = the tables are empty. */
  readonly groups: FacetGroups | null;
  readonly tables: readonly FacetTable[];
}

const utf8 = new TextEncoder();

/** The tables by index. A value that several of them have loses the groups that an earlier one counts. */
export function countGroupsOnce(
  indexes: readonly CountedIndex[],
  deadline: Deadline,
): (readonly FacetTable[])[] {
  const groupMax = Math.max(0, ...indexes.map(({ groups }) => groups?.count ?? 0));
  const visited = new NewGroups(groupMax);
  const check = deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS);
  const results = indexes.map(({ tables }) => [...tables]);
  const paths = new Set(indexes.flatMap(({ tables }) => tables.map(({ path }) => path)));
  for (const path of paths) {
    const places = indexes.flatMap(({ tables }, i) => {
      const at = tables.findIndex((table) => table.path === path);
      return at < 0 ? [] : [{ i, at }];
    });
    if (places.length < 2) continue;
    const having = places.map(({ i, at }) => ({ table: countedTable(indexes[i]!, at), i, at }));
    for (const text of sharedTexts(having.map(({ table }) => table))) {
      visited.begin();
      for (const { table } of having)
        if (table.values.has(text))
          table.values.set(text, newGroups(table, text, visited, check).length);
    }
    for (const { table, i, at } of having)
      results[i]![at] = { ...results[i]![at]!, values: table.values };
  }
  return results;
}

interface GroupBounds {
  /** Groups with greater numbers have one document without a value. */
  readonly combinationCount: number;
  /** Greatest number of pairs of a value with a combination. */
  readonly max: number;
}

/** By facet and value: its groups. null = more than `max`. */
export function groupsOfValues(
  index: CountedIndex,
  { combinationCount, max }: GroupBounds,
  deadline: Deadline,
): ReadonlyMap<string, ReadonlyMap<string, ValueGroups>> | null {
  const check = deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS);
  const visited = new NewGroups(index.groups?.count ?? 0);
  let left = max;
  const byPath = new Map<string, ReadonlyMap<string, ValueGroups>>();
  for (const [at, { path, values }] of index.tables.entries()) {
    const table = countedTable(index, at);
    const byValue = new Map<string, ValueGroups>();
    for (const text of values.keys()) {
      visited.begin();
      const found = newGroups(table, text, visited, check);
      const combined = found.filter((group) => group <= combinationCount);
      left -= combined.length;
      if (left < 0) return null;
      const combinations = combined.map((group) => group - 1);
      byValue.set(text, { combinations, loneCount: found.length - combined.length });
    }
    byPath.set(path, byValue);
  }
  return byPath;
}

/** A table whose counts change, and the documents that it counts. */
interface CountedTable {
  readonly field: FieldValues;
  readonly bits: Uint32Array;
  readonly groupOf: Uint32Array;
  readonly values: Map<string, number>;
}

const countedTable = (
  { snapshot, candidates, groups, tables }: CountedIndex,
  at: number,
): CountedTable => ({
  field: new FieldValues(snapshot, tables[at]!.path),
  bits: candidates.toBits(),
  groupOf: groups?.groupOf ?? new Uint32Array(0),
  values: new Map(tables[at]!.values),
});

function sharedTexts(tables: readonly CountedTable[]): string[] {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { values } of tables) {
    for (const text of values.keys()) if (seen.has(text)) shared.add(text);
    for (const text of values.keys()) seen.add(text);
  }
  return [...shared];
}

/** The groups of a table that have the value and were not visited for it yet. */
function newGroups(
  { field, bits, groupOf }: CountedTable,
  text: string,
  visited: NewGroups,
  check: () => void,
): number[] {
  const found: number[] = [];
  /** False if no document of the table has the value. */
  const visit = (values: ValueSet, ordinal: number, dead: Uint32Array | null): boolean => {
    if (ordinal < 0) return false;
    let isFound = false;
    const end = values.firstEntry(ordinal + 1);
    for (let entry = values.firstEntry(ordinal); entry < end; entry++) {
      check();
      const doc = values.documentAt(entry);
      if (!hasBit(bits, doc) || (dead !== null && hasBit(dead, doc))) continue;
      isFound = true;
      const group = groupOf[doc]!;
      if (visited.isNew(group)) found.push(group);
    }
    return isFound;
  };
  const bytes = utf8.encode(normalizeValue(text));
  const stored = bytes.subarray(0, storedValueLength(bytes));
  let isString = false;
  for (const { column, dead } of field.parts)
    if (visit(column.strings, column.strings.find(stored), dead)) isString = true;
  if (isString) return found;
  for (const { column, dead } of field.parts)
    visit(column.numbers, column.numbers.find(Number(text)), dead);
  return found;
}
