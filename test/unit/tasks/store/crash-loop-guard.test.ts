/** Batches that ended the process, and what is done with their tasks at the next starts. */
import { describe, expect, it } from 'vitest';
import type { ProcessEnd } from '../../../../src/core/process-end.ts';
import {
  type BatchAttempt,
  CrashLoopGuard,
  CUT_OFFS_MAX,
  OWN_ENDS_MAX,
} from '../../../../src/tasks/store/crash-loop-guard.ts';
import { MemoryDisk, MemoryStore } from '../../../support/memory-store.ts';

const disk = () => {
  const memory = new MemoryDisk();
  return (lastEnd: ProcessEnd = 'outside') => CrashLoopGuard.open(new MemoryStore(memory), lastEnd);
};
const uids = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

async function commit(attempt: BatchAttempt, store: MemoryStore): Promise<void> {
  await store.write([attempt.end()]);
}

describe('a task that ends the process', () => {
  it('is abandoned after too many times in a row when it is alone', async () => {
    const start = disk();
    for (let time = 0; time < CUT_OFFS_MAX; time++) {
      const guard = await start();
      expect(guard.abandonedAfter([7])).toBeNull();
      await guard.begin([7]);
    }
    const guard = await start();
    expect(guard.abandonedAfter([7])).toBe(CUT_OFFS_MAX);
    expect(guard.abandonedAfter([8])).toBeNull();
  });

  it('may be cut off as often as one likes while it gets further each time', async () => {
    const start = disk();
    for (let time = 0; time < 2 * CUT_OFFS_MAX; time++) {
      const guard = await start();
      expect(guard.abandonedAfter([7])).toBeNull();
      await (await guard.begin([7])).gotFurther();
    }
    await (await start()).begin([7]);
    expect((await start()).abandonedAfter([7])).toBeNull();
  });

  it('is abandoned the third time when the process ended by itself', async () => {
    const start = disk();
    let guard = await start();
    for (let time = 0; time < OWN_ENDS_MAX; time++) {
      expect(guard.abandonedAfter([7])).toBeNull();
      await guard.begin([7]);
      guard = await start('own');
    }
    expect(OWN_ENDS_MAX).toBe(3);
    expect(guard.abandonedAfter([7])).toBe(3);
  });

  it('is abandoned when some of the ends were kills, but not right after one', async () => {
    const start = disk();
    let guard = await start();
    for (const end of ['own', 'outside', 'own', 'own', 'outside'] as const) {
      await guard.begin([7]);
      guard = await start(end);
    }
    expect(guard.abandonedAfter([7])).toBeNull();
    await guard.begin([7]);
    expect((await start('own')).abandonedAfter([7])).toBe(6);
  });

  it('does not draw in one that was alone when the process was killed', async () => {
    const start = disk();
    let guard = await start();
    for (const [batch, end] of [
      [uids(0, 8), 'own'],
      [uids(0, 8), 'own'],
      [uids(0, 8), 'own'],
      [[0], 'outside'],
    ] as const) {
      await guard.begin(batch);
      guard = await start(end);
    }
    expect(guard.abandonedAfter([0])).toBeNull();
  });

  it('is found among others by ever smaller batches, and the others are never abandoned', async () => {
    const start = disk();
    const sizes: number[] = [];
    let guard = await start();
    for (;;) {
      const size = Math.min(250, guard.tasksMax(10));
      sizes.push(size);
      const batch = uids(10, size);
      if (guard.abandonedAfter(batch) !== null) break;
      await guard.begin(batch);
      guard = await start();
    }
    expect(sizes.slice(0, 5)).toEqual([250, 250, 25, 3, 1]);
    expect(sizes).toHaveLength(CUT_OFFS_MAX + 1);
    expect(new Set(sizes.slice(4))).toEqual(new Set([1]));
  });

  it('is not confused with those of its batch that end well', async () => {
    const memory = new MemoryDisk();
    const start = () => CrashLoopGuard.open(new MemoryStore(memory), 'outside');
    for (let time = 0; time < 2; time++) await (await start()).begin(uids(0, 20));
    const guard = await start();
    expect(guard.tasksMax(0)).toBe(2);
    await commit(await guard.begin([0, 1]), new MemoryStore(memory));
    expect(guard.tasksMax(0)).toBe(Number.MAX_SAFE_INTEGER);
    expect(guard.tasksMax(2)).toBe(2);
    expect((await start()).tasksMax(2)).toBe(2);
  });
});

describe('a batch that did no harm', () => {
  it('is forgotten with its commit, and tried whole after one cut', async () => {
    const memory = new MemoryDisk();
    const start = () => CrashLoopGuard.open(new MemoryStore(memory), 'outside');
    await (await start()).begin(uids(0, 20));
    const guard = await start();
    expect(guard.tasksMax(0)).toBe(20);
    await commit(await guard.begin(uids(0, 20)), new MemoryStore(memory));
    expect((await start()).tasksMax(0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is not blamed for an end that was wanted', async () => {
    const start = disk();
    for (let time = 0; time < 5; time++) {
      const guard = await start();
      await guard.begin([3]);
      await guard.clear();
    }
    const guard = await start();
    expect(guard.abandonedAfter([3])).toBeNull();
    expect(guard.tasksMax(3)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('batches that ran side by side', () => {
  it('are tried again by themselves after the second end, and only the one to blame is abandoned', async () => {
    const start = disk();
    let guard = await start();
    for (let time = 1; time <= 2; time++) {
      expect([7, 8].map((uid) => guard.runsAlone(uid))).toEqual([false, false]);
      await guard.begin([7]);
      await guard.begin([8]);
      guard = await start('own');
    }
    expect([7, 8, 9].map((uid) => guard.runsAlone(uid))).toEqual([true, true, false]);
    await guard.begin([8]);
    guard = await start('own');
    expect(guard.abandonedAfter([8])).toBe(OWN_ENDS_MAX);
    expect(guard.abandonedAfter([7])).toBeNull();
  });

  it('go on side by side after kills from outside, until half of the limit', async () => {
    const start = disk();
    let guard = await start();
    const alone: boolean[] = [];
    for (let time = 1; time <= CUT_OFFS_MAX / 2; time++) {
      alone.push(guard.runsAlone(7));
      await guard.begin([7]);
      await guard.begin([8]);
      guard = await start();
    }
    expect(alone).toEqual([false, false, false, false, false]);
    expect([7, 8].map((uid) => guard.runsAlone(uid))).toEqual([true, true]);
    expect([7, 8].map((uid) => guard.abandonedAfter([uid]))).toEqual([null, null]);
  });

  it('are forgotten one by one, by the commit or the end of each', async () => {
    const memory = new MemoryDisk();
    const start = () => CrashLoopGuard.open(new MemoryStore(memory), 'outside');
    const guard = await start();
    const [first, second, third] = [
      await guard.begin([1]),
      await guard.begin([2]),
      await guard.begin([3]),
    ];
    await commit(first, new MemoryStore(memory));
    await second.clear();
    expect(third.isTaken).toBe(true);
    const again = await start();
    expect([1, 2, 3].map((uid) => again.tasksMax(uid))).toEqual([
      ...[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      1,
    ]);
  });

  it('keep their notes until they are released, even when they got further', async () => {
    const start = disk();
    const guard = await start();
    const first = await guard.begin([1]);
    await first.gotFurther();
    const second = await guard.begin([2]);
    expect(second).not.toBe(first);
    first.release();
    expect(await guard.begin([3])).toBe(first);
    const again = await start();
    expect([1, 2, 3].map((uid) => again.tasksMax(uid))).toEqual([Number.MAX_SAFE_INTEGER, 1, 1]);
  });
});
