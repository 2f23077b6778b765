/**
 * Cuts UTF-8 text into the raw pieces that become tokens: script groups, separators, segmented words
 * (relevance.md 1.1 steps 1–4).
 */

import { Script } from '../characters/scripts.ts';
import {
  codePointOrReplacement,
  decodeShortUtf8,
  sequenceLength,
  utf8Length,
} from '../characters/word-codec.ts';
import type { Language, LanguageChoice } from '../languages/languages.ts';
import { profileOf } from '../languages/script-profiles.ts';
import { isUncut, type Segmenter } from '../languages/segmenters.ts';
import { AsciiClass, asciiClasses } from './ascii-classes.ts';
import type { DisplayTokens } from './display-tokens.ts';
import { CLASS_SHIFT, CutClass, SCRIPT_MASK, type Separators } from './separators.ts';
import { TokenKind } from './token.ts';

/**
 * Receives the pieces in text order, separators included; they cover the text. Returning false
 * stops the walk.
 */
export type VisitPiece = (
  start: number,
  end: number,
  script: Script,
  language: Language,
) => boolean;

/** A run of characters of one script. */
export interface ScriptGroup {
  readonly start: number;
  readonly end: number;
  readonly script: Script;
}

/**
 * Maximal runs of one script, by bytes; characters without script belong to the run before them,
 * leading ones to the run after them.
 */
export function* scriptGroups(
  utf8: Uint8Array,
  from: number,
  end: number,
  separators: Separators,
): Generator<ScriptGroup> {
  let start = from;
  let current: Script = Script.none;
  for (let i = from; i < end; ) {
    const byte = utf8[i]!;
    if (byte < 0x80 && current === Script.latin) {
      i++;
      continue;
    }
    const codePoint = byte < 0x80 ? byte : codePointOrReplacement(utf8, i, end);
    const script = (separators.infoOf(codePoint) & SCRIPT_MASK) as Script;
    if (script !== Script.none && script !== current) {
      if (current !== Script.none) {
        yield { start, end: i, script: current };
        start = i;
      }
      current = script;
    }
    i += sequenceLength(byte);
  }
  if (start < end) yield { start, end, script: current };
}

/** How the words of a group are cut, and who receives the pieces. */
interface GroupWalk {
  readonly script: Script;
  readonly language: Language;
  readonly segmenter: Segmenter | null;
  readonly visit: VisitPiece;
  /** Get separators, and words, whose kind is known; null = `visit` gets all. */
  readonly separators: DisplayTokens | null;
  readonly words: DisplayTokens | null;
}

export class Tokenizer {
  readonly #separators: Separators;
  readonly #classes: Uint8Array;

  constructor(separators: Separators) {
    this.#separators = separators;
    this.#classes = asciiClasses(separators);
  }

  /**
   * Returns false when `visit` stopped it.
   * @param known gets the separators and ASCII words of Latin script whose kind is known without
   * normalising them, if stop words count as words; null = `visit` gets all pieces
   */
  forEachPiece(
    utf8: Uint8Array,
    from: number,
    to: number,
    choice: LanguageChoice,
    visit: VisitPiece,
    known: DisplayTokens | null = null,
  ): boolean {
    for (const { start, end, script } of scriptGroups(utf8, from, to, this.#separators)) {
      const text = choice.needsText(script) ? decodeShortUtf8(utf8, start, end) : '';
      const language = choice.resolve(script, text);
      const { segmenter } = profileOf(script, language);
      const words = script <= Script.latin && segmenter === null ? known : null;
      const walk = { script, language, segmenter, visit, separators: known, words };
      if (!this.#cut(utf8, start, end, walk)) return false;
    }
    return true;
  }

  #cut(utf8: Uint8Array, start: number, end: number, walk: GroupWalk): boolean {
    const classes = this.#classes;
    const mayBePlain = walk.words !== null;
    let wordStart = start;
    let isPlain = mayBePlain;
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
      if (i > wordStart && !visitWords(utf8, wordStart, i, isPlain, walk)) return false;
      wordStart = i + length;
      if (!this.#visitSeparator(asciiClass, utf8, i, wordStart, walk)) return false;
      i = wordStart;
      isPlain = mayBePlain;
    }
    return end === wordStart || visitWords(utf8, wordStart, end, isPlain, walk);
  }

  #visitSeparator(
    asciiClass: number,
    utf8: Uint8Array,
    start: number,
    end: number,
    { script, language, visit, separators }: GroupWalk,
  ): boolean {
    const kind = separators === null ? null : this.#kindOf(asciiClass, utf8, start, end);
    if (separators === null || kind === null) return visit(start, end, script, language);
    separators.add(end, kind);
    return true;
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

  /** Kind of a separator, if it is known without normalisation. */
  #kindOf(asciiClass: number, utf8: Uint8Array, start: number, end: number): TokenKind | null {
    if (asciiClass === AsciiClass.soft) return TokenKind.softSeparator;
    if (asciiClass === AsciiClass.hard) return TokenKind.hardSeparator;
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
}

/** Visits the words between separators. @param isPlain ASCII that is one word for certain */
function visitWords(
  utf8: Uint8Array,
  start: number,
  end: number,
  isPlain: boolean,
  { script, language, segmenter, visit, words }: GroupWalk,
): boolean {
  if (isPlain && words !== null) {
    words.add(end, TokenKind.word);
    return true;
  }
  const piece = segmenter?.mayCut(utf8, start, end) ? decodeShortUtf8(utf8, start, end) : '';
  if (segmenter === null || piece === '' || isUncut(piece))
    return visit(start, end, script, language);
  let at = start;
  return segmenter.segment(piece, (from, to) => {
    const wordStart = at;
    at += utf8Length(piece, from, to);
    return visit(wordStart, at, script, language);
  });
}

const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;
