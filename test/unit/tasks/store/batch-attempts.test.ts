/** Batches that ended the process, and what is done with their tasks at the next starts. */
import { describe, expect, it } from 'vitest';
import type { ProcessEnd } from '../../../../src/core/process-end.ts';
import { MemoryDisk, MemoryStore } from '../../../../src/storage/database/memory-store.ts';
import {
  BatchAttempts,
  CUT_OFFS_MAX,
  OWN_ENDS_MAX,
} from '../../../../src/tasks/store/batch-attempts.ts';

const disk = () => {
  const memory = new MemoryDisk();
  return (lastEnd: ProcessEnd = 'outside') =>
    BatchAttempts.open(new MemoryStore(memory), 'attempt', lastEnd);
};
const uids = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

async function commit(attempts: BatchAttempts, store: MemoryStore): Promise<void> {
  await store.write([attempts.end()]);
}

describe('a task that ends the process', () => {
  it('is given up after too many times in a row when it is alone', async () => {
    const start = disk();
    for (let time = 0; time < CUT_OFFS_MAX; time++) {
      const attempts = await start();
      expect(attempts.givenUpAfter([7])).toBeNull();
      await attempts.begin([7]);
    }
    const attempts = await start();
    expect(attempts.givenUpAfter([7])).toBe(CUT_OFFS_MAX);
    expect(attempts.givenUpAfter([8])).toBeNull();
  });

  it('may be cut off as often as one likes while it gets further each time', async () => {
    const start = disk();
    for (let time = 0; time < 2 * CUT_OFFS_MAX; time++) {
      const attempts = await start();
      expect(attempts.givenUpAfter([7])).toBeNull();
      await attempts.begin([7]);
      await attempts.gotFurther();
    }
    await (await start()).begin([7]);
    expect((await start()).givenUpAfter([7])).toBeNull();
  });

  it('is given up the third time when the process ended by itself', async () => {
    const start = disk();
    let attempts = await start();
    for (let time = 0; time < OWN_ENDS_MAX; time++) {
      expect(attempts.givenUpAfter([7])).toBeNull();
      await attempts.begin([7]);
      attempts = await start('own');
    }
    expect(OWN_ENDS_MAX).toBe(3);
    expect(attempts.givenUpAfter([7])).toBe(3);
  });

  it('is given up when some of the ends were kills, but not right after one', async () => {
    const start = disk();
    let attempts = await start();
    for (const end of ['own', 'outside', 'own', 'own', 'outside'] as const) {
      await attempts.begin([7]);
      attempts = await start(end);
    }
    expect(attempts.givenUpAfter([7])).toBeNull();
    await attempts.begin([7]);
    expect((await start('own')).givenUpAfter([7])).toBe(6);
  });

  it('does not draw in one that was alone when the process was killed', async () => {
    const start = disk();
    let attempts = await start();
    for (const [batch, end] of [
      [uids(0, 8), 'own'],
      [uids(0, 8), 'own'],
      [uids(0, 8), 'own'],
      [[0], 'outside'],
    ] as const) {
      await attempts.begin(batch);
      attempts = await start(end);
    }
    expect(attempts.givenUpAfter([0])).toBeNull();
  });

  it('is found among others by ever smaller batches, and the others are never given up', async () => {
    const start = disk();
    const sizes: number[] = [];
    let attempts = await start();
    for (;;) {
      const size = Math.min(250, attempts.tasksMax(10));
      sizes.push(size);
      const batch = uids(10, size);
      if (attempts.givenUpAfter(batch) !== null) break;
      await attempts.begin(batch);
      attempts = await start();
    }
    expect(sizes.slice(0, 5)).toEqual([250, 250, 25, 3, 1]);
    expect(sizes).toHaveLength(CUT_OFFS_MAX + 1);
    expect(new Set(sizes.slice(4))).toEqual(new Set([1]));
  });

  it('is not confused with those of its batch that end well', async () => {
    const memory = new MemoryDisk();
    const start = () => BatchAttempts.open(new MemoryStore(memory), 'attempt', 'outside');
    for (let time = 0; time < 2; time++) await (await start()).begin(uids(0, 20));
    const attempts = await start();
    expect(attempts.tasksMax(0)).toBe(2);
    await attempts.begin([0, 1]);
    await commit(attempts, new MemoryStore(memory));
    expect(attempts.tasksMax(0)).toBe(Number.MAX_SAFE_INTEGER);
    expect(attempts.tasksMax(2)).toBe(2);
    expect((await start()).tasksMax(2)).toBe(2);
  });
});

describe('a batch that did no harm', () => {
  it('is forgotten with its commit, and tried whole after one cut', async () => {
    const memory = new MemoryDisk();
    const start = () => BatchAttempts.open(new MemoryStore(memory), 'attempt', 'outside');
    await (await start()).begin(uids(0, 20));
    const attempts = await start();
    expect(attempts.tasksMax(0)).toBe(20);
    await attempts.begin(uids(0, 20));
    await commit(attempts, new MemoryStore(memory));
    expect((await start()).tasksMax(0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is not blamed for an end that was wanted', async () => {
    const start = disk();
    for (let time = 0; time < 5; time++) {
      const attempts = await start();
      await attempts.begin([3]);
      await attempts.forgive();
    }
    const attempts = await start();
    expect(attempts.givenUpAfter([3])).toBeNull();
    expect(attempts.tasksMax(3)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
