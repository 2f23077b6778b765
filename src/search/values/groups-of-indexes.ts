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
  const visitor = new GroupVisitor(groupMax, deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS));
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
      visitor.begin();
      for (const { table } of having) {
        if (!table.values.has(text)) continue;
        let count = 0;
        visitor.forEachNew(table, text, () => count++);
        table.values.set(text, count);
      }
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
  const visitor = new GroupVisitor(index.groups?.count ?? 0, check);
  let left = max;
  const byPath = new Map<string, ReadonlyMap<string, ValueGroups>>();
  for (const [at, { path, values }] of index.tables.entries()) {
    const table = countedTable(index, at);
    const byValue = new Map<string, ValueGroups>();
    for (const text of values.keys()) {
      const combinations: number[] = [];
      let loneCount = 0;
      visitor.begin();
      visitor.forEachNew(table, text, (group) => {
        if (group > combinationCount) loneCount += 1;
        else combinations.push(group - 1);
      });
      left -= combinations.length;
      if (left < 0) return null;
      byValue.set(text, { combinations, loneCount });
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

/** Visits the groups of one value after the other. */
class GroupVisitor {
  readonly #groups: NewGroups;
  readonly #check: () => void;

  constructor(groupMax: number, check: () => void) {
    this.#groups = new NewGroups(groupMax);
    this.#check = check;
  }

  begin(): void {
    this.#groups.begin();
  }

  /** Visits the groups of a table that have the value and were not visited for it yet. */
  forEachNew(table: CountedTable, text: string, visit: (group: number) => void): void {
    const bytes = utf8.encode(normalizeValue(text));
    const stored = bytes.subarray(0, storedValueLength(bytes));
    let isString = false;
    for (const { column, dead } of table.field.parts) {
      const ordinal = column.strings.find(stored);
      if (this.#visit(column.strings, ordinal, { dead, table, visit })) isString = true;
    }
    if (isString) return;
    for (const { column, dead } of table.field.parts)
      this.#visit(column.numbers, column.numbers.find(Number(text)), { dead, table, visit });
  }

  /** False if no document of the table has the value. */
  #visit(values: ValueSet, ordinal: number, { dead, table, visit }: Visit): boolean {
    if (ordinal < 0) return false;
    let isFound = false;
    const end = values.firstEntry(ordinal + 1);
    for (let entry = values.firstEntry(ordinal); entry < end; entry++) {
      this.#check();
      const doc = values.documentAt(entry);
      if (!hasBit(table.bits, doc) || (dead !== null && hasBit(dead, doc))) continue;
      isFound = true;
      const group = table.groupOf[doc]!;
      if (this.#groups.isNew(group)) visit(group);
    }
    return isFound;
  }
}

interface Visit {
  readonly dead: Uint32Array | null;
  readonly table: CountedTable;
  readonly visit: (group: number) => void;
}
