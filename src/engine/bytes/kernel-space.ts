/**
 * Functions compiled to WebAssembly, with the memory that they work in. Whoever runs them owns the
 * memory until it returns: areas are laid out anew by each use, from address 0 on.
 */
import { decodeBase64 } from './base64.ts';

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

const PAGE_BYTES = 65_536;
const PAGES_AT_FIRST = 8;

export class KernelSpace<Functions> {
  readonly run: Functions;
  readonly #memory: WasmMemory;
  bytes: Uint8Array;
  halves: Uint16Array;
  words: Uint32Array;
  floats: Float32Array;
  doubles: Float64Array;

  constructor(compiledBase64: string) {
    this.#memory = new WebAssembly.Memory({ initial: PAGES_AT_FIRST });
    const module = new WebAssembly.Module(decodeBase64(compiledBase64));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    this.run = exports as Functions;
    this.bytes = new Uint8Array(this.#memory.buffer);
    this.halves = new Uint16Array(this.#memory.buffer);
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
    this.halves = new Uint16Array(this.#memory.buffer);
    this.words = new Uint32Array(this.#memory.buffer);
    this.floats = new Float32Array(this.#memory.buffer);
    this.doubles = new Float64Array(this.#memory.buffer);
  }
}
