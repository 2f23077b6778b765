/** Writes forward indexes in the format of `forward-index-format.ts`, document by document. */
import { doubled } from '../../core/doubled.ts';
import { CODES_MAX, FIELD, GAP_CODE_MAX, LONG_GAP, RARE_TERM } from './forward-index-format.ts';

/** Most codes of one word: its field, a long gap, a term by its ordinal. */
const WORD_CODES_MAX = 7;
const NO_CODE = RARE_TERM;

export interface ForwardSections {
  readonly forwardTerms: Uint32Array;
  readonly forwardOffsets: Uint32Array;
  readonly forwardCodes: Uint16Array;
}

export class ForwardIndexWriter {
  /** The terms that have codes, by code. */
  readonly terms: Uint32Array;
  /** By ordinal. */
  readonly #codeOf: Uint16Array;
  readonly #offsets: Uint32Array;
  #codes: Uint16Array;
  #length = 0;
  #documents = 0;
  /** Occurrence key of a word directly after the last one. */
  #next = 0;

  /** @param counts occurrences of each term by ordinal */
  constructor(counts: Uint32Array, documentCount: number) {
    this.terms = mostFrequentTerms(counts, CODES_MAX);
    this.#codeOf = new Uint16Array(counts.length).fill(NO_CODE);
    for (let code = 0; code < this.terms.length; code++) this.#codeOf[this.terms[code]!] = code;
    this.#offsets = new Uint32Array(documentCount + 1);
    const words = counts.reduce((sum, count) => sum + count, 0);
    this.#codes = new Uint16Array(Math.ceil(words * 1.25) + WORD_CODES_MAX);
  }

  /** The next word of the document; its field is one of 65,536. Returns the code of its term. */
  add(ordinal: number, key: number): number {
    if (this.#length + WORD_CODES_MAX > this.#codes.length) this.#codes = doubled(this.#codes);
    const codes = this.#codes;
    if (key !== this.#next) this.#skipTo(key);
    this.#next = key + 1;
    const code = this.#codeOf[ordinal]!;
    codes[this.#length++] = code;
    if (code !== NO_CODE) return code;
    codes[this.#length++] = ordinal;
    codes[this.#length++] = ordinal >>> 16;
    return code;
  }

  endDocument(): void {
    this.#offsets[++this.#documents] = this.#length;
    this.#next = 0;
  }

  finish(): ForwardSections {
    return {
      forwardTerms: this.terms,
      forwardOffsets: this.#offsets,
      forwardCodes: this.#codes.subarray(0, this.#length),
    };
  }

  #skipTo(key: number): void {
    const codes = this.#codes;
    const field = key >>> 16;
    if (field !== this.#next >>> 16 || key < this.#next) {
      codes[this.#length++] = FIELD;
      codes[this.#length++] = field;
      this.#next = (field << 16) >>> 0;
    }
    const gap = key - this.#next;
    if (gap === 0) return;
    if (gap < GAP_CODE_MAX) codes[this.#length++] = CODES_MAX + gap;
    else {
      codes[this.#length++] = LONG_GAP;
      codes[this.#length++] = gap;
    }
  }
}

/** Ordinals of the `most` terms with the most occurrences, ascending. */
export function mostFrequentTerms(counts: Uint32Array, most: number): Uint32Array {
  if (counts.length <= most) return Uint32Array.from(counts, (_, ordinal) => ordinal);
  const least = counts.slice().sort()[counts.length - most]!;
  const chosen = new Uint32Array(most);
  let length = 0;
  let room = most - counts.reduce((sum, count) => sum + Number(count > least), 0);
  for (let ordinal = 0; ordinal < counts.length; ordinal++) {
    const count = counts[ordinal]!;
    if (count < least || (count === least && room-- <= 0)) continue;
    chosen[length++] = ordinal;
  }
  return chosen;
}
