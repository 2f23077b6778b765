/** Helpers to inspect the output of an analyzer, for the tests of this folder. */

import { hashBytes } from '../../../../src/core/hash.ts';
import { type Analyzer, createAnalyzer } from '../../../../src/engine/analysis/analyzer.ts';
import {
  type AnalyzerSettings,
  type Token,
  TokenKind,
} from '../../../../src/engine/analysis/tokens/token.ts';

export const NO_SETTINGS: AnalyzerSettings = {
  stopWords: [],
  separatorTokens: [],
  nonSeparatorTokens: [],
  dictionary: [],
};

export const analyzerOf = (settings: Partial<AnalyzerSettings> = {}): Analyzer =>
  createAnalyzer({ ...NO_SETTINGS, ...settings });

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Indexed words as `word@position`; checks hash and length of each, and the returned last position.
 */
export function indexed(
  analyzer: Analyzer,
  value: string,
  locales: readonly string[] | null = null,
  base = 0,
): string[] {
  const margin = 3;
  const bytes = new Uint8Array([
    ...utf8.encode('xyz'),
    ...utf8.encode(value),
    ...utf8.encode('xyz'),
  ]);
  const words: string[] = [];
  let lastPosition = -1;
  const last = analyzer.indexWords(bytes, margin, bytes.length - margin, base, locales, {
    word(lemma, length, hash, position) {
      if (hash !== hashBytes(lemma, 0, length)) throw new Error('wrong hash');
      words.push(`${text.decode(lemma.slice(0, length))}@${position}`);
      lastPosition = position;
    },
  });
  if (last !== lastPosition) throw new Error(`returned ${last}, last word was at ${lastPosition}`);
  return words;
}

const MARKS = {
  [TokenKind.word]: '',
  [TokenKind.stopWord]: 'stop:',
  [TokenKind.softSeparator]: 'soft:',
  [TokenKind.hardSeparator]: 'hard:',
};

/** Tokens as lemmas, with a mark in front of all but words. */
export const shown = (tokens: readonly Token[]): string[] =>
  tokens.map(({ kind, lemma }) => MARKS[kind] + lemma);

const WHITE_EDGES =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

/**
 * The position rules of relevance.md 1.3 applied to tokens, written apart from the indexer: its
 * oracle.
 */
export function positionsOf(tokens: readonly Token[], base = 0): string[] {
  const words: string[] = [];
  let position = base;
  let lastKind: 'none' | 'word' | 'soft' | 'hard' = 'none';
  for (const { kind, lemma } of tokens) {
    if (lemma === '') continue;
    if (kind === TokenKind.hardSeparator || kind === TokenKind.softSeparator) {
      if (lastKind === 'none') continue;
      if (lastKind !== 'hard') lastKind = kind === TokenKind.hardSeparator ? 'hard' : 'soft';
      continue;
    }
    if (lastKind !== 'none') position += lastKind === 'hard' ? 8 : 1;
    lastKind = 'word';
    const trimmed = lemma.replace(WHITE_EDGES, '');
    const isIndexed =
      kind === TokenKind.word &&
      trimmed !== '' &&
      utf8.encode(trimmed).length <= 250 &&
      position <= 65_535;
    if (isIndexed) words.push(`${text.decode(utf8.encode(trimmed))}@${position}`);
  }
  return words;
}
