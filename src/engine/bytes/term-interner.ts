/** Numbers distinct byte strings (terms) in order of first use. All bytes are in one arena. */
import { ByteBuffer } from './byte-buffer.ts';

const FIRST_SLOTS = 1 << 12;
/** Ranges this small are sorted by insertion. */
const INSERTION_MAX = 12;

export class TermInterner {
  readonly #arena: ByteBuffer;
  /** Open addressing with linear probing: term number + 1, or 0. At most half full. */
  #slots: Uint32Array;
  #hashes: Uint32Array;
  /** Term `t` is `arena[starts[t], starts[t + 1])`. */
  #starts: Uint32Array;
  #count = 0;

  /** @param firstSlots a power of two: room at the start for half as many terms */
  constructor(firstSlots = FIRST_SLOTS) {
    this.#arena = new ByteBuffer(firstSlots * 8);
    this.#slots = new Uint32Array(firstSlots);
    this.#hashes = new Uint32Array(firstSlots / 2);
    this.#starts = new Uint32Array(firstSlots / 2 + 1);
  }

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    return (
      this.#arena.bytes.length +
      this.#slots.byteLength +
      this.#hashes.byteLength +
      this.#starts.byteLength
    );
  }

  get arena(): Uint8Array {
    return this.#arena.bytes;
  }

  start(term: number): number {
    return this.#starts[term]!;
  }

  end(term: number): number {
    return this.#starts[term + 1]!;
  }

  /** Number of the term `bytes[0, length)` with this hash. */
  intern(bytes: Uint8Array, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const term = slots[at]! - 1;
      if (term < 0) return this.#add(at, bytes, length, hash);
      if (this.#hashes[term] === hash && this.#equals(term, bytes, 0, length)) return term;
    }
  }

  /** Number of the term `bytes[start, end)` with this hash, or −1. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const term = slots[at]! - 1;
      if (term < 0) return -1;
      if (this.#hashes[term] === hash && this.#equals(term, bytes, start, end)) return term;
    }
  }

  #equals(term: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[term]!;
    if (this.#starts[term + 1]! - from !== end - start) return false;
    const arena = this.#arena.bytes;
    for (let i = end - start - 1; i >= 0; i--)
      if (arena[from + i] !== bytes[start + i]) return false;
    return true;
  }

  #add(slot: number, bytes: Uint8Array, length: number, hash: number): number {
    const term = this.#count++;
    this.#slots[slot] = term + 1;
    this.#hashes[term] = hash;
    this.#arena.pushRange(bytes, 0, length);
    this.#starts[term + 1] = this.#arena.length;
    if (this.#count === this.#hashes.length) this.#grow();
    return term;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const hashes = new Uint32Array(this.#hashes.length * 2);
    const starts = new Uint32Array(this.#hashes.length * 2 + 1);
    hashes.set(this.#hashes);
    starts.set(this.#starts);
    const mask = slots.length - 1;
    for (let term = 0; term < this.#count; term++) {
      let at = hashes[term]! & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = term + 1;
    }
    this.#slots = slots;
    this.#hashes = hashes;
    this.#starts = starts;
  }

  /** All term numbers by ascending bytes: multikey quicksort on the arena. */
  sorted(): Uint32Array {
    const order = new Uint32Array(this.#count);
    for (let i = 0; i < order.length; i++) order[i] = i;
    this.#sort(order, 0, order.length, 0);
    return order;
  }

  /** Byte `depth` of the term, or −1 after its end. */
  #byteAt(term: number, depth: number): number {
    const at = this.#starts[term]! + depth;
    return at < this.#starts[term + 1]! ? this.#arena.bytes[at]! : -1;
  }

  #sort(order: Uint32Array, start: number, end: number, fromDepth: number): void {
    let lo = start;
    let hi = end;
    let depth = fromDepth;
    while (hi - lo > INSERTION_MAX) {
      const pivot = this.#pivot(order, lo, hi, depth);
      let less = lo;
      let greater = hi;
      for (let i = lo; i < greater; ) {
        const byte = this.#byteAt(order[i]!, depth);
        if (byte < pivot) swap(order, i++, less++);
        else if (byte > pivot) swap(order, i, --greater);
        else i++;
      }
      this.#sort(order, lo, less, depth);
      this.#sort(order, greater, hi, depth);
      if (pivot < 0) return;
      lo = less;
      hi = greater;
      depth++;
    }
    this.#insertionSort(order, lo, hi, depth);
  }

  #pivot(order: Uint32Array, lo: number, hi: number, depth: number): number {
    const a = this.#byteAt(order[lo]!, depth);
    const b = this.#byteAt(order[(lo + hi) >>> 1]!, depth);
    const c = this.#byteAt(order[hi - 1]!, depth);
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  #insertionSort(order: Uint32Array, lo: number, hi: number, depth: number): void {
    for (let i = lo + 1; i < hi; i++) {
      const term = order[i]!;
      let at = i;
      while (at > lo && this.#isLess(term, order[at - 1]!, depth)) {
        order[at] = order[at - 1]!;
        at--;
      }
      order[at] = term;
    }
  }

  #isLess(a: number, b: number, fromDepth: number): boolean {
    for (let depth = fromDepth; ; depth++) {
      const byteA = this.#byteAt(a, depth);
      const byteB = this.#byteAt(b, depth);
      if (byteA !== byteB) return byteA < byteB;
      if (byteA < 0) return false;
    }
  }
}

function swap(items: Uint32Array, a: number, b: number): void {
  const item = items[a]!;
  items[a] = items[b]!;
  items[b] = item;
}
