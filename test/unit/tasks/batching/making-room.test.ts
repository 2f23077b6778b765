import { describe, expect, it } from 'vitest';
import type { BatchStep } from '../../../../src/model/batch-progress.ts';
import { makesRoom } from '../../../../src/tasks/batching/making-room.ts';

const LIMITS = { asideAfterMs: 5000, asideBatchesMax: 2, asideVectorBytesMax: 100 };

interface Cell {
  readonly step?: BatchStep | null;
  readonly ms?: number;
  readonly vectorBytes?: number | null;
  readonly aside?: readonly number[];
  readonly isInTheWay?: boolean;
}

const decide = ({
  step = 'embedding documents',
  ms = 5000,
  vectorBytes = 40,
  aside = [],
  isInTheWay = true,
}: Cell): boolean => {
  const durations = new Map<BatchStep, number>([['embedding documents', ms]]);
  return makesRoom({ reading: { step, durations }, vectorBytes }, aside, isInTheWay, LIMITS);
};

describe('a batch that waits for embeddings', () => {
  it.each<[string, Cell, boolean]>([
    ['makes room when it is in the way for long', {}, true],
    ['stays while nothing else could be processed', { isInTheWay: false }, false],
    ['stays for a moment', { ms: 4999 }, false],
    ['stays while it builds', { step: 'building segments' }, false],
    ['stays between its steps', { step: null }, false],
    ['stays where it would find nothing again', { vectorBytes: null }, false],
    ['makes room beside another', { aside: [60] }, true],
    ['stays where too many are aside', { vectorBytes: 0, aside: [0, 0] }, false],
    ['stays where its vectors would not be kept', { vectorBytes: 101 }, false],
    ['stays where those of all would not be kept', { aside: [61] }, false],
  ])('%s', (_, cell, outcome) => {
    expect(decide(cell)).toBe(outcome);
  });
});
