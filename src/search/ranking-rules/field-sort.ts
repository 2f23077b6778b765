/** Documents by the value of a field: numbers, then strings, then the rest, in either direction (relevance.md 3.10). */
import { compareBytes } from '../../engine/bytes/utf8.ts';
import type { NumberValues, StringValues } from '../../engine/columns/columns.ts';
import type { SortDirection } from '../../model/sort-criterion.ts';
import { DocSet } from '../doc-set.ts';
import { FieldValues } from '../field-values.ts';
import { ValueOrder } from '../value-order.ts';
import type { Bucket, BucketSource, RankDetail, RankingRule, RuleInput } from './ranking-rule.ts';

export function fieldSort(
  path: string,
  direction: SortDirection,
  detailOf: (value: number | string | null) => RankDetail,
): RankingRule {
  return {
    start: ({ snapshot }, input) => new FieldSortBuckets(new FieldValues(snapshot, path), input, direction, detailOf),
  };
}

class FieldSortBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #detailOf: (value: number | string | null) => RankDetail;
  /** Numbers, then strings. */
  readonly #merges: readonly [MergedOrder<NumberValues>, MergedOrder<StringValues>];

  constructor(
    { parts }: FieldValues,
    input: RuleInput,
    direction: SortDirection,
    detailOf: (value: number | string | null) => RankDetail,
  ) {
    this.#input = input;
    this.#detailOf = detailOf;
    const isAscending = direction === 'asc';
    const sign = isAscending ? 1 : -1;
    this.#merges = [
      new MergedOrder(
        parts.map(({ column, dead }) => new ValueOrder(column.numbers, dead, isAscending)),
        { compare: (a, i, b, j) => (a.valueAt(i) - b.valueAt(j)) * sign, valueAt: (a, i) => a.valueAt(i) },
      ),
      new MergedOrder(
        parts.map(({ column, dead }) => new ValueOrder(column.strings, dead, isAscending)),
        { compare: (a, i, b, j) => compareBytes(a.bytesAt(i), b.bytesAt(j)) * sign, valueAt: (a, i) => a.textAt(i) },
      ),
    ];
  }

  next(universe: DocSet): Bucket | null {
    if (universe.isEmpty) return null;
    const found = this.#merges[0].next(universe) ?? this.#merges[1].next(universe);
    return found === null ? this.#bucket(universe, null) : this.#bucket(found.docs, found.value);
  }

  #bucket(docs: DocSet, value: number | string | null): Bucket {
    const { graph, positions } = this.#input;
    return { docs, graph, detail: this.#detailOf(value), positions };
  }
}

interface ValueKind<Values> {
  /** Negative when the first comes first; never called for two ordinals of one column. */
  compare(a: Values, i: number, b: Values, j: number): number;
  valueAt(values: Values, ordinal: number): number | string;
}

interface OneValue {
  readonly value: number | string;
  readonly docs: DocSet;
}

/** The values of all segments as one order. */
class MergedOrder<Values extends NumberValues | StringValues> {
  readonly #parts: readonly ValueOrder<Values>[];
  readonly #kind: ValueKind<Values>;

  constructor(parts: readonly ValueOrder<Values>[], kind: ValueKind<Values>) {
    this.#parts = parts;
    this.#kind = kind;
  }

  /** The documents that have the best value; null when none has any. */
  next(universe: DocSet): OneValue | null {
    const ordinals = this.#parts.map((part) => part.first(universe));
    let best: number[] = [];
    ordinals.forEach((ordinal, p) => {
      if (ordinal < 0) return;
      const order = best[0] === undefined ? -1 : this.#compare(ordinals, p, best[0]);
      if (order < 0) best = [p];
      else if (order === 0) best.push(p);
    });
    const [first] = best;
    if (first === undefined) return null;
    const value = this.#kind.valueAt(this.#parts[first]!.values, ordinals[first]!);
    const taken = best.map((p) => this.#parts[p]!.take(ordinals[p]!, universe));
    return { value, docs: taken.length === 1 ? taken[0]! : DocSet.unionOf(taken, universe.words) };
  }

  #compare(ordinals: readonly number[], p: number, q: number): number {
    return this.#kind.compare(this.#parts[p]!.values, ordinals[p]!, this.#parts[q]!.values, ordinals[q]!);
  }
}
