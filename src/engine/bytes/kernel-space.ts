/**
 * Functions compiled to WebAssembly, with their memory. The caller owns the memory until it
 * returns: each use lays out its own areas, from address 0 on.
 */
import { decodeBase64 } from './base64.ts';

/** The used part of the platform's global; its types come only with the browser types. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;
const PAGES_AT_FIRST = 8;

export class KernelSpace<Functions> {
  readonly #module: object;
  /** The memory and its views are replaced when `areas` needs more room. */
  run!: Functions;
  bytes!: Uint8Array;
  halves!: Uint16Array;
  words!: Uint32Array;
  floats!: Float32Array;
  doubles!: Float64Array;

  constructor(compiledBase64: string) {
    this.#module = new WebAssembly.Module(decodeBase64(compiledBase64));
    this.#move(PAGES_AT_FIRST);
  }

  /** Addresses of areas of these sizes in bytes; areas may hold bytes of earlier uses. */
  areas<const Sizes extends readonly number[]>(
    sizes: Sizes,
  ): { readonly [I in keyof Sizes]: number } {
    let end = 0;
    const addresses = sizes.map((size) => {
      const address = end;
      end += Math.ceil(size / 16) * 16;
      return address;
    });
    if (end > this.bytes.length) {
      const before = this.bytes;
      this.#move(Math.ceil(Math.max(end, before.length * 2) / PAGE_BYTES));
      this.bytes.set(before);
    }
    return addresses as { [I in keyof Sizes]: number };
  }

  /**
   * Allocates a new memory, whose pages take room only once written. Growing the old one would
   * detach its views; once any array of a thread was detached, V8 checks for it at each access to a
   * typed array, and such code takes 10 to 25 % longer from then on.
   */
  #move(pages: number): void {
    const memory = new WebAssembly.Memory({ initial: pages });
    const { exports } = new WebAssembly.Instance(this.#module, { env: { memory } });
    this.run = exports as Functions;
    this.bytes = new Uint8Array(memory.buffer);
    this.halves = new Uint16Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
    this.floats = new Float32Array(memory.buffer);
    this.doubles = new Float64Array(memory.buffer);
  }
}
