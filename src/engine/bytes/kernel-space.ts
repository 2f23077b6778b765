/**
 * Functions compiled to WebAssembly, with the memory that they work in. Whoever runs them owns the
 * memory until it returns: areas are laid out anew by each use, from address 0 on.
 */
import { decodeBase64 } from './base64.ts';

/** The part of the platform's global that is used; its types come with browsers' only. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;
const PAGES_AT_FIRST = 8;

export class KernelSpace<Functions> {
  readonly #module: object;
  /** They and the views are others when `areas` has needed more room. */
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
    if (end > this.bytes.length) {
      const before = this.bytes;
      this.#move(Math.ceil(Math.max(end, before.length * 2) / PAGE_BYTES));
      this.bytes.set(before);
    }
    return addresses as { [I in keyof Sizes]: number };
  }

  /**
   * To a new memory, which takes room where it is written only. Growing would take the old one away
   * from its views, and once that has happened to any array, V8 checks for it wherever the thread
   * touches a typed array: such code takes 10 to 25 % longer from then on.
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
