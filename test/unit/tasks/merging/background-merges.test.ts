/**
 * Goal: merges begin when writing pauses, one at a time, and at once only for an index of many
 * segments; one that failed or does not fit on the disk is tried again at growing intervals.
 */
import { describe, expect, it } from 'vitest';
import type { FinishedMerge } from '../../../../src/indexing/files/finished-merge.ts';
import type { SegmentEntry } from '../../../../src/model/index-manifest.ts';
import {
  BackgroundMerges,
  type BackgroundMergesOptions,
} from '../../../../src/tasks/merging/background-merges.ts';

const RETRY = { firstMs: 1000, maxMs: 4000 };
const SEGMENT = { documentCount: 10, deadCount: 5, files: [{ bytes: 600 }, { bytes: 200 }] };
const TIMING = { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 4 };

/**
 * Indexes by id: how many segments each has. A merge of those that have two or more ends when the
 * test says so.
 */
function harness(segmentCounts: Readonly<Record<number, number>>, damaged: readonly number[] = []) {
  const begun: string[] = [];
  const woken: number[] = [];
  let finish: (completed: FinishedMerge) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const discarded: string[] = [];
  const logged: string[] = [];
  const uploads: string[] = [];
  const disk = { uploadFails: false, nowMs: 0, freeBytes: null as number | null };
  const writerOf = (id: number) => ({
    discard: (changeId: string) => discarded.push(changeId),
    planMerge: ({ segments }: { segments: readonly unknown[] }, activity: string) =>
      segments.length > 1 || activity === 'settled' ? [`${activity} ${id}`, 's0', 's1'] : null,
    merge: (inputs: string[]) => {
      begun.push(inputs[0] as string);
      return new Promise<FinishedMerge>((resolve, reject) => {
        finish = resolve;
        fail = reject;
      });
    },
  });
  const options = {
    catalog: {
      byId: (id: number) =>
        segmentCounts[id] === undefined
          ? null
          : {
              id,
              uid: `i${id}`,
              segments: Array.from({ length: segmentCounts[id] }, (_, i) => ({
                ...SEGMENT,
                id: `s${i}`,
              })),
            },
    },
    writers: {
      get: ({ id }: { id: number }) => writerOf(id),
      acquire: ({ id }: { id: number }) => ({ writer: writerOf(id), release: () => undefined }),
    },
    mergeTiming: TIMING,
    mergeRetry: RETRY,
    freeBytes: () => disk.freeBytes,
    stored: {
      keep: async (keys: readonly string[]) => {
        if (disk.uploadFails) throw new Error('the store is away');
        uploads.push(...keys.map((key) => key.replace('indexes/', '')));
      },
    },
    clock: () => disk.nowMs * 1000,
    log: {
      debug: () => undefined,
      warn: (text: string) => logged.push(text),
      error: (_: object, text: string) => logged.push(text),
    },
    isSound: (id: number) => !damaged.includes(id),
  } as unknown as BackgroundMergesOptions;
  const merges = new BackgroundMerges(options, () => woken.push(begun.length));
  for (const id of Object.keys(segmentCounts)) merges.consider(Number(id));
  const begin = async (restMs: number): Promise<void> => {
    merges.begin(restMs);
    await new Promise(setImmediate);
  };
  const finishMerge = async (files: readonly string[] = []): Promise<void> => {
    const output = { files: files.map((name) => ({ name })) } as unknown as SegmentEntry;
    finish({
      changeId: 'c',
      inputs: [],
      output: files.length === 0 ? null : output,
      docIdWordCount: 0,
    });
    await new Promise(setImmediate);
  };
  const failMerge = async (): Promise<void> => {
    fail(new Error('ENOSPC'));
    await new Promise(setImmediate);
  };
  return { merges, begin, begun, woken, discarded, uploads, logged, disk, finishMerge, failMerge };
}

describe('background merges', () => {
  it('leave an index alone that has not been checked or is damaged', async () => {
    const { merges, begin, begun } = harness({ 1: 4, 2: 4 }, [1]);
    await begin(TIMING.settledMs);
    expect(begun).toEqual(['settled 2']);
    merges.stop();
  });

  it('wait for a quiet moment', async () => {
    const { merges, begin, begun } = harness({ 1: 2 });
    await begin(TIMING.quietMs - 1);
    expect(begun).toEqual([]);
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    merges.stop();
  });

  it('begin at once for an index of many segments, others keep their place', async () => {
    const { merges, begin, begun } = harness({ 1: 2, 2: 4 });
    await begin(0);
    expect(begun).toEqual(['writing 2']);
    merges.stop();
  });

  it('gather an index that was left in peace only when all is settled', async () => {
    const { merges, begin, begun } = harness({ 1: 1 });
    await begin(TIMING.settledMs - 1);
    expect(begun).toEqual([]);
    await begin(TIMING.settledMs);
    expect(begun).toEqual(['settled 1']);
    merges.stop();
  });

  it('are one at a time, and one at most of an index waits for its commit', async () => {
    const { merges, begin, begun, woken, finishMerge } = harness({ 1: 2, 2: 2 });
    await begin(TIMING.quietMs);
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    await finishMerge();
    expect(woken).toEqual([1]);
    merges.consider(1);
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1', 'writing 2']);
    await finishMerge();
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1', 'writing 2']);
    merges.stop();
  });

  it('are aborted, with their files, when the stop comes before their commit', async () => {
    const before = harness({ 1: 2 });
    await before.begin(TIMING.quietMs);
    await before.finishMerge();
    before.merges.stop();
    expect(before.discarded).toEqual(['c']);
    const during = harness({ 1: 2 });
    await during.begin(TIMING.quietMs);
    during.merges.stop();
    await during.finishMerge();
    expect(during.discarded).toEqual(['c']);
  });

  it('do not begin after the stop', async () => {
    const { merges, begin, begun } = harness({ 1: 4 });
    merges.stop();
    await begin(TIMING.settledMs);
    expect(begun).toEqual([]);
  });

  it('wait for space on the disk, which is logged once with the sizes', async () => {
    const { merges, begin, begun, logged, disk } = harness({ 1: 2, 2: 2 });
    // Two segments of 800 bytes, of which half live, and a quarter on top.
    disk.freeBytes = 999;
    await begin(TIMING.quietMs);
    await begin(TIMING.quietMs);
    expect(begun).toEqual([]);
    expect(logged).toHaveLength(2);
    expect(logged[0]).toContain('index i1');
    expect(logged[0]).toContain('it needs about 1000 B, 999 B are free');
    disk.freeBytes = 1000;
    disk.nowMs = RETRY.firstMs - 1;
    await begin(TIMING.quietMs);
    expect(begun).toEqual([]);
    disk.nowMs = RETRY.firstMs;
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    merges.stop();
  });

  it('are tried again after a time that doubles with each failure, up to a limit', async () => {
    const { merges, begin, begun, logged, disk, failMerge, finishMerge } = harness({ 1: 2 });
    for (const wait of [1000, 2000, 4000, 4000]) {
      await begin(TIMING.quietMs);
      await failMerge();
      const count = begun.length;
      disk.nowMs += wait - 1;
      await begin(TIMING.quietMs);
      expect(begun).toHaveLength(count);
      disk.nowMs += 1;
    }
    expect(logged).toEqual([expect.stringContaining('ENOSPC')]);
    await begin(TIMING.quietMs);
    expect(begun).toHaveLength(5);
    await finishMerge();
    merges.stop();
  });

  it('of one index do not wait because those of another fail', async () => {
    const { merges, begin, begun, failMerge } = harness({ 1: 2, 2: 2 });
    await begin(TIMING.quietMs);
    await failMerge();
    await begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1', 'writing 2']);
    merges.stop();
  });

  it('upload their files before they wait for their commit, or are discarded and tried again', async () => {
    const { merges, begin, begun, uploads, discarded, logged, disk, finishMerge } = harness({
      1: 2,
    });
    disk.uploadFails = true;
    await begin(TIMING.quietMs);
    await finishMerge(['a.seg']);
    expect(merges.hasFinished).toBe(false);
    expect(discarded).toEqual(['c']);
    expect(logged).toEqual([expect.stringContaining('the store is away')]);
    disk.uploadFails = false;
    disk.nowMs += RETRY.firstMs;
    await begin(TIMING.quietMs);
    await finishMerge(['b.seg']);
    expect(begun).toHaveLength(2);
    expect(uploads).toEqual(['1/b.seg']);
    expect(merges.hasFinished).toBe(true);
    merges.stop();
  });

  it('wake by themselves when the time has come', async () => {
    const { merges, begin, woken, disk } = harness({ 1: 2 });
    disk.freeBytes = 0;
    // Settled, and only a second away from being tried again.
    await begin(TIMING.settledMs);
    disk.nowMs = RETRY.firstMs - 1;
    await begin(TIMING.settledMs);
    await expect.poll(() => woken.length).toBe(1);
    merges.stop();
  });
});
