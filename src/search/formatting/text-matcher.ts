/** The places of one text that the query matches, in text order and without overlaps (relevance.md 6.3). */
import { type Token, TokenKind } from '../../engine/analysis/token.ts';
import type { MatchingPhrase, MatchingWords, QueryPlace } from './matching-words.ts';

export interface TextMatch {
  /** Half-open range of UTF-16 units that is marked. */
  readonly start: number;
  readonly end: number;
  /** Inclusive ranges of token and word numbers; a word is a token that is no separator. */
  readonly firstToken: number;
  readonly lastToken: number;
  readonly firstWord: number;
  readonly lastWord: number;
  readonly place: QueryPlace;
}

export interface MatchedText {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly matches: readonly TextMatch[];
}

export const isSeparator = ({ kind }: Token): boolean =>
  kind === TokenKind.softSeparator || kind === TokenKind.hardSeparator;

export function matchTokens(tokens: readonly Token[], words: MatchingWords): TextMatch[] {
  const matches: TextMatch[] = [];
  let word = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (isSeparator(tokens[i]!)) continue;
    const match = words.mayBegin(tokens[i]!.lemma) ? matchAt(tokens, i, word, words) : null;
    if (match) {
      matches.push(match);
      i = match.lastToken;
      word = match.lastWord;
    }
    word++;
  }
  return matches;
}

function matchAt(tokens: readonly Token[], at: number, word: number, words: MatchingWords): TextMatch | null {
  return matchPhrase(tokens, at, word, words) ?? matchWord(tokens, at, word, words);
}

function matchPhrase(tokens: readonly Token[], first: number, word: number, words: MatchingWords): TextMatch | null {
  const { start, lemma } = tokens[first]!;
  for (const phrase of words.phrasesFrom(lemma)) {
    const last = lastTokenOf(phrase, tokens, first);
    if (last < 0) continue;
    return {
      start,
      end: tokens[last]!.end,
      firstToken: first,
      lastToken: last,
      firstWord: word,
      lastWord: word + phrase.words.length - 1,
      place: phrase.place,
    };
  }
  return null;
}

/** The token with the phrase's last word when the phrase stands at `first`, else −1. */
function lastTokenOf({ words }: MatchingPhrase, tokens: readonly Token[], first: number): number {
  let at = first;
  for (let w = 1; w < words.length; w++) {
    do at++;
    while (at < tokens.length && isSeparator(tokens[at]!));
    if (tokens[at]?.lemma !== words[w]) return -1;
  }
  return at;
}

function matchWord(tokens: readonly Token[], at: number, word: number, words: MatchingWords): TextMatch | null {
  const token = tokens[at]!;
  const match = words.word(token.lemma);
  if (match === null) return null;
  const end = match.characters === null ? token.end : endOfCharacters(token, match.characters);
  const { start } = token;
  return { start, end, firstToken: at, lastToken: at, firstWord: word, lastWord: word, place: match.place };
}

/** Offset after the original characters that the first `count` characters of the lemma came from. */
function endOfCharacters({ lemma, start, lemmaEnds }: Token, count: number): number {
  if (lemmaEnds) return lemmaEnds[count - 1]!;
  let end = start;
  let left = count;
  for (const character of lemma) {
    if (left-- === 0) break;
    end += character.length;
  }
  return end;
}
