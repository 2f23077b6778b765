/** Numbers as words of the shared cache, in one, two or four bytes each. */
import { expect, it } from 'vitest';
import { numberWords } from '../../../../src/search/snapshot/value-words.ts';

it.each([
  { numbers: [], words: 2 },
  { numbers: [0, 255, 3, 9, 1], words: 4 },
  { numbers: [256, 1, 65535], words: 4 },
  { numbers: [65536, 0], words: 4 },
  { numbers: [-1, 5], words: 4 },
])('holds $numbers in $words words', ({ numbers, words }) => {
  const parts = numberWords.write(Int32Array.from(numbers));
  const written = Uint32Array.from(parts.flatMap((part) => [...part]));
  expect(written).toHaveLength(words);
  expect([...numberWords.read(written)]).toEqual(numbers);
});
