/** A forward index of a segment, read without copying. Layout: forward-index-format.ts. */
import { CorruptionError } from '../../core/errors.ts';
import { CODES_MAX, FIELD, LONG_GAP, RARE_TERM } from './forward-index-format.ts';
import type { ForwardSections } from './forward-index-writer.ts';

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
