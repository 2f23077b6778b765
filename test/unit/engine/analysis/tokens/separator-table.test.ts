/** The built-in lists of separators. */
import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_HARD_SEPARATORS,
  DEFAULT_SEPARATORS,
  SEPARATOR_SEQUENCES,
} from '../../../../../src/engine/analysis/tokens/separator-table.ts';

describe('the built-in separators', () => {
  it('hold the sequences, which are hard', () => {
    expect(SEPARATOR_SEQUENCES).toContain('. ');
    expect(SEPARATOR_SEQUENCES).toContain(', ');
    for (const sequence of SEPARATOR_SEQUENCES) {
      expect(DEFAULT_SEPARATORS.has(sequence) && BUILT_IN_HARD_SEPARATORS.has(sequence)).toBe(true);
    }
  });

  it('hold all ASCII punctuation but $ < = > ^ | ~', () => {
    const printable = Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i));
    const signs = printable.filter((character) => !/[A-Za-z0-9]/.test(character));
    expect(signs.filter((sign) => !DEFAULT_SEPARATORS.has(sign))).toEqual([
      '$',
      '<',
      '=',
      '>',
      '^',
      '|',
      '~',
    ]);
  });

  it('hold every assigned punctuation category but the listed exceptions', () => {
    for (const character of ['‿', '–', '）', '»', '«', '‡', '（', '\u2029', '\u3000'])
      expect(DEFAULT_SEPARATORS.has(character)).toBe(true);
    const exceptions = [
      0xa0, 0x2000, 0x2001, 0x202f, 0x205f, 0x2028, 0x2011, 0x37e, 0x387, 0x61d, 0x66b, 0x66c,
      0xf0c, 0x2329, 0x232a,
    ];
    for (const codePoint of exceptions)
      expect(DEFAULT_SEPARATORS.has(String.fromCodePoint(codePoint))).toBe(false);
  });
});
