/**
 * Finds the end of the first words of a displayed text by its bytes: the beginning of a text is
 * shown without tokenizing it.
 */

import { Script } from '../characters/scripts.ts';
import { codePointOrReplacement, sequenceLength } from '../characters/word-codec.ts';
import { AsciiClass, asciiClasses } from './ascii-classes.ts';
import { CLASS_SHIFT, CutClass, SCRIPT_MASK, type Separators } from './separators.ts';

/** Letters of Latin-1 and of Latin Extended-A: their words stay words when normalised. */
const LETTER_MIN = 0xc0;
const LETTER_MAX = 0x17e;

export class LeadingWords {
  readonly #separators: Separators;
  readonly #classes: Uint8Array;

  constructor(separators: Separators) {
    this.#separators = separators;
    this.#classes = asciiClasses(separators);
  }

  /**
   * Offset after the first `count` words of a text without a given language, `end` when it has
   * fewer words; −1 when the answer needs tokenizing.
   */
  endOf(utf8: Uint8Array, start: number, end: number, count: number): number {
    const classes = this.#classes;
    let left = count;
    let isInWord = false;
    for (let i = start; i < end; ) {
      const byte = utf8[i]!;
      const known = classes[byte]!;
      const asciiClass =
        known === AsciiClass.other ? this.#classOf(codePointOrReplacement(utf8, i, end)) : known;
      if (asciiClass === AsciiClass.other) return -1;
      const isWord = asciiClass === AsciiClass.word;
      if (isInWord && !isWord && --left === 0) return i;
      isInWord = isWord;
      i += byte < 0x80 ? 1 : sequenceLength(byte);
    }
    return end;
  }

  /** Classes as for ASCII characters; `other` for characters whose class can depend on the text. */
  #classOf(codePoint: number): number {
    const separators = this.#separators;
    if (!separators.hasHardBuiltInSequencesOnly) return AsciiClass.other;
    const info = separators.infoOf(codePoint);
    if ((info & SCRIPT_MASK) > Script.latin) return AsciiClass.other;
    const own = info >> CLASS_SHIFT;
    // The built-in sequences begin with separators that separate words by themselves.
    const cutClass = own === CutClass.sequence ? separators.aloneClass(codePoint) : own;
    if (cutClass === CutClass.soft || cutClass === CutClass.hard) return AsciiClass.soft;
    const isLetter = codePoint >= LETTER_MIN && codePoint <= LETTER_MAX;
    return cutClass === CutClass.none && isLetter ? AsciiClass.word : AsciiClass.other;
  }
}
