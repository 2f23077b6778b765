/** Division of the memory for indexing. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_MERGE_POLICY } from '../../../src/indexing/files/merge-policy.ts';
import {
  collectsAfterSteps,
  memoryShares,
  SEGMENT_RAW_BYTES_MAX,
  threadsWithin,
} from '../../../src/indexing/memory-shares.ts';

const MIB = 1024 ** 2;

describe('shares of the memory for indexing', () => {
  it.each([1, 2, 4, 8, 16])('hold nothing back where there is plenty, on %i threads', (threads) => {
    const { partBytesMax, ...shares } = memoryShares(64 * 1024 * MIB, threads);
    expect(partBytesMax).toBe(SEGMENT_RAW_BYTES_MAX);
    expect(shares.mergedBytesMax).toBe(DEFAULT_MERGE_POLICY.mergedBytesMax);
    expect(shares.settledBytesMax).toBe(DEFAULT_MERGE_POLICY.settledBytesMax);
  });

  it.each([256, 512, 1024, 4096])(
    'are within %i MiB together, when builders finish and a merge runs concurrently',
    (mebibytes) => {
      for (const asked of [1, 2, 4, 64]) {
        const threads = threadsWithin(mebibytes * MIB, asked);
        const shares = memoryShares(mebibytes * MIB, threads);
        const { builderBytes, settledBytesMax, refitsMax } = shares;
        if (collectsAfterSteps(mebibytes * MIB)) expect(refitsMax).toBe(threads);
        const atOnce = 3 * builderBytes * threads + settledBytesMax + 28 * MIB * (threads + 3);
        expect(atOnce).toBeLessThanOrEqual(mebibytes * MIB);
      }
    },
  );

  it('never come to nothing', () => {
    const { builderBytes, partBytesMax, mergedBytesMax } = memoryShares(MIB, 1);
    for (const bytes of [builderBytes, partBytesMax]) expect(bytes).toBeGreaterThan(10_000);
    expect(mergedBytesMax).toBeGreaterThan(16 * MIB);
    expect(threadsWithin(1, 8)).toBe(1);
  });

  it('leave garbage to V8 where there is plenty alone', () => {
    expect([256, 1023, 1024].map((mebibytes) => collectsAfterSteps(mebibytes * MIB))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('leave threads out that would only take memory from the others', () => {
    expect(threadsWithin(512 * MIB, 16)).toBe(2);
    expect(threadsWithin(16 * 1024 * MIB, 16)).toBe(16);
  });
});
