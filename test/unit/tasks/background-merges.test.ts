/** Goal: merges begin when writing pauses, one at a time, and at once only for an index of many segments. */
import { describe, expect, it } from 'vitest';
import type { CompletedMerge } from '../../../src/indexing/fold-merge.ts';
import type { AfterCommit } from '../../../src/tasks/after-commit.ts';
import { BackgroundMerges, type BackgroundMergesOptions } from '../../../src/tasks/background-merges.ts';

const TIMING = { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 4 };

/** Indexes by id: how many segments each has. A merge of those that have two or more ends when the test says so. */
function harness(segmentCounts: Readonly<Record<number, number>>) {
  const begun: string[] = [];
  const woken: number[] = [];
  let finish: (completed: CompletedMerge) => void = () => undefined;
  const writerOf = (id: number) => ({
    planMerge: ({ segments }: { segments: readonly unknown[] }, activity: string) =>
      segments.length > 1 || activity === 'settled' ? [`${activity} ${id}`] : null,
    merge: (inputs: string[]) => {
      begun.push(...inputs);
      return new Promise<CompletedMerge>((resolve) => {
        finish = resolve;
      });
    },
  });
  const options = {
    catalog: {
      byId: (id: number) =>
        segmentCounts[id] === undefined ? null : { id, uid: `i${id}`, segments: Array(segmentCounts[id]).fill({}) },
    },
    writers: {
      get: ({ id }: { id: number }) => writerOf(id),
      acquire: ({ id }: { id: number }) => ({ writer: writerOf(id), release: () => undefined }),
    },
    mergeTiming: TIMING,
  } as unknown as BackgroundMergesOptions;
  const merges = new BackgroundMerges(options, {} as AfterCommit, () => woken.push(begun.length));
  for (const id of Object.keys(segmentCounts)) merges.consider(Number(id));
  const finishMerge = async (): Promise<void> => {
    finish({ inputs: [], output: null, inputEntries: [], docIdWordCount: 0 });
    await new Promise(setImmediate);
  };
  return { merges, begun, woken, finishMerge };
}

describe('background merges', () => {
  it('wait for a quiet moment', () => {
    const { merges, begun } = harness({ 1: 2 });
    merges.begin(TIMING.quietMs - 1);
    expect(begun).toEqual([]);
    merges.begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    merges.stop();
  });

  it('begin at once for an index of many segments, others keep their place', () => {
    const { merges, begun } = harness({ 1: 2, 2: 4 });
    merges.begin(0);
    expect(begun).toEqual(['writing 2']);
    merges.stop();
  });

  it('gather an index that was left in peace only when all is settled', () => {
    const { merges, begun } = harness({ 1: 1 });
    merges.begin(TIMING.settledMs - 1);
    expect(begun).toEqual([]);
    merges.begin(TIMING.settledMs);
    expect(begun).toEqual(['settled 1']);
    merges.stop();
  });

  it('are one at a time, and none begins before the last one is committed', async () => {
    const { merges, begun, woken, finishMerge } = harness({ 1: 2, 2: 2 });
    merges.begin(TIMING.quietMs);
    merges.begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    await finishMerge();
    expect(woken).toEqual([1]);
    merges.begin(TIMING.quietMs);
    expect(begun).toEqual(['writing 1']);
    merges.stop();
  });

  it('do not begin after the stop', () => {
    const { merges, begun } = harness({ 1: 4 });
    merges.stop();
    merges.begin(TIMING.settledMs);
    expect(begun).toEqual([]);
  });
});
