/**
 * The places of one text that the query matches, in text order and without overlaps (relevance.md
 * 6.3).
 */
import type { DisplayTokens } from '../../../engine/analysis/display-tokens.ts';
import type { MatchingPhrase, MatchingWords, QueryPlace } from './matching-words.ts';

export interface TextMatch {
  /** Half-open range of bytes that is marked. */
  readonly start: number;
  readonly end: number;
  /** Inclusive ranges of token and word numbers; a word is a token that is no separator. */
  readonly firstToken: number;
  readonly lastToken: number;
  readonly firstWord: number;
  readonly lastWord: number;
  readonly place: QueryPlace;
}

export function matchTokens(tokens: DisplayTokens, words: MatchingWords): TextMatch[] {
  const matches: TextMatch[] = [];
  let word = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (tokens.isSeparator(i)) continue;
    const match = tokens.passes(i, words) ? matchAt(tokens, i, word, words) : null;
    if (match) {
      matches.push(match);
      i = match.lastToken;
      word = match.lastWord;
    }
    word++;
  }
  return matches;
}

function matchAt(
  tokens: DisplayTokens,
  at: number,
  word: number,
  words: MatchingWords,
): TextMatch | null {
  const lemma = tokens.lemma(at);
  return matchPhrase(tokens, at, lemma, word, words) ?? matchWord(tokens, at, lemma, word, words);
}

function matchPhrase(
  tokens: DisplayTokens,
  first: number,
  lemma: string,
  word: number,
  words: MatchingWords,
): TextMatch | null {
  for (const phrase of words.phrasesFrom(lemma)) {
    const last = lastTokenOf(phrase, tokens, first);
    if (last < 0) continue;
    return {
      start: tokens.start(first),
      end: tokens.end(last),
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
function lastTokenOf({ words }: MatchingPhrase, tokens: DisplayTokens, first: number): number {
  let at = first;
  for (let w = 1; w < words.length; w++) {
    do at++;
    while (at < tokens.length && tokens.isSeparator(at));
    if (at === tokens.length || tokens.lemma(at) !== words[w]) return -1;
  }
  return at;
}

function matchWord(
  tokens: DisplayTokens,
  at: number,
  lemma: string,
  word: number,
  words: MatchingWords,
): TextMatch | null {
  const match = words.word(lemma);
  if (match === null) return null;
  const start = tokens.start(at);
  const end =
    match.characters === null ? tokens.end(at) : tokens.endOfCharacters(at, match.characters);
  return {
    start,
    end,
    firstToken: at,
    lastToken: at,
    firstWord: word,
    lastWord: word,
    place: match.place,
  };
}
