/** The set of ASCII stop words: by lower-cased hash, compared as written. */
import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../../../src/core/hash.ts';
import { asciiStopWords } from '../../../../../src/engine/analysis/words/ascii-stop-words.ts';
import type { TermInterner } from '../../../../../src/engine/bytes/term-interner.ts';

const utf8 = new TextEncoder();

function has(words: TermInterner, word: string): boolean {
  const bytes = utf8.encode(`__${word}`);
  const lower = utf8.encode(word.toLowerCase());
  return words.find(bytes, 2, bytes.length, hashBytes(lower, 0, lower.length)) >= 0;
}

describe('asciiStopWords', () => {
  it('tells upper from lower case', () => {
    const words = asciiStopWords(['the', 'Of', 'OF', '007']);
    expect(['the', 'Of', 'OF', '007'].every((word) => has(words, word))).toBe(true);
    expect(['The', 'THE', 'of', 'oF', 'th', 'them', ''].some((word) => has(words, word))).toBe(
      false,
    );
  });

  it('leaves other than ASCII words out', () => {
    expect(asciiStopWords(['été', '東京', 'a b', '']).count).toBe(0);
    expect(asciiStopWords(['a']).count).toBe(1);
  });

  it('finds each of many', () => {
    const list = Array.from({ length: 3000 }, (_, i) => `Word${i}`);
    const words = asciiStopWords(list);
    expect(list.every((word) => has(words, word))).toBe(true);
    expect(list.some((word) => has(words, word.toLowerCase()))).toBe(false);
  });
});
