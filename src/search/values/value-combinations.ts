/**
 * Combinations of the values of a field: documents with the same one are in the same group, whatever
 * hits precede (relevance.md 5.9). Several instances merge their groups by them.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
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
  const field = new FieldValues(snapshot, path);
  const combinations: string[][] = [];
  const numbers = new Map<string, number>();
  /** By part: number by the ordinals of a document. */
  const known = field.parts.map(() => new Map<number | string, number>());
  /** From 1; 0 = the document has no value. */
  const numberOf = (doc: number): number => {
    for (let p = 0; p < known.length; p++) {
      const key = ordinalsKey(field.parts[p]!, doc);
      if (key === null) continue;
      let number = known[p]!.get(key);
      if (number === undefined) {
        const values = valueKeys(field, doc);
        number = getOrCompute(numbers, JSON.stringify(values), () => combinations.push(values));
        known[p]!.set(key, number);
      }
      return number;
    }
    return 0;
  };
  const groupOf = TYPED_ARRAY_POOL.zeros(snapshot.bitsetLength * 32);
  const list = docs.toList();
  for (const doc of list) {
    check();
    groupOf[doc] = numberOf(doc);
    if (combinations.length > max) return null;
  }
  let count = combinations.length;
  for (const doc of list) if (groupOf[doc] === 0) groupOf[doc] = ++count;
  const loneCount = count - combinations.length;
  return { combinations, loneCount, groups: { groupOf, count } };
}

/** Identifies the values of a document within one part; null = none. */
function ordinalsKey({ column, dead }: FieldPart, doc: number): number | string | null {
  if (dead !== null && hasBit(dead, doc)) return null;
  const found: number[] = [];
  column.numbers.forEachOf(doc, (ordinal) => found.push(2 * ordinal));
  column.strings.forEachOf(doc, (ordinal) => found.push(2 * ordinal + 1));
  return found.length > 1 ? found.join() : (found[0] ?? null);
}
