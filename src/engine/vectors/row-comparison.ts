/** Exact similarities of a query to stored vectors, some rows at a time. */
import { popCount } from '../sets/bitset.ts';
import { type Kernels, threadKernels } from './kernels.ts';
import { similarityOfBits, similarityOfSums } from './similarity.ts';
import { rowBytesOf, rowDimensions, type VectorRows, writeBits } from './vector-rows.ts';
import type { VectorMetric, VectorPrecision, VectorSpace } from './vectors.ts';

/** Rows that are compared in one batch. */
export const ROWS_AT_ONCE = 32;

/** Compares one query with rows of files of one space. Owns the kernels' memory while in use. */
export interface RowComparison {
  /**
   * Similarities of the first `count` (≤ `ROWS_AT_ONCE`) of these vectors, which are ascending, in
   * scratch space that the next call overwrites.
   */
  compare(rows: VectorRows, ordinals: Uint32Array, count: number): Float32Array;
}

export const compareRows = (
  query: Float32Array,
  { metric, precision }: VectorSpace,
): RowComparison =>
  metric === 'hamming' ? new BitComparison(query) : new SumComparison(query, metric, precision);

class SumComparison implements RowComparison {
  readonly #metric: Exclude<VectorMetric, 'hamming'>;
  readonly #kernels: Kernels;
  readonly #query: number;
  readonly #kept: number;
  readonly #wide: number;
  readonly #sums: number;
  readonly #querySquare: number;
  readonly #similarities = new Float32Array(ROWS_AT_ONCE);

  constructor(
    query: Float32Array,
    metric: Exclude<VectorMetric, 'hamming'>,
    precision: VectorPrecision,
  ) {
    this.#metric = metric;
    const dimensions = rowDimensions(query.length);
    const isWide = precision === 'float';
    const kernels = threadKernels();
    this.#kernels = kernels;
    const [asDoubles, kept, widened, sums] = kernels.areas([
      dimensions * 8,
      ROWS_AT_ONCE * rowBytesOf(precision, query.length),
      isWide ? 0 : ROWS_AT_ONCE * dimensions * 4,
      ROWS_AT_ONCE * 16,
    ]);
    this.#query = asDoubles;
    this.#kept = kept;
    this.#wide = isWide ? kept : widened;
    this.#sums = sums;
    kernels.doubles.fill(0, asDoubles / 8, asDoubles / 8 + dimensions);
    kernels.doubles.set(query, asDoubles / 8);
    kernels.floats.fill(0, this.#wide / 4, this.#wide / 4 + dimensions);
    kernels.floats.set(query, this.#wide / 4);
    kernels.run.compare(this.#query, this.#wide, 1, dimensions, sums);
    this.#querySquare = kernels.doubles[sums / 8]!;
  }

  compare(rows: VectorRows, ordinals: Uint32Array, count: number): Float32Array {
    const kernels = this.#kernels;
    const isRun = ordinals[count - 1]! - ordinals[0]! === count - 1;
    if (isRun) kernels.bytes.set(rows.rowsAt(ordinals[0]!, count), this.#kept);
    else
      for (let i = 0; i < count; i++)
        kernels.bytes.set(rows.rowsAt(ordinals[i]!, 1), this.#kept + i * rows.rowBytes);
    const dimensions = rowDimensions(rows.dimensions);
    if (this.#wide !== this.#kept) kernels.run.widen(this.#kept, count, dimensions, this.#wide);
    kernels.run.compare(this.#query, this.#wide, count, dimensions, this.#sums);
    const first = this.#sums / 8;
    for (let i = 0; i < count; i++)
      this.#similarities[i] = similarityOfSums(
        this.#metric,
        kernels.doubles[first + i * 2]!,
        this.#querySquare,
        kernels.doubles[first + i * 2 + 1]!,
      );
    return this.#similarities;
  }
}

class BitComparison implements RowComparison {
  readonly #query: Uint32Array;
  readonly #similarities = new Float32Array(ROWS_AT_ONCE);

  constructor(query: Float32Array) {
    this.#query = new Uint32Array(rowBytesOf('bit', query.length) / 4);
    writeBits(query, this.#query);
  }

  compare(rows: VectorRows, ordinals: Uint32Array, count: number): Float32Array {
    const { words, rowWords, dimensions } = rows;
    for (let i = 0; i < count; i++) {
      const first = ordinals[i]! * rowWords;
      let differing = 0;
      for (let word = 0; word < rowWords; word++)
        differing += popCount(words[first + word]! ^ this.#query[word]!);
      this.#similarities[i] = similarityOfBits(differing, dimensions);
    }
    return this.#similarities;
  }
}
