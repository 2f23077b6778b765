/** Steps, counts and times of a batch, and the wish to end it, through shared memory. */
import { describe, expect, it } from 'vitest';
import { BatchCanceled, BatchProgress } from '../../../src/model/batch-progress.ts';

function clocked() {
  let nowMs = 1000;
  const progress = new BatchProgress(null, () => nowMs);
  return { progress, pass: (ms: number) => (nowMs += ms) };
}

describe('progress of a batch', () => {
  it('names the step under way, what it has done, and the steps before and after it', () => {
    const { progress, pass } = clocked();
    progress.plan(['parsing documents', 'building segments', 'committing']);
    expect(progress.read()).toMatchObject({ step: null, stepsFinished: 0, stepsPlanned: 3 });
    progress.begin('parsing documents', 10);
    progress.advance(4);
    progress.advance();
    pass(20);
    expect(progress.read()).toEqual({
      step: 'parsing documents',
      unit: 'documents',
      done: 5,
      total: 10,
      stepsFinished: 0,
      stepsPlanned: 3,
      durations: new Map([['parsing documents', 20]]),
      embedderRequests: { total: 0, failed: 0 },
    });
    progress.begin('building segments', 7);
    pass(5);
    expect(progress.read()).toMatchObject({
      step: 'building segments',
      done: 0,
      total: 7,
      stepsFinished: 1,
      durations: new Map([
        ['parsing documents', 20],
        ['building segments', 5],
      ]),
    });
  });

  it('adds up the time of a step that is begun twice, and counts an unplanned step', () => {
    const { progress, pass } = clocked();
    for (const step of ['building segments', 'committing', 'building segments'] as const) {
      progress.begin(step);
      pass(3);
    }
    progress.end();
    pass(9);
    expect(progress.read()).toMatchObject({ step: null, stepsFinished: 2, stepsPlanned: 2 });
    expect(Object.fromEntries(progress.read().durations)).toEqual({
      'building segments': 6,
      committing: 3,
    });
  });

  it('is the same for every view of the memory, which can also be aborted', () => {
    const { progress } = clocked();
    const thread = new BatchProgress(progress.shared);
    progress.begin('editing documents', 3);
    thread.advance(2);
    thread.throwIfCanceled();
    expect(progress.read().done).toBe(2);
    progress.cancel();
    expect(thread.isCanceled).toBe(true);
    expect(() => thread.throwIfCanceled()).toThrow(BatchCanceled);
  });
});
