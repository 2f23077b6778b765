/**
 * Cuts a string into the raw pieces that become tokens: script groups, separators, segmented words
 * (relevance.md 1.1 steps 1–4).
 */

import { Script } from '../characters/scripts.ts';
import { codePointOrReplacement, sequenceLength } from '../characters/word-codec.ts';
import type { Language, LanguageChoice } from '../languages/languages.ts';
import { profileOf } from '../languages/script-profiles.ts';
import { isUncut } from '../languages/segmenters.ts';
import { SCRIPT_MASK, type Separators } from './separators.ts';

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
 * Maximal runs of one script; characters without script belong to the run before them, leading ones
 * to the run after them.
 */
export function* scriptGroups(text: string, separators: Separators): Generator<ScriptGroup> {
  let start = 0;
  let current: Script = Script.none;
  for (let i = 0; i < text.length; ) {
    const codePoint = text.codePointAt(i)!;
    const script = (separators.infoOf(codePoint) & SCRIPT_MASK) as Script;
    if (script !== Script.none && script !== current) {
      if (current !== Script.none) {
        yield { start, end: i, script: current };
        start = i;
      }
      current = script;
    }
    i += codePoint > 0xffff ? 2 : 1;
  }
  if (start < text.length) yield { start, end: text.length, script: current };
}

/** The same groups of UTF-8 text, by bytes. */
export function* utf8ScriptGroups(
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

export class Tokenizer {
  readonly #separators: Separators;

  constructor(separators: Separators) {
    this.#separators = separators;
  }

  /** Returns false when `visit` stopped it. */
  forEachPiece(text: string, choice: LanguageChoice, visit: VisitPiece): boolean {
    for (const group of scriptGroups(text, this.#separators)) {
      const groupText = choice.needsText(group.script) ? text.slice(group.start, group.end) : '';
      const language = choice.resolve(group.script, groupText);
      if (!this.#forEachOfGroup(text, group, language, visit)) return false;
    }
    return true;
  }

  #forEachOfGroup(
    text: string,
    group: ScriptGroup,
    language: Language,
    visit: VisitPiece,
  ): boolean {
    const { end, script } = group;
    let pieceStart = group.start;
    for (let i = group.start; i < end; ) {
      const length = this.#separators.matchLength(text, i, end);
      if (length === 0) {
        i += text.codePointAt(i)! > 0xffff ? 2 : 1;
        continue;
      }
      if (i > pieceStart && !forEachWord(text, pieceStart, i, script, language, visit))
        return false;
      if (!visit(i, i + length, script, language)) return false;
      i += length;
      pieceStart = i;
    }
    return end === pieceStart || forEachWord(text, pieceStart, end, script, language, visit);
  }
}

function forEachWord(
  text: string,
  start: number,
  end: number,
  script: Script,
  language: Language,
  visit: VisitPiece,
): boolean {
  const { segmenter } = profileOf(script, language);
  if (segmenter === null) return visit(start, end, script, language);
  const piece = text.slice(start, end);
  if (isUncut(piece)) return visit(start, end, script, language);
  return segmenter.segment(piece, (from, to) => visit(start + from, start + to, script, language));
}
