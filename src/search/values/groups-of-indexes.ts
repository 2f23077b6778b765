/**
 * Facet tables of several indexes for a merge, which adds their counts: a group with documents of
 * several indexes counts in one table for each value (relevance.md 5.9).
 */
import type { Deadline } from '../../core/deadline.ts';
import { normalizeValue, storedValueLength } from '../../engine/columns/normalize-value.ts';
import type { ValueSet } from '../../engine/columns/value-postings.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { FacetTable } from '../../model/federated-facets.ts';
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
  const counter = new ValueGroups(groupMax, deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS));
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
      counter.begin();
      for (const { table } of having)
        if (table.values.has(text)) table.values.set(text, counter.countNew(table, text));
    }
    for (const { table, i, at } of having)
      results[i]![at] = { ...results[i]![at]!, values: table.values };
  }
  return results;
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

/** Counts the groups of one value after the other. */
class ValueGroups {
  /** By group: the last value that it was counted for. */
  readonly #lastValues: Uint32Array;
  #value = 0;
  readonly #check: () => void;

  constructor(groupMax: number, check: () => void) {
    this.#lastValues = new Uint32Array(groupMax + 1);
    this.#check = check;
  }

  begin(): void {
    this.#value += 1;
  }

  /** Groups of a table that have the value and were not counted for it yet. */
  countNew(table: CountedTable, text: string): number {
    const bytes = utf8.encode(normalizeValue(text));
    const stored = bytes.subarray(0, storedValueLength(bytes));
    let isString = false;
    let count = 0;
    for (const { column, dead } of table.field.parts) {
      const ordinal = column.strings.find(stored);
      const found = this.#countIn(column.strings, ordinal, dead, table);
      isString ||= found !== null;
      count += found ?? 0;
    }
    if (isString) return count;
    for (const { column, dead } of table.field.parts)
      count += this.#countIn(column.numbers, column.numbers.find(Number(text)), dead, table) ?? 0;
    return count;
  }

  /** null if no document of the table has the value. */
  #countIn(
    values: ValueSet,
    ordinal: number,
    dead: Uint32Array | null,
    { bits, groupOf }: CountedTable,
  ): number | null {
    if (ordinal < 0) return null;
    let count: number | null = null;
    const end = values.firstEntry(ordinal + 1);
    for (let entry = values.firstEntry(ordinal); entry < end; entry++) {
      this.#check();
      const doc = values.documentAt(entry);
      if (!hasBit(bits, doc) || (dead !== null && hasBit(dead, doc))) continue;
      count ??= 0;
      const group = groupOf[doc]!;
      if (this.#lastValues[group] === this.#value) continue;
      this.#lastValues[group] = this.#value;
      count++;
    }
    return count;
  }
}
