/** Scanned costs as words of the shared cache, in one, two or four bytes each. */
import { expect, it } from 'vitest';
import { scannedCostsWords } from '../../../../src/search/snapshot/value-words.ts';

it.each([
  { costs: [], words: 2 },
  { costs: [0, 255, 3, 9, 1], words: 9 },
  { costs: [256, 1, 65535], words: 7 },
  { costs: [65536, 0], words: 6 },
  { costs: [-1, 5], words: 6 },
])('holds $costs in $words words', ({ costs, words }) => {
  const ranks = Uint32Array.from(costs, (_, i) => 7 * i);
  const parts = scannedCostsWords.write({ ranks, costs: Int32Array.from(costs) });
  const written = Uint32Array.from(parts.flatMap((part) => [...part]));
  expect(written).toHaveLength(words);
  const read = scannedCostsWords.read(written);
  expect([...read.ranks]).toEqual([...ranks]);
  expect([...read.costs]).toEqual(costs);
});
