/**
 * Documents by the value of a field: numbers, then strings, then documents without a value, in
 * either direction (relevance.md 3.10).
 */
import { compareBytes, encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import type { Column, NumberValues, StringValues } from '../../../engine/columns/columns-reader.ts';
import type { SortDirection } from '../../../model/sort-criterion.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { CACHE_KINDS } from '../../snapshot/cache-kinds.ts';
import { FieldValues } from '../../snapshot/field-values.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';
import { DocumentsByValue } from '../../values/documents-by-value.ts';
import type { Bucket, BucketSource, RankDetail, RankingRule, RuleInput } from './ranking-rule.ts';

export function fieldSort(
  path: string,
  direction: SortDirection,
  detailOf: (value: number | string | null) => RankDetail,
): RankingRule {
  return {
    start: ({ snapshot }, input) =>
      new FieldSortBuckets(snapshot, path, input, direction, detailOf),
  };
}

class FieldSortBuckets implements BucketSource {
  readonly #input: RuleInput;
  readonly #detailOf: (value: number | string | null) => RankDetail;
  /** Numbers, then strings. */
  readonly #merges: readonly [MergedOrder<NumberValues>, MergedOrder<StringValues>];

  constructor(
    snapshot: IndexSnapshot,
    path: string,
    input: RuleInput,
    direction: SortDirection,
    detailOf: (value: number | string | null) => RankDetail,
  ) {
    this.#input = input;
    this.#detailOf = detailOf;
    const isAscending = direction === 'asc';
    const sign = isAscending ? 1 : -1;
    const { parts } = new FieldValues(snapshot, path);
    const merged = <Values extends NumberValues | StringValues>(
      valuesOf: (column: Column) => Values,
      kind: ValueKind<Values>,
    ): MergedOrder<Values> =>
      new MergedOrder(
        parts.map(
          ({ column, dead }) => new DocumentsByValue(valuesOf(column), { dead, isAscending }),
        ),
        (value) => documentsWith(snapshot, path, value),
        kind,
      );
    this.#merges = [
      merged(({ numbers }) => numbers, {
        compare: (a, i, b, j) => (a.valueAt(i) - b.valueAt(j)) * sign,
        valueAt: (a, i) => a.valueAt(i),
      }),
      merged(({ strings }) => strings, {
        compare: (a, i, b, j) => compareBytes(a.bytesAt(i), b.bytesAt(j)) * sign,
        valueAt: (a, i) => a.textAt(i),
      }),
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
  /** Negative if the first comes first; never called for two ordinals of one column. */
  compare(a: Values, i: number, b: Values, j: number): number;
  valueAt(values: Values, ordinal: number): number | string;
}

interface OneValue {
  readonly value: number | string;
  readonly docs: DocSet;
}

/** Live documents that have a value. */
type DocumentsWith = (value: number | string) => DocSet;

/** In the query cache. */
const documentsWith = (snapshot: IndexSnapshot, path: string, value: number | string): DocSet =>
  snapshot.queryCache.getOrMake(CACHE_KINDS.valueDocuments, { path, value }, (part) =>
    new FieldValues(part, path).gather(({ numbers, strings }, bits) => {
      const ordinal =
        typeof value === 'number' ? numbers.find(value) : strings.find(encodeUtf8(value));
      if (ordinal < 0) return;
      const values = typeof value === 'number' ? numbers : strings;
      values.addDocuments(ordinal, ordinal + 1, bits);
    }),
  );

/** The values of all segments in one order. */
class MergedOrder<Values extends NumberValues | StringValues> {
  readonly #parts: readonly DocumentsByValue<Values>[];
  readonly #kind: ValueKind<Values>;
  readonly #documentsWith: DocumentsWith;

  constructor(
    parts: readonly DocumentsByValue<Values>[],
    documentsWith: DocumentsWith,
    kind: ValueKind<Values>,
  ) {
    this.#parts = parts;
    this.#documentsWith = documentsWith;
    this.#kind = kind;
  }

  /** The documents with the best value; null if no document has a value. */
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
    return { value, docs: this.#take(value, best, ordinals, universe) };
  }

  /** The documents of the universe with the first value of the parts `best`. */
  #take(
    value: number | string,
    best: readonly number[],
    ordinals: readonly number[],
    universe: DocSet,
  ): DocSet {
    const parts = best.map((p) => this.#parts[p]!);
    const frequency = best.reduce(
      (sum, p) => sum + this.#parts[p]!.values.documentFrequency(ordinals[p]!),
      0,
    );
    if (frequency > universe.bitsetLength && parts.every(({ isWalking }) => isWalking)) {
      for (const p of best) this.#parts[p]!.pass(ordinals[p]!);
      return universe.retain(this.#documentsWith(value));
    }
    return DocSet.unionOf(
      best.map((p) => this.#parts[p]!.take(ordinals[p]!, universe)),
      universe.bitsetLength,
    );
  }

  #compare(ordinals: readonly number[], p: number, q: number): number {
    return this.#kind.compare(
      this.#parts[p]!.values,
      ordinals[p]!,
      this.#parts[q]!.values,
      ordinals[q]!,
    );
  }
}
