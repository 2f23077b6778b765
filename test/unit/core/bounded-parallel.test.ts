/** Bounded parallel work keeps order, bound and the first error by place. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapInParallel } from '../../../src/core/bounded-parallel.ts';

describe('mapInParallel', () => {
  it('gives results in the order of the items, whichever ends first', async () => {
    const results = await mapInParallel([8, 1, 4], 3, async (ms, at) => {
      await sleep(ms);
      return `${at}:${ms}`;
    });
    expect(results).toEqual(['0:8', '1:1', '2:4']);
  });

  it('runs no more than the bound at once', async () => {
    let running = 0;
    let most = 0;
    await mapInParallel(Array.from({ length: 20 }), 3, async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(1);
      running -= 1;
    });
    expect(most).toBe(3);
  });

  it('throws the failure that stands first, not the one that happened first, and starts nothing after it', async () => {
    const started: number[] = [];
    const run = mapInParallel([10, 1, 0, 0], 2, async (ms, at) => {
      started.push(at);
      await sleep(ms);
      throw new Error(`failed at ${at}`);
    });
    await expect(run).rejects.toThrow('failed at 0');
    expect(started).toEqual([0, 1]);
  });

  it('does nothing for no items', async () => {
    await expect(mapInParallel([], 4, () => Promise.reject(new Error('never')))).resolves.toEqual(
      [],
    );
  });
});
