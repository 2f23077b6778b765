/** Matches of the query in one text, in text order and without overlaps (relevance.md 6.3). */
import type { DisplayTokens } from '../../../engine/analysis/tokens/display-tokens.ts';
import type { MatchingPhrase, MatchingWords } from './matching-words.ts';
import type { TextMatch } from './text-match.ts';

/** Tokens between two checks of the deadline. */
const CHECK_MASK = 1023;

export function matchTokens(
  tokens: DisplayTokens,
  words: MatchingWords,
  check: () => void = () => undefined,
): TextMatch[] {
  const matches: TextMatch[] = [];
  let word = -1;
  for (let i = 0; i < tokens.length; i++) {
    if ((i & CHECK_MASK) === CHECK_MASK) check();
    if (tokens.isSeparator(i)) continue;
    if (!tokens.continuesWord(i)) word++;
    const match = tokens.passes(i, words) ? matchAt(tokens, i, word, words) : null;
    if (!match) continue;
    matches.push(match);
    i = match.lastToken;
    word = match.lastWord;
    if (tokens.continuesWord(i)) joinWord(matches, tokens);
  }
  return matches;
}

/** Joins the last matches when they are all characters of a word, in query order. */
function joinWord(matches: TextMatch[], tokens: DisplayTokens): void {
  const last = matches.at(-1)!;
  if (tokens.wordEnd(last.lastToken) > last.lastToken) return;
  let at = matches.length - 1;
  while (tokens.continuesWord(matches[at]!.firstToken)) {
    const before = matches[at - 1];
    if (before?.lastToken !== matches[at]!.firstToken - 1) return;
    if (before.place.end + 1 !== matches[at]!.place.start) return;
    at--;
  }
  const first = matches[at]!;
  matches.length = at;
  matches.push({
    ...last,
    start: first.start,
    firstToken: first.firstToken,
    firstWord: first.firstWord,
    place: { ...first.place, end: last.place.end },
  });
}

/** A phrase that begins with the token, else the token itself. */
function matchAt(
  tokens: DisplayTokens,
  at: number,
  word: number,
  words: MatchingWords,
): TextMatch | null {
  const lemma = tokens.lemma(at);
  const start = tokens.start(at);
  for (const phrase of words.phrasesFrom(lemma)) {
    const last = lastTokenOf(phrase, tokens, at);
    if (last < 0) continue;
    return {
      start,
      end: tokens.end(last),
      firstToken: at,
      lastToken: last,
      firstWord: word,
      lastWord: word + wordsAfter(tokens, at, last),
      place: phrase.place,
    };
  }
  const match = words.word(lemma);
  if (match === null) return null;
  const { characters, place } = match;
  return {
    start,
    end: characters === null ? tokens.end(at) : tokens.endOfCharacters(at, characters),
    firstToken: at,
    lastToken: at,
    firstWord: word,
    lastWord: word,
    place,
  };
}

/** Number of words that begin after the token `first` and not after `last`. */
function wordsAfter(tokens: DisplayTokens, first: number, last: number): number {
  let words = 0;
  for (let token = first + 1; token <= last; token++)
    if (!tokens.isSeparator(token) && !tokens.continuesWord(token)) words++;
  return words;
}

/** The token with the phrase's last word when the phrase starts at `first`, else −1. */
function lastTokenOf({ words }: MatchingPhrase, tokens: DisplayTokens, first: number): number {
  let at = first;
  for (let w = 1; w < words.length; w++) {
    do at++;
    while (at < tokens.length && tokens.isSeparator(at));
    if (at === tokens.length || tokens.lemma(at) !== words[w]) return -1;
  }
  return at;
}
