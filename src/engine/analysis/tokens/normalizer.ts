/**
 * From a piece of raw text to a classified lemma (relevance.md 1.1 step 5): decomposition,
 * classification, folding. Every step but three works character by character, so the origin of each
 * lemma character is known.
 */
import { MemoMap } from '../../../core/memo-map.ts';
import { decompose, decomposeCharacter } from '../characters/decomposition.ts';
import { Script } from '../characters/scripts.ts';
import { Language } from '../languages/languages.ts';
import { profileOf, type ScriptProfile } from '../languages/script-profiles.ts';
import { TokenKind } from './token.ts';

export interface NormalizedPiece {
  readonly kind: TokenKind;
  readonly lemma: string;
  /**
   * For each code point of `lemma`, the UTF-16 offset in the piece after its origin; null when they
   * agree unit by unit.
   */
  readonly ends: readonly number[] | null;
}

/** Code points as strings, each with the offset after the original character it came from. */
interface TracedText {
  readonly characters: string[];
  readonly ends: number[];
}

const MEMO_MAX = 20_000;
const PLAIN_ASCII = /^[\t-\r -~]*$/;

function decomposeTraced(piece: string): TracedText {
  const characters: string[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const character of piece) {
    end += character.length;
    for (const part of decomposeCharacter(character)) {
      characters.push(part);
      ends.push(end);
    }
  }
  return { characters, ends };
}

const DIAERESIS = '\u0308';
const SWEDISH_LETTERS: ReadonlyMap<string, string> = new Map(
  ['å', 'ä', 'ö', 'Å', 'Ä', 'Ö'].map((letter) => [
    letter.normalize('NFD'),
    letter.normalize('NFC'),
  ]),
);

/** Puts ring and diaeresis back on the letters that Swedish counts as letters of their own. */
function recomposeSwedish({ characters, ends }: TracedText): TracedText {
  const recomposed: TracedText = { characters: [], ends: [] };
  for (let i = 0; i < characters.length; i++) {
    const letter = SWEDISH_LETTERS.get(`${characters[i]}${characters[i + 1] ?? ''}`);
    recomposed.characters.push(letter ?? characters[i]!);
    if (letter !== undefined) i++;
    recomposed.ends.push(ends[i]!);
  }
  return recomposed;
}

/** `null` when, for every `i`, character `i` of the lemma ends `i` characters after the start. */
function endsOrNull({ characters, ends }: TracedText): number[] | null {
  let end = 0;
  for (let i = 0; i < characters.length; i++) {
    end += characters[i]!.length;
    if (ends[i] !== end) return ends;
  }
  return null;
}

export interface Classification {
  isStopWord(decomposed: string): boolean;
  kindOfSeparator(decomposed: string): TokenKind | null;
}

export class Normalizer {
  readonly #classification: Classification;
  readonly #folded = new Map<ScriptProfile, MemoMap<string, string>>();

  constructor(classification: Classification) {
    this.#classification = classification;
  }

  normalize(piece: string, script: Script, language: Language): NormalizedPiece {
    const profile = profileOf(script, language);
    if (PLAIN_ASCII.test(piece)) return this.#normalizeAscii(piece, profile);
    const raw = decomposeTraced(piece);
    const decomposed = language === Language.swedish ? recomposeSwedish(raw) : raw;
    const kind = this.#classify(decomposed.characters.join(''));
    const folded = this.#fold(decomposed, profile);
    if (script === Script.greek) endInMedialSigma(folded.characters);
    if (script === Script.cyrillic) makeYoYe(folded);
    return { kind, lemma: folded.characters.join(''), ends: endsOrNull(folded) };
  }

  #normalizeAscii(piece: string, profile: ScriptProfile): NormalizedPiece {
    const lemma = profile.isLowerCased ? piece.toLowerCase() : piece;
    return { kind: this.#classify(piece), lemma, ends: null };
  }

  #classify(decomposed: string): TokenKind {
    if (decomposed === '') return TokenKind.word;
    if (this.#classification.isStopWord(decomposed)) return TokenKind.stopWord;
    return this.#classification.kindOfSeparator(decomposed) ?? TokenKind.word;
  }

  #fold({ characters, ends }: TracedText, profile: ScriptProfile): TracedText {
    const memo = this.#memoOf(profile);
    const folded: TracedText = { characters: [], ends: [] };
    for (let i = 0; i < characters.length; i++) {
      const character = characters[i]!;
      for (const part of memo.getOrCompute(character, profile.fold)) {
        folded.characters.push(part);
        folded.ends.push(ends[i]!);
      }
    }
    return folded;
  }

  #memoOf(profile: ScriptProfile): MemoMap<string, string> {
    let memo = this.#folded.get(profile);
    if (memo === undefined) {
      memo = new MemoMap(MEMO_MAX);
      this.#folded.set(profile, memo);
    }
    return memo;
  }
}

function endInMedialSigma(characters: string[]): void {
  if (characters.at(-1) === 'ς') characters[characters.length - 1] = 'σ';
}

/** Russian uses ё and е interchangeably; other Cyrillic letters have no optional marks. */
function makeYoYe({ characters, ends }: TracedText): void {
  let kept = 0;
  for (let i = 0; i < characters.length; i++) {
    if (characters[i] === DIAERESIS && characters[kept - 1] === 'е') continue;
    characters[kept] = characters[i]!;
    ends[kept++] = ends[i]!;
  }
  characters.length = kept;
  ends.length = kept;
}

/** Stop words as they are compared: decomposed, else as written. */
export const decomposedStopWords = (stopWords: readonly string[]): ReadonlySet<string> =>
  new Set(stopWords.map(decompose).filter((word) => word !== ''));
