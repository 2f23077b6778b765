/**
 * Combinations of the values of a field: documents with the same one are in the same group, whatever
 * hits precede (relevance.md 5.9). Several instances merge their groups by them.
 */
import { hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import { type FieldPart, FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { valueKeys } from './distinct.ts';
import type { FacetGroups } from './segment-counts.ts';

export interface ValueCombinations {
  /** Keys of the values of each combination. */
  readonly combinations: readonly (readonly string[])[];
  readonly loneCount: number;
  /** Numbers of combinations, from 1, then one for each document without a value. */
  readonly groups: FacetGroups;
}

/** null = more than `max`. @param check called for each document; may throw */
export function valueCombinations(
  snapshot: IndexSnapshot,
  path: string,
  docs: DocSet,
  { max, check }: { readonly max: number; readonly check: () => void },
): ValueCombinations | null {
  const numbers = new CombinationNumbers(new FieldValues(snapshot, path));
  const { combinations } = numbers;
  const groupOf = TYPED_ARRAY_POOL.zeros(snapshot.bitsetLength * 32);
  const list = docs.toList();
  for (const doc of list) {
    check();
    groupOf[doc] = numbers.of(doc);
    if (combinations.length > max) return null;
  }
  let count = combinations.length;
  for (const doc of list) if (groupOf[doc] === 0) groupOf[doc] = ++count;
  const loneCount = count - combinations.length;
  return { combinations, loneCount, groups: { groupOf, count } };
}

class CombinationNumbers {
  readonly combinations: string[][] = [];
  readonly #values: FieldValues;
  /** By part: number by the ordinals of a document. */
  readonly #known: readonly Map<number | string, number>[];
  readonly #numbers = new Map<string, number>();

  constructor(values: FieldValues) {
    this.#values = values;
    this.#known = values.parts.map(() => new Map());
  }

  /** From 1; 0 = the document has no value. */
  of(doc: number): number {
    const { parts } = this.#values;
    for (let p = 0; p < parts.length; p++) {
      const key = ordinalsKey(parts[p]!, doc);
      if (key === null) continue;
      const known = this.#known[p]!;
      let number = known.get(key);
      if (number === undefined) {
        number = this.#numberOf(valueKeys(this.#values, doc));
        known.set(key, number);
      }
      return number;
    }
    return 0;
  }

  #numberOf(values: string[]): number {
    const key = JSON.stringify(values);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.combinations.push(values);
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** Identifies the values of a document within one part; null = none. */
function ordinalsKey({ column, dead }: FieldPart, doc: number): number | string | null {
  if (dead !== null && hasBit(dead, doc)) return null;
  const found: number[] = [];
  column.numbers.forEachOf(doc, (ordinal) => found.push(2 * ordinal));
  column.strings.forEachOf(doc, (ordinal) => found.push(2 * ordinal + 1));
  return found.length > 1 ? found.join() : (found[0] ?? null);
}
