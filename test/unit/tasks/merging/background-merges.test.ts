/**
 * Goal: merges begin when writing pauses, one at a time, and at once only for an index of many
 * segments.
 */
import { describe, expect, it } from 'vitest';
import type { FinishedMerge } from '../../../../src/indexing/files/finished-merge.ts';
import {
  BackgroundMerges,
  type BackgroundMergesOptions,
} from '../../../../src/tasks/merging/background-merges.ts';
import type { AfterCommit } from '../../../../src/tasks/publishing/after-commit.ts';

const TIMING = { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 4 };

/**
 * Indexes by id: how many segments each has. A merge of those that have two or more ends when the
 * test says so.
 */
function harness(segmentCounts: Readonly<Record<number, number>>, damaged: readonly number[] = []) {
  const begun: string[] = [];
  const woken: number[] = [];
  let finish: (completed: FinishedMerge) => void = () => undefined;
  const discarded: string[] = [];
  const writerOf = (id: number) => ({
    discard: (changeId: string) => discarded.push(changeId),
    planMerge: ({ segments }: { segments: readonly unknown[] }, activity: string) =>
      segments.length > 1 || activity === 'settled' ? [`${activity} ${id}`] : null,
    merge: (inputs: string[]) => {
      begun.push(...inputs);
      return new Promise<FinishedMerge>((resolve) => {
        finish = resolve;
      });
    },
  });
  const options = {
    catalog: {
      byId: (id: number) =>
        segmentCounts[id] === undefined
          ? null
          : { id, uid: `i${id}`, segments: Array(segmentCounts[id]).fill({}) },
    },
    writers: {
      get: ({ id }: { id: number }) => writerOf(id),
      acquire: ({ id }: { id: number }) => ({ writer: writerOf(id), release: () => undefined }),
    },
    mergeTiming: TIMING,
    isSound: (id: number) => !damaged.includes(id),
  } as unknown as BackgroundMergesOptions;
  const merges = new BackgroundMerges(options, {} as AfterCommit, () => woken.push(begun.length));
  for (const id of Object.keys(segmentCounts)) merges.consider(Number(id));
  const finishMerge = async (): Promise<void> => {
    finish({ changeId: 'c', inputs: [], output: null, docIdWordCount: 0 });
    await new Promise(setImmediate);
  };
  return { merges, begun, woken, discarded, finishMerge };
}

describe('background merges', () => {
  it('leave an index alone that has not been checked or is damaged', () => {
    const { merges, begun } = harness({ 1: 4, 2: 4 }, [1]);
    merges.begin(TIMING.settledMs);
    expect(begun).toEqual(['settled 2']);
    merges.stop();
  });

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

  it('are given up, with their files, when the stop comes before their commit', async () => {
    const before = harness({ 1: 2 });
    before.merges.begin(TIMING.quietMs);
    await before.finishMerge();
    before.merges.stop();
    expect(before.discarded).toEqual(['c']);
    const during = harness({ 1: 2 });
    during.merges.begin(TIMING.quietMs);
    during.merges.stop();
    await during.finishMerge();
    expect(during.discarded).toEqual(['c']);
  });

  it('do not begin after the stop', () => {
    const { merges, begun } = harness({ 1: 4 });
    merges.stop();
    merges.begin(TIMING.settledMs);
    expect(begun).toEqual([]);
  });
});
