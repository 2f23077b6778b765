/** The set of ASCII stop words: by lower-cased hash, compared as written. */
import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../../../src/core/hash.ts';
import { AsciiStopWords } from '../../../../../src/engine/analysis/words/ascii-stop-words.ts';

const utf8 = new TextEncoder();

function has(words: AsciiStopWords, word: string): boolean {
  const bytes = utf8.encode(`__${word}`);
  const lower = utf8.encode(word.toLowerCase());
  return words.has(bytes, 2, bytes.length - 2, hashBytes(lower, 0, lower.length));
}

describe('AsciiStopWords', () => {
  it('tells upper from lower case', () => {
    const words = new AsciiStopWords(['the', 'Of', 'OF', '007']);
    expect(['the', 'Of', 'OF', '007'].every((word) => has(words, word))).toBe(true);
    expect(['The', 'THE', 'of', 'oF', 'th', 'them', ''].some((word) => has(words, word))).toBe(
      false,
    );
  });

  it('leaves other than ASCII words out', () => {
    expect(new AsciiStopWords(['été', '東京', 'a b', '']).isEmpty).toBe(true);
    expect(new AsciiStopWords(['a']).isEmpty).toBe(false);
  });

  it('finds each of many', () => {
    const list = Array.from({ length: 3000 }, (_, i) => `Word${i}`);
    const words = new AsciiStopWords(list);
    expect(list.every((word) => has(words, word))).toBe(true);
    expect(list.some((word) => has(words, word.toLowerCase()))).toBe(false);
  });
});
