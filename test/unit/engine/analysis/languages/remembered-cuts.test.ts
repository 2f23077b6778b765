/** Remembered cuts are the cuts. */
import { expect, it } from 'vitest';
import type { Segmenter } from '../../../../../src/engine/analysis/languages/segmenters.ts';
import { rememberingCuts } from '../../../../../src/engine/analysis/languages/segmenters.ts';
import { mayCut, segmentedWords } from './segmented-words.ts';

function countingHalver(): { segmenter: Segmenter; calls: () => number } {
  let calls = 0;
  const segmenter: Segmenter = {
    segment(piece, visit) {
      calls++;
      const middle = piece.length >> 1;
      return visit(0, middle) && visit(middle, piece.length);
    },
    mayCut: (_utf8, start, end) => end - start > 1,
  };
  return { segmenter, calls: () => calls };
}

it('asks once for a short piece and tells the same words each time', () => {
  const { segmenter, calls } = countingHalver();
  const remembering = rememberingCuts(segmenter);
  expect(segmentedWords(remembering, 'abcd', 1)).toEqual(['ab']);
  expect(segmentedWords(remembering, 'abcd')).toEqual(['ab', 'cd']);
  expect(calls()).toBe(1);
  expect([mayCut(remembering, 'a'), mayCut(remembering, 'ab')]).toEqual([false, true]);
});

it('does not keep long pieces, and forgets when there are too many', () => {
  const { segmenter, calls } = countingHalver();
  const remembering = rememberingCuts(segmenter);
  for (let i = 0; i < 2; i++) expect(segmentedWords(remembering, 'x'.repeat(100))).toHaveLength(2);
  expect(calls()).toBe(2);
  for (let i = 0; i < 9000; i++) remembering.segment(`word${i}`, () => true);
  segmentedWords(remembering, 'word0');
  expect(calls()).toBe(2 + 9000 + 1);
});
