/**
 * The compiled kernels with their memory, one for each thread. Whoever runs them owns the memory
 * until it returns: areas are laid out anew by each search and each build, from address 0 on.
 */
import { decodeBase64 } from '../bytes/base64.ts';
import { KERNELS_BASE64 } from './compiled-kernels.ts';

/** The part of the platform's global that is used; its types come with browsers' only. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** Arguments are addresses (multiples of 16) unless they are counts. */
interface KernelFunctions {
  normalize(vector: number, dimensions: number): void;
  /** Turns the vector in place; lengths and products stay. */
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
   * blocks whose estimate is ≥ `least`; returns how many.
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

const PAGE_BYTES = 65_536;

export class Kernels {
  readonly run: KernelFunctions;
  readonly #memory: WasmMemory;
  bytes: Uint8Array;
  words: Uint32Array;
  floats: Float32Array;
  doubles: Float64Array;

  constructor() {
    this.#memory = new WebAssembly.Memory({ initial: 8 });
    const module = new WebAssembly.Module(decodeBase64(KERNELS_BASE64));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    this.run = exports as KernelFunctions;
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.words = new Uint32Array(this.#memory.buffer);
    this.floats = new Float32Array(this.#memory.buffer);
    this.doubles = new Float64Array(this.#memory.buffer);
  }

  /** Addresses of areas of these sizes in bytes; what areas held before may still be in them. */
  areas<const Sizes extends readonly number[]>(
    sizes: Sizes,
  ): { readonly [I in keyof Sizes]: number } {
    let end = 0;
    const addresses = sizes.map((size) => {
      const address = end;
      end += Math.ceil(size / 16) * 16;
      return address;
    });
    this.#reach(end);
    return addresses as { [I in keyof Sizes]: number };
  }

  #reach(end: number): void {
    const missing = end - this.bytes.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.words = new Uint32Array(this.#memory.buffer);
    this.floats = new Float32Array(this.#memory.buffer);
    this.doubles = new Float64Array(this.#memory.buffer);
  }
}

let ofThread: Kernels | null = null;

/** The thread's kernels, compiled when first asked for. */
export function threadKernels(): Kernels {
  ofThread ??= new Kernels();
  return ofThread;
}
