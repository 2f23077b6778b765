/** The ASCII stop words, found by the hash of their lower-cased bytes and compared as written. */
import { hashBytes } from '../../../core/hash.ts';

const ASCII_WORD = /^[!-~]+$/;

export class AsciiStopWords {
  readonly #words: Uint8Array[] = [];
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(stopWords: Iterable<string>) {
    const words = [...stopWords].filter((word) => ASCII_WORD.test(word));
    let slotCount = 16;
    while (slotCount < words.length * 4) slotCount *= 2;
    this.#mask = slotCount - 1;
    this.#slots = new Int32Array(slotCount).fill(-1);
    for (const word of words) this.#add(word);
  }

  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** `hash` is that of the lower-cased bytes. */
  has(ascii: Uint8Array, start: number, length: number, hash: number): boolean {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]!;
      if (index < 0) return false;
      if (isSame(this.#words[index]!, ascii, start, length)) return true;
    }
  }

  #add(word: string): void {
    const bytes = Uint8Array.from(word, (character) => character.charCodeAt(0));
    const lower = Uint8Array.from(word.toLowerCase(), (character) => character.charCodeAt(0));
    let slot = hashBytes(lower, 0, lower.length) & this.#mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = this.#words.push(bytes) - 1;
  }
}

function isSame(word: Uint8Array, ascii: Uint8Array, start: number, length: number): boolean {
  if (word.length !== length) return false;
  for (let i = 0; i < length; i++) if (word[i] !== ascii[start + i]) return false;
  return true;
}
