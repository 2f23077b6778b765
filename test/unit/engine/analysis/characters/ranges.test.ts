/** The notation for sets of code points. */
import { expect, it } from 'vitest';
import { parseRanges } from '../../../../../src/engine/analysis/characters/ranges.ts';

it('reads single numbers and inclusive ranges, in hexadecimal, over several lines', () => {
  expect(parseRanges('\n 41-5a b7\n 1f600-1f64f ')).toEqual([
    [0x41, 0x5a],
    [0xb7, 0xb7],
    [0x1f600, 0x1f64f],
  ]);
});
