/** The stored form of stop words and of words without typo tolerance. */
import { expect, it } from 'vitest';
import { withNormalizedWords } from '../../../src/indexing/protected-words.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';

const withWords = (disableOnWords: readonly string[]): Settings => ({
  ...DEFAULT_SETTINGS,
  typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, disableOnWords },
});

it('normalises, sorts and deduplicates new words, with the separators inside them', () => {
  const words = ['The', 'the', 'Été', 'New York', 'Œuvre', 'C++', '１２'];
  expect(
    withNormalizedWords(withWords(words), DEFAULT_SETTINGS).typoTolerance.disableOnWords,
  ).toEqual(['12', 'c++', 'ete', 'new york', 'oeuvre', 'the']);
});

it('leaves stored words as they are', () => {
  const stored = withWords(['The']);
  const next = { ...stored, searchCutoffMs: 5 };
  expect(withNormalizedWords(next, stored)).toEqual(next);
});

it('decomposes new stop words, which keep their case and accents', () => {
  const stopWords = ['\u00e9t\u00e9', '\ufb01n', 'The'];
  const next = withNormalizedWords({ ...DEFAULT_SETTINGS, stopWords }, DEFAULT_SETTINGS);
  expect(next.stopWords).toEqual(['The', 'e\u0301te\u0301', 'fin']);
  expect(withNormalizedWords(next, next).stopWords).toBe(next.stopWords);
});
