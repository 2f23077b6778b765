/** Name patterns of settings. */
import { describe, expect, it } from 'vitest';
import { isFieldOrBelow, patternCovers } from '../../../src/model/attribute-pattern.ts';

describe('patternCovers', () => {
  it('matches literals, prefixes, suffixes, parts and everything', () => {
    expect(patternCovers('title', 'title')).toBe(true);
    expect(patternCovers('title_*', 'title_en')).toBe(true);
    expect(patternCovers('*_en', 'title_en')).toBe(true);
    expect(patternCovers('*tl*', 'title')).toBe(true);
    expect(patternCovers('*', 'a.b')).toBe(true);
    for (const pattern of ['titl', '*x*', 'x*', '*titl', 'title.en'])
      expect(patternCovers(pattern, 'title'), pattern).toBe(false);
  });

  it('covers what lies below a matching field, at dots only', () => {
    expect(patternCovers('o', 'o.p.q')).toBe(true);
    expect(patternCovers('*_x', 'a_x.b')).toBe(true);
    expect(patternCovers('o', 'op.q')).toBe(false);
    expect(isFieldOrBelow('a.b', 'a')).toBe(true);
    expect(isFieldOrBelow('ab', 'a')).toBe(false);
  });
});
