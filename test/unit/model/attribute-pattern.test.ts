/** Name patterns of settings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isFieldOrBelow,
  patternCovers,
  patternMatches,
} from '../../../src/model/attribute-pattern.ts';

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

  it('says the same as a look at every field above, of any path and pattern', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        const above = path.split('.').map((_, i, parts) => parts.slice(0, i + 1).join('.'));
        const isCovered = above.some((field) => patternMatches(pattern, field));
        expect(patternCovers(pattern, path)).toBe(isCovered);
      }),
    );
  });

  it('takes time linear in the path, however many dots it has', () => {
    const path = `${'a.'.repeat(500_000)}b`;
    for (const pattern of ['*c', '*c*', 'c*', 'c'])
      expect(patternCovers(pattern, path)).toBe(false);
    expect(patternCovers('*a', path)).toBe(true);
  });

  it('covers what lies below a matching field, at dots only', () => {
    expect(patternCovers('o', 'o.p.q')).toBe(true);
    expect(patternCovers('*_x', 'a_x.b')).toBe(true);
    expect(patternCovers('o', 'op.q')).toBe(false);
    expect(isFieldOrBelow('a.b', 'a')).toBe(true);
    expect(isFieldOrBelow('ab', 'a')).toBe(false);
  });
});
