/** What a segmenter makes of a piece, for the tests of this folder. */
import { expect } from 'vitest';
import type { Segmenter } from '../../../../../src/engine/analysis/languages/segmenters.ts';

/**
 * The words in order; checks that they cover the piece and that the segmenter stops at `wordsMax`
 * words.
 */
export function segmentedWords(
  segmenter: Segmenter,
  piece: string,
  wordsMax = Number.POSITIVE_INFINITY,
): string[] {
  const found: string[] = [];
  const isWhole = segmenter.segment(piece, (start, end) => {
    found.push(piece.slice(start, end));
    return found.length < wordsMax;
  });
  expect(isWhole).toBe(found.length < wordsMax);
  if (isWhole) expect(found.join('')).toBe(piece);
  return found;
}

export const mayCut = (segmenter: Segmenter, piece: string): boolean => {
  const utf8 = new TextEncoder().encode(`x${piece}x`);
  return segmenter.mayCut(utf8, 1, utf8.length - 1);
};
