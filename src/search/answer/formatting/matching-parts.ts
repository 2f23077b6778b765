/**
 * Where a text contains parts of chunks that the query names, inside and across words
 * (relevance.md 2.9, 6.3).
 */
import type { Analyzer } from '../../../engine/analysis/analyzer.ts';
import { utf8Length } from '../../../engine/analysis/characters/word-codec.ts';
import type { DisplayTokens } from '../../../engine/analysis/tokens/display-tokens.ts';
import type { TracedLemma } from '../../../engine/analysis/tokens/token.ts';
import { decodeUtf8 } from '../../../engine/bytes/utf8.ts';
import type { QueryNode } from '../../query/query-node.ts';
import type { LeafText } from './leaf-text.ts';
import { TextBeginnings } from './text-beginnings.ts';
import type { QueryPlace, TextMatch } from './text-match.ts';

/** Half-open range of bytes. */
interface FoundPart {
  readonly start: number;
  readonly end: number;
  readonly place: QueryPlace;
}

/** The same in UTF-16 units of a normalised chunk. */
type FoundInLemma = FoundPart;

/** Chunks between two checks of the deadline. */
const CHECK_MASK = 255;
const CHUNK = /[^\t-\r ]+/g;
const ASCII = /^[\t-\r -~]*$/;

export class MatchingParts {
  readonly #parts: readonly QueryNode[];
  readonly #analyzer: Analyzer;
  readonly #beginnings: TextBeginnings;

  constructor(analyzer: Analyzer, nodes: readonly QueryNode[]) {
    this.#analyzer = analyzer;
    this.#parts = nodes.filter(({ kind }) => kind === 'part');
    this.#beginnings = new TextBeginnings(this.#parts.map(({ text }) => text));
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** False when the text contains none. Returns true for a text that is not plain ASCII. */
  mayOccurIn(utf8: Uint8Array, start: number, end: number): boolean {
    return !this.isEmpty && this.#beginnings.mayOccurIn(utf8, start, end);
  }

  /**
   * The matches of words and of parts, in text order and without overlaps. Words that overlap a part
   * are dropped, unless the part lies inside a longer word.
   */
  addTo(
    matches: readonly TextMatch[],
    text: LeafText,
    tokens: DisplayTokens,
    check: () => void,
  ): readonly TextMatch[] {
    const found = this.#find(text, check);
    if (found.length === 0) return matches;
    const parts = outsideWords(found, matches);
    const words = outsideParts(matches, parts);
    return [...words, ...placed(parts, tokens)].sort((a, b) => a.start - b.start);
  }

  #find({ utf8, start, end }: LeafText, check: () => void): FoundPart[] {
    const text = decodeUtf8(utf8, start, end);
    const isAscii = ASCII.test(text);
    const found: FoundPart[] = [];
    let chunks = 0;
    // The byte that stands at the UTF-16 offset `unit`.
    let byte = start;
    let unit = 0;
    const byteAt = (offset: number): number => {
      byte += isAscii ? offset - unit : utf8Length(text, unit, offset);
      unit = offset;
      return byte;
    };
    for (const { index, 0: chunk } of text.matchAll(CHUNK)) {
      if ((chunks++ & CHECK_MASK) === CHECK_MASK) check();
      const traced = isAscii ? null : this.#analyzer.normalizeChunk(chunk);
      for (const part of this.#findIn(traced?.lemma ?? chunk.toLowerCase())) {
        const range = traced === null ? part : originOf(part, traced);
        const from = byteAt(index + range.start);
        found.push({ start: from, end: byteAt(index + range.end), place: part.place });
      }
    }
    return found;
  }

  /** In order, without overlaps; of parts that begin together, the longest. */
  #findIn(lemma: string): FoundInLemma[] {
    const all: FoundInLemma[] = [];
    for (const { text, start, end } of this.#parts) {
      const place = { start, end };
      for (let at = lemma.indexOf(text); at >= 0; at = lemma.indexOf(text, at + text.length))
        all.push({ start: at, end: at + text.length, place });
    }
    all.sort((a, b) => a.start - b.start || b.end - a.end);
    let last = 0;
    return all.filter((part) => {
      if (part.start < last) return false;
      last = part.end;
      return true;
    });
  }
}

/** The range of the chunk that was normalised to a range of the lemma. */
function originOf(
  { start, end }: FoundInLemma,
  { lemma, ends }: TracedLemma,
): { readonly start: number; readonly end: number } {
  const first = characterCount(lemma, start);
  const last = characterCount(lemma, end) - 1;
  let before = first - 1;
  // Several characters may come from one.
  while (before >= 0 && ends[before] === ends[first]) before--;
  return { start: before < 0 ? 0 : ends[before]!, end: ends[last]! };
}

/** Characters before a UTF-16 offset. */
export function characterCount(text: string, end = text.length): number {
  let count = 0;
  for (let at = 0; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++;
  return count;
}

const outsideWords = (
  parts: readonly FoundPart[],
  words: readonly TextMatch[],
): readonly FoundPart[] => {
  let at = 0;
  return parts.filter(({ start, end }) => {
    while (at < words.length && words[at]!.end < end) at++;
    const word = words[at];
    return !word || word.start > start || (word.start === start && word.end === end);
  });
};

const outsideParts = (
  words: readonly TextMatch[],
  parts: readonly FoundPart[],
): readonly TextMatch[] => {
  let at = 0;
  return words.filter(({ start, end }) => {
    while (at < parts.length && parts[at]!.end <= start) at++;
    return at === parts.length || parts[at]!.start >= end;
  });
};

/** With the tokens and words that the parts stand in. */
function placed(parts: readonly FoundPart[], tokens: DisplayTokens): TextMatch[] {
  let token = 0;
  /** Number of the last word that begins with `token` or before. */
  let word = isWordStart(tokens, 0) ? 0 : -1;
  const moveTo = (byte: number): void => {
    while (token + 1 < tokens.length && tokens.end(token) <= byte)
      if (isWordStart(tokens, ++token)) word++;
  };
  return parts.map(({ start, end, place }) => {
    moveTo(start);
    const firstToken = token;
    const firstWord = tokens.isSeparator(token) ? word + 1 : word;
    moveTo(end - 1);
    return { start, end, firstToken, lastToken: token, firstWord, lastWord: word, place };
  });
}

const isWordStart = (tokens: DisplayTokens, token: number): boolean =>
  !tokens.isSeparator(token) && !tokens.continuesWord(token);
