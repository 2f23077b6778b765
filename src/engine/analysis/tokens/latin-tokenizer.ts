/**
 * Cuts groups of Latin letters in UTF-8 text, the common case, by their bytes: ASCII words and
 * separators become tokens without normalisation. Gives the same tokens as `Tokenizer` with
 * `Normalizer`.
 */

import { Script } from '../characters/scripts.ts';
import {
  codePointOrReplacement,
  decodeShortUtf8,
  sequenceLength,
} from '../characters/word-codec.ts';
import type { Language, LanguageChoice } from '../languages/languages.ts';
import { profileOf } from '../languages/script-profiles.ts';
import { AsciiClass, asciiClasses } from './ascii-classes.ts';
import type { DisplayTokens } from './display-tokens.ts';
import type { Normalizer } from './normalizer.ts';
import { CLASS_SHIFT, CutClass, type Separators } from './separators.ts';
import { TokenKind } from './token.ts';
import type { ScriptGroup } from './tokenizer.ts';

const kindOfSeparator = (asciiClass: number): TokenKind =>
  asciiClass === AsciiClass.soft ? TokenKind.softSeparator : TokenKind.hardSeparator;

export class LatinTokenizer {
  readonly #separators: Separators;
  readonly #normalizer: Normalizer;
  readonly #classes: Uint8Array;
  #script: Script = Script.none;
  #language: Language = 0;

  constructor(separators: Separators, normalizer: Normalizer) {
    this.#separators = separators;
    this.#normalizer = normalizer;
    this.#classes = asciiClasses(separators);
  }

  /** Adds the tokens of a group of one script; false when it needs `Tokenizer`. */
  tokenize(
    utf8: Uint8Array,
    { start, end, script }: ScriptGroup,
    choice: LanguageChoice,
    tokens: DisplayTokens,
  ): boolean {
    if (script > Script.latin || choice.needsText(script)) return false;
    this.#script = script;
    this.#language = choice.resolve(script, '');
    if (profileOf(script, this.#language).segmenter !== null) return false;
    this.#cut(utf8, start, end, tokens);
    return true;
  }

  #cut(utf8: Uint8Array, start: number, end: number, tokens: DisplayTokens): void {
    const classes = this.#classes;
    let wordStart = start;
    let isPlain = true;
    for (let i = start; i < end; ) {
      const asciiClass = classes[utf8[i]!]!;
      if (asciiClass === AsciiClass.word) {
        i++;
        continue;
      }
      const length = asciiClass === AsciiClass.other ? this.#separatorLength(utf8, i, end) : 1;
      if (length === 0) {
        isPlain = isPlain && isPrintable(utf8[i]!);
        i += sequenceLength(utf8[i]!);
        continue;
      }
      if (i > wordStart) this.#endWord(utf8, wordStart, i, isPlain, tokens);
      i += length;
      if (asciiClass === AsciiClass.other) this.#addSeparator(utf8, i - length, i, tokens);
      else tokens.add(i, kindOfSeparator(asciiClass));
      wordStart = i;
      isPlain = true;
    }
    if (end > wordStart) this.#endWord(utf8, wordStart, end, isPlain, tokens);
  }

  /** Length in bytes of the separator at `at`, or 0. */
  #separatorLength(utf8: Uint8Array, at: number, end: number): number {
    const codePoint = codePointOrReplacement(utf8, at, end);
    const cutClass = this.#separators.infoOf(codePoint) >> CLASS_SHIFT;
    if (cutClass === CutClass.none) return 0;
    const sequence =
      cutClass === CutClass.sequence ? this.#separators.sequenceBytes(utf8, at, end) : 0;
    if (sequence > 0) return sequence;
    const isAloneUncut =
      cutClass === CutClass.sequence && this.#separators.aloneClass(codePoint) === CutClass.none;
    return isAloneUncut ? 0 : sequenceLength(utf8[at]!);
  }

  #addSeparator(utf8: Uint8Array, start: number, end: number, tokens: DisplayTokens): void {
    const kind = this.#kindOf(utf8, start, end);
    if (kind === null) this.#addNormalized(utf8, start, end, tokens);
    else tokens.add(end, kind);
  }

  /** Kind of a separator, if it is known without normalisation. */
  #kindOf(utf8: Uint8Array, start: number, end: number): TokenKind | null {
    const separators = this.#separators;
    const byte = utf8[start]!;
    if (end - start > sequenceLength(byte))
      return byte < 0x80 && separators.hasHardBuiltInSequencesOnly ? TokenKind.hardSeparator : null;
    const codePoint = codePointOrReplacement(utf8, start, end);
    const own = (separators.infoOf(codePoint) >> CLASS_SHIFT) as CutClass;
    const cutClass = own === CutClass.sequence ? separators.aloneClass(codePoint) : own;
    if (cutClass === CutClass.soft) return TokenKind.softSeparator;
    return cutClass === CutClass.hard ? TokenKind.hardSeparator : null;
  }

  #endWord(
    utf8: Uint8Array,
    start: number,
    end: number,
    isPlain: boolean,
    tokens: DisplayTokens,
  ): void {
    if (isPlain) tokens.add(end, TokenKind.word);
    else this.#addNormalized(utf8, start, end, tokens);
  }

  #addNormalized(utf8: Uint8Array, start: number, end: number, tokens: DisplayTokens): void {
    const piece = decodeShortUtf8(utf8, start, end);
    tokens.addNormalized(
      end,
      piece,
      this.#normalizer.normalize(piece, this.#script, this.#language),
    );
  }
}

const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;
