/** Trimming of lemmas and values. */
import { expect, it } from 'vitest';
import { trimWhiteSpace } from '../../../../../src/engine/analysis/characters/white-space.ts';

it('trims white space of any kind at both ends, and nothing else', () => {
  expect(
    trimWhiteSpace(' \t\u000b\u0085\u00a0\u1680\u2003\u2028\u202f\u205f\u3000a b\u2029\n'),
  ).toBe('a b');
  expect(trimWhiteSpace('\ufeffa\u200b')).toBe('\ufeffa\u200b');
  expect(trimWhiteSpace('  ')).toBe('');
  expect(trimWhiteSpace('')).toBe('');
});
