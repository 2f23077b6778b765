/**
 * A forward index: the words of each document in the order of its text, so that a search
 * reads all positions of a few documents without touching the posting lists of frequent words.
 * Read without copying.
 *
 *   forwardTerms     u32 × k: ordinals of the most frequent terms, ascending; a term's code is its place here
 *   forwardOffsets   u32 × (documents + 1): where the codes of each document begin in forwardCodes, in codes
 *   forwardCodes     u16:
 *     0 … k − 1           a word: the term with this code
 *     0xfc00 + n          the next word stands n positions further on, n < 1,021
 *     0xfffd, n           the same for any n
 *     0xfffe, field       what follows is in the segment-local field, from its position 0 on
 *     0xffff, low, high   a word: the term with the ordinal low + high * 65,536
 *
 * After a word the position grows by one; at the start of a document the field is 0 and the position
 * 0. Ranges of ordinals are ranges of codes, since both ascend. Files of releases before 2026-12 lack
 * these sections, and so do segments that are merged from such files.
 */
import { doubled } from '../../core/doubled.ts';
import { CorruptionError } from '../../core/errors.ts';

/** First code that is no term. */
export const CODES_MAX = 0xfc00;
export const GAP_CODE_MAX = 0xfffd - CODES_MAX;
export const LONG_GAP = 0xfffd;
export const FIELD = 0xfffe;
export const RARE_TERM = 0xffff;

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

export class ForwardIndex {
  readonly terms: Uint32Array;
  /** Where the codes of each document begin. */
  readonly offsets: Uint32Array;
  readonly codes: Uint16Array;
  readonly #file: string;

  /** @param file named in error messages */
  constructor(file: string, sections: ForwardSections, documentCount: number) {
    this.#file = file;
    this.terms = sections.forwardTerms;
    this.offsets = sections.forwardOffsets;
    this.codes = sections.forwardCodes;
    const end = this.offsets[documentCount] ?? -1;
    if (this.offsets.length !== documentCount + 1 || end > this.codes.length)
      throw new CorruptionError(file, 0, 'codes for each document', `${end} codes`);
  }

  /** Bytes of the documents with the ranks `[from, end)`. */
  bytesOf(from: number, end: number): number {
    return (this.offsets[end]! - this.offsets[from]!) * 2;
  }

  /** Visits all words of the document with this rank in the order of its text. */
  forEachWord(rank: number, visit: (ordinal: number, key: number) => void): void {
    const codes = this.codes;
    const end = this.offsets[rank + 1]!;
    let key = 0;
    for (let at = this.offsets[rank]!; at < end; ) {
      const code = codes[at++]!;
      if (code < CODES_MAX) visit(this.terms[code]!, key++);
      else if (code === RARE_TERM) {
        visit(codes[at]! + codes[at + 1]! * 0x10000, key++);
        at += 2;
      } else {
        key = movedKey(key, code, codes[at]!);
        if (code >= LONG_GAP) at++;
      }
    }
  }

  /** Verifies the invariants of a forward index: terms ascend, and each word is a term. */
  verify(termCount: number, fieldCount: number, documentCount: number): void {
    const { terms } = this;
    for (let code = 0; code < terms.length; code++)
      if (terms[code]! >= termCount || (code > 0 && terms[code]! <= terms[code - 1]!))
        throw this.#damage('ascending terms with a code', String(terms[code]));
    for (let rank = 0; rank < documentCount; rank++) {
      if (this.offsets[rank + 1]! < this.offsets[rank]!)
        throw this.#damage('ascending offsets', `document ${rank}`);
      this.forEachWord(rank, (ordinal, key) => {
        if (!(ordinal < termCount) || key >>> 16 >= fieldCount)
          throw this.#damage('words of known fields', `term ${ordinal} in field ${key >>> 16}`);
      });
    }
  }

  #damage(expected: string, got: string): CorruptionError {
    return new CorruptionError(this.#file, 0, expected, got);
  }
}

/**
 * Key of the next word after a code that is not a term. @param operand the number that may follow
 * the code
 */
function movedKey(key: number, code: number, operand: number): number {
  if (code < LONG_GAP) return key + code - CODES_MAX;
  return code === FIELD ? (operand << 16) >>> 0 : key + operand;
}
