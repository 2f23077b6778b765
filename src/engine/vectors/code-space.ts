/**
 * The space of codes: every vector becomes a direction or a point of `dimensions` rotated floats
 * whose products (or distances) order like the similarities of the metric.
 */
import type { Kernels } from './kernels.ts';
import type { VectorSpace } from './vectors.ts';

const ROTATION_ROUNDS = 3;

/** From this number of dimensions on one bit each suffices; below, two bits. */
const ONE_BIT_DIMENSIONS_MIN = 320;

export class CodeSpace {
  readonly space: VectorSpace;
  /** Dimensions of codes and centroids: a multiple of 8. */
  readonly dimensions: number;
  /** Bits of a code per dimension. */
  readonly bits: number;
  readonly #signs: Float32Array;

  constructor(space: VectorSpace) {
    this.space = space;
    this.dimensions = Math.ceil(space.dimensions / 8) * 8;
    this.bits = space.dimensions < ONE_BIT_DIMENSIONS_MIN ? 2 : 1;
    this.#signs = randomSigns(this.dimensions * ROTATION_ROUNDS);
  }

  /** Bytes of a vector or a centroid. */
  get vectorBytes(): number {
    return this.dimensions * 4;
  }

  /** Four code bits of 32 vectors. */
  get groups(): number {
    return (this.dimensions * this.bits) / 4;
  }

  /** Bytes of a code that is not in a block, a multiple of 4 (assembly/codes.ts). */
  get recordBytes(): number {
    return 8 + Math.ceil(this.groups / 8) * 4;
  }

  /** Bytes of a block of 32 codes. */
  get blockBytes(): number {
    return this.groups * 16 + 256;
  }

  /** Bytes of the blocks of this number of centroids, which have 1 bit a dimension. */
  centroidBytes(centroids: number): number {
    return Math.ceil(centroids / 32) * (this.dimensions * 4 + 256);
  }

  get signBytes(): number {
    return this.#signs.byteLength;
  }

  writeSigns(kernels: Kernels, at: number): void {
    kernels.floats.set(this.#signs, at / 4);
  }

  /** Writes the vector's form in this space to `at`; the signs are at `signs`. */
  place(vector: Float32Array, kernels: Kernels, at: number, signs: number): void {
    const { floats, run } = kernels;
    const first = at / 4;
    floats.set(vector, first);
    floats.fill(0, first + vector.length, first + this.dimensions);
    if (this.space.metric === 'hamming')
      for (let i = 0; i < vector.length; i++) floats[first + i] = vector[i]! > 0 ? 1 : -1;
    if (this.space.metric === 'cosine' || this.space.metric === 'hamming')
      run.normalize(at, this.dimensions);
    run.rotate(at, this.dimensions, signs, ROTATION_ROUNDS);
  }
}

/** ±1 by a fixed xorshift sequence: the rotation is part of the file format. */
function randomSigns(count: number): Float32Array {
  let state = 0x9e3779b9;
  return Float32Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state < 0 ? -1 : 1;
  });
}
