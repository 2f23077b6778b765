/**
 * Numbers by name in memory that all threads of a process may share; 0 = unknown name. A
 * set-associative table with four words per place, identified by 16 hash bits: two names with the
 * same place and bits, one pair in 134 million, count as one. If all four words are taken, the
 * lowest number is replaced. A word is the name's bits << 48 | its number.
 */
import { hashFinish, hashText } from '../core/hash.ts';

const PLACES = 2048;
const WAYS = 4;
/** Numbers are below 2 ** 48. */
const NUMBER_BITS = 48n;
const NUMBER_MASK = (1n << NUMBER_BITS) - 1n;

/** Bytes of the shared memory. */
export const SHARED_FACTS_BYTES = PLACES * WAYS * BigUint64Array.BYTES_PER_ELEMENT;

export class SharedFacts {
  readonly #words: BigUint64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new BigUint64Array(memory, 0, PLACES * WAYS);
  }

  get(name: string): number {
    const { first, bits } = placeOf(name);
    for (let at = first; at < first + WAYS; at++) {
      const word = Atomics.load(this.#words, at);
      if (word !== 0n && word >> NUMBER_BITS === bits) return Number(word & NUMBER_MASK);
    }
    return 0;
  }

  /**
   * Replaces the number by the result of `change`. @param change is called again after a concurrent
   * update
   */
  update(name: string, change: (known: number) => number): void {
    const { first, bits } = placeOf(name);
    for (;;) {
      const { at, word } = this.#wayOf(first, bits);
      const known = word !== 0n && word >> NUMBER_BITS === bits ? Number(word & NUMBER_MASK) : 0;
      const number = change(known);
      if (number === known) return;
      const next = (bits << NUMBER_BITS) | BigInt(number);
      if (Atomics.compareExchange(this.#words, at, word, next) === word) return;
    }
  }

  /** Index of the name's word, else of the word with the lowest number. */
  #wayOf(first: number, bits: bigint): { readonly at: number; readonly word: bigint } {
    let least = { at: first, word: Atomics.load(this.#words, first) };
    for (let at = first; at < first + WAYS; at++) {
      const word = Atomics.load(this.#words, at);
      if (word !== 0n && word >> NUMBER_BITS === bits) return { at, word };
      if ((word & NUMBER_MASK) < (least.word & NUMBER_MASK)) least = { at, word };
    }
    return least;
  }
}

function placeOf(name: string): { readonly first: number; readonly bits: bigint } {
  const hash = hashFinish(hashText(name));
  return { first: (hash & (PLACES - 1)) * WAYS, bits: BigInt(hash >>> 16) };
}
