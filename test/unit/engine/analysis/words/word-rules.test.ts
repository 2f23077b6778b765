/** Trimming of lemmas before they are indexed. */
import { expect, it } from 'vitest';
import { trimLemma } from '../../../../../src/engine/analysis/words/word-rules.ts';

it('trims white space of any kind at both ends, and nothing else', () => {
  expect(trimLemma(' \t\u000b\u0085\u00a0\u1680\u2003\u2028\u202f\u205f\u3000a b\u2029\n')).toBe(
    'a b',
  );
  expect(trimLemma('\ufeffa\u200b')).toBe('\ufeffa\u200b');
  expect(trimLemma('  ')).toBe('');
  expect(trimLemma('')).toBe('');
});
