/** The compiled kernels of vector search with their memory, one instance per thread. */
import { KernelSpace } from '../bytes/kernel-space.ts';
import { KERNELS_BASE64 } from './compiled-kernels.ts';

/** Arguments are addresses (multiples of 16) unless they are counts. */
interface KernelFunctions {
  normalize(vector: number, dimensions: number): void;
  /** Rotates the vector in-place; lengths and products stay the same. */
  rotate(vector: number, dimensions: number, signs: number, rounds: number): void;
  /** Products of one vector with `count` rows. */
  products(vector: number, rows: number, count: number, dimensions: number, into: number): void;
  /** Adds each vector to the row of its number, and 1 to that row's u32 count. */
  accumulate(
    vectors: number,
    count: number,
    dimensions: number,
    numbers: number,
    sums: number,
    counts: number,
  ): void;
  /** Writes f64 Σ query × row and f64 Σ row² of `count` rows of floats; the query is of f64. */
  compare(query: number, rows: number, count: number, dimensions: number, into: number): void;
  /** Rows of bytes to rows of floats; `rows` may be any multiple of 4. */
  widen(rows: number, count: number, dimensions: number, into: number): void;
  /** Writes a query's table for `scan`, and 16 bytes before it. */
  lookUp(query: number, dimensions: number, table: number): void;
  /**
   * Writes u32 place (`first` + place in the blocks) and f32 estimate of each vector of `count`
   * blocks whose estimate is ≥ `least`; returns their number.
   * @param sums 128 bytes
   */
  scan(
    blocks: number,
    count: number,
    table: number,
    dimensions: number,
    bits: number,
    least: number,
    first: number,
    into: number,
    sums: number,
  ): number;
  /** Writes the f32 estimates of records that are `stride` bytes apart. */
  estimate(
    records: number,
    count: number,
    stride: number,
    table: number,
    dimensions: number,
    bits: number,
    into: number,
  ): void;
  /** Writes the code of a vector relative to a centre, over zeros. */
  encode(
    vector: number,
    centre: number,
    dimensions: number,
    bits: number,
    penalty: number,
    record: number,
  ): void;
  /** Puts a record into one of the 32 places of a block, over zeros. */
  pack(record: number, block: number, lane: number, groups: number): void;
  /** Writes the u32 number of the nearest centroid of each vector. */
  assign(
    vectors: number,
    count: number,
    dimensions: number,
    centroids: number,
    halves: number,
    centroidCount: number,
    blocks: number,
    into: number,
    scratch: number,
  ): void;
}

export class Kernels extends KernelSpace<KernelFunctions> {
  constructor() {
    super(KERNELS_BASE64);
  }
}

let ofThread: Kernels | null = null;

/** The thread's kernels, compiled at first use. */
export function threadKernels(): Kernels {
  ofThread ??= new Kernels();
  return ofThread;
}
