/** Inflections of a query word among the words of an index (relevance.md 2.8). */
import { describe, expect, it } from 'vitest';
import { relativesOf } from '../../../../src/search/query/relatives.ts';
import type { Word } from '../../../../src/search/snapshot/derivations.ts';

/** Words of an index. As in real indexes, the empty word is listed and never found. */
const vocabularyOf = (words: readonly string[]) => ({
  eachStartingWith: (beginning: string, visit: (text: string) => boolean) => {
    for (const word of ['', ...words].sort())
      if (word.startsWith(beginning) && !visit(word)) return;
  },
  find: (text: string): Word | null =>
    words.includes(text) ? { text, ordinals: [words.indexOf(text)] } : null,
});

const textsOf = (text: string, words: readonly string[]): string[] =>
  relativesOf(text, ['ell'], vocabularyOf(words)).map((word) => word.text);

describe('relatives of a word', () => {
  it('are the words of its stem', () => {
    expect(textsOf('ποσο', ['ποσος', 'ποσο', 'ποτε'])).toEqual(['ποσος']);
  });

  it('are none when the word consists of an ending only', () => {
    expect(textsOf('οταν', ['οταν', 'ποσο'])).toEqual([]);
  });
});
