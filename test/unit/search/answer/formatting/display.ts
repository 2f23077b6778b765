/**
 * Texts and queries as the formatter sees them: tokens, matches and marked texts of small indexes.
 */

import { Deadline } from '../../../../../src/core/deadline.ts';
import { createAnalyzer } from '../../../../../src/engine/analysis/analyzer.ts';
import type { DisplayTokens } from '../../../../../src/engine/analysis/tokens/display-tokens.ts';
import { decodeUtf8, encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../../src/model/settings.ts';
import { MatchingWords } from '../../../../../src/search/answer/formatting/matching-words.ts';
import type { TextMatch } from '../../../../../src/search/answer/formatting/text-match.ts';
import { matchTokens } from '../../../../../src/search/answer/formatting/text-matcher.ts';
import { executeSearch } from '../../../../../src/search/execute-search.ts';
import { indexTexts } from '../../../../support/search.ts';

const analyzer = createAnalyzer(DEFAULT_SETTINGS);

/** Valid until the next call. */
export function tokensOf(text: string): DisplayTokens {
  const utf8 = encodeUtf8(text);
  const tokens = analyzer.tokenizeForDisplay(utf8, 0, utf8.length, null);
  analyzer.joinCharacters(tokens);
  return tokens;
}

/** A part of a text by its bytes. */
export const bytesOf = (text: string, start: number, end: number): string =>
  decodeUtf8(encodeUtf8(text), start, end);

/** What `query` marks when the index holds these texts. */
export function matchingWords(
  query: string,
  texts: readonly string[],
  settings?: Partial<Settings>,
): MatchingWords {
  const snapshot = indexTexts(
    Object.fromEntries(texts.map((text, i) => [`d${i}`, text])),
    settings,
  );
  const request = { ...DEFAULT_SEARCH_REQUEST, q: query };
  return new MatchingWords(snapshot, executeSearch(snapshot, request, Deadline.never()).query);
}

interface Matched {
  readonly tokens: DisplayTokens;
  readonly matches: readonly TextMatch[];
}

/** `text` matched by `query`, in an index that holds the text and `others`. */
export function matched(
  query: string,
  text: string,
  others: readonly string[] = [],
  settings?: Partial<Settings>,
): Matched {
  const tokens = tokensOf(text);
  return {
    tokens,
    matches: matchTokens(tokens, matchingWords(query, [text, ...others], settings)),
  };
}

/** The text with its matches in brackets. */
export function marked(
  query: string,
  text: string,
  others?: readonly string[],
  settings?: Partial<Settings>,
): string {
  const { matches } = matched(query, text, others, settings);
  let out = '';
  let at = 0;
  for (const { start, end } of matches) {
    out += `${bytesOf(text, at, start)}[${bytesOf(text, start, end)}]`;
    at = end;
  }
  return out + bytesOf(text, at, encodeUtf8(text).length);
}
