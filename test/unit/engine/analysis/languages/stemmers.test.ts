/** Stemmers by language. */
import { describe, expect, it } from 'vitest';
import {
  STEMMED_LANGUAGES,
  stemmerOf,
} from '../../../../../src/engine/analysis/languages/stemmers.ts';
import { INFLECTED_LANGUAGES, normalizeLocale } from '../../../../../src/model/locales.ts';

describe('stemmers', () => {
  it('are there for the languages that the setting takes, each a known locale', () => {
    expect([...STEMMED_LANGUAGES].sort()).toEqual(INFLECTED_LANGUAGES);
    for (const language of INFLECTED_LANGUAGES) expect(normalizeLocale(language)).toBe(language);
  });

  it.each([
    ['eng', 'connection', 'connects'],
    ['eng', 'ponies', 'pony'],
    ['deu', 'haus', 'hauses'],
    ['fra', 'livres', 'livre'],
    ['spa', 'libros', 'libro'],
    ['rus', 'книга', 'книги'],
    ['fin', 'talossa', 'talosta'],
    ['swe', 'bilar', 'bilarna'],
  ])('lead %s %s and %s to one stem', (language, a, b) => {
    const stem = stemmerOf(language)!;
    expect(stem(a)).toBe(stem(b));
    expect(stem(a)).not.toBe(stem(`x${a}`));
  });

  it.each(['jpn', '', 'constructor'])('are not there for %s', (language) => {
    expect(stemmerOf(language)).toBeNull();
  });

  it('take any word', () => {
    const words = ['', 'a', '12', 'q\u0301', '漢字', 'x'.repeat(250), "o'clock", '$'];
    for (const language of STEMMED_LANGUAGES)
      for (const word of words) expect(typeof stemmerOf(language)!(word)).toBe('string');
  });
});
