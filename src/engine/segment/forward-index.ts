/** A forward index of a segment, read without copying. Layout: forward-index-format.ts. */
import { CorruptionError } from '../../core/errors.ts';
import {
  CODES_MAX,
  FIELD,
  LONG_GAP,
  operandCount,
  RARE_TERM,
  shiftAfter,
} from './forward-index-format.ts';
import type { ForwardSections } from './forward-index-writer.ts';
import { NO_MARK, SPECIAL_MARK, type WantedTerms } from './wanted-terms.ts';

/** Words found by a scan: `keys` with local field numbers, `marks` of the terms. */
export interface FoundWords {
  keys: Uint32Array;
  marks: Uint8Array;
  length: number;
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

  /** Appends the wanted words of the document with this rank in the order of its text. */
  scan(rank: number, wanted: WantedTerms, out: FoundWords): void {
    const codes = this.codes;
    const { byCode } = wanted;
    const end = this.offsets[rank + 1]!;
    let at = this.offsets[rank]!;
    if (out.length + (end - at) > out.keys.length) reserve(out, end - at);
    const { keys, marks } = out;
    let { length } = out;
    // The key of the word whose code stands before `at` is `at - shift`.
    let shift = at + 1;
    while (at < end) {
      const code = codes[at++]!;
      let mark = byCode[code]!;
      if (mark === NO_MARK) continue;
      if (mark === SPECIAL_MARK && code !== RARE_TERM) {
        shift = shiftAfter(code, shift, at, codes[at]!);
        at += operandCount(code);
        continue;
      }
      if (mark === SPECIAL_MARK) {
        mark = wanted.markOf(codes[at]! + codes[at + 1]! * 0x10000);
        at += 2;
        shift += 2;
        if (mark === NO_MARK) continue;
      }
      keys[length] = at - shift;
      marks[length++] = mark;
    }
    out.length = length;
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

function reserve(out: FoundWords, count: number): void {
  const capacity = Math.max(out.length + count, out.keys.length * 2);
  const { keys, marks } = out;
  out.keys = new Uint32Array(capacity);
  out.keys.set(keys);
  out.marks = new Uint8Array(capacity);
  out.marks.set(marks);
}
