/** Stemmers by language. */
import { describe, expect, it } from 'vitest';
import { STEMMERS } from '../../../../src/engine/analysis/stemmers.ts';
import { INFLECTED_LANGUAGES, normalizeLocale } from '../../../../src/model/locales.ts';

describe('stemmers', () => {
  it('are there for the languages that the setting takes, each a known locale', () => {
    expect(Object.keys(STEMMERS).sort()).toEqual(INFLECTED_LANGUAGES);
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
    const stem = STEMMERS[language]!;
    expect(stem(a)).toBe(stem(b));
    expect(stem(a)).not.toBe(stem(`x${a}`));
  });

  it('take any word', () => {
    const words = ['', 'a', '12', 'q\u0301', '漢字', 'x'.repeat(250), "o'clock", '$'];
    for (const stem of Object.values(STEMMERS))
      for (const word of words) expect(typeof stem(word)).toBe('string');
  });
});
