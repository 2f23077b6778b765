/** Threads of a front that have heard different news: who waits, and for how long. */
import { expect, it } from 'vitest';
import { FRONT_PROGRESS_BYTES, FrontProgress } from '../../../../src/ipc/serving/front-progress.ts';

it('makes a thread wait that is behind the foremost, until it has caught up', async () => {
  const shared = new SharedArrayBuffer(FRONT_PROGRESS_BYTES);
  const [first, second] = [new FrontProgress(shared, 60_000), new FrontProgress(shared, 60_000)];
  expect(second.caughtUp()).toBeNull();
  first.reached(8);
  expect(first.caughtUp()).toBeNull();
  const waiting = second.caughtUp();
  let isDone = false;
  void waiting?.then(() => {
    isDone = true;
  });
  second.reached(7);
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  second.reached(9);
  await waiting;
  expect(second.caughtUp()).toBeNull();
  expect(first.caughtUp()).not.toBeNull();
  first.reached(9);
});

it('waits no longer than it may', async () => {
  const shared = new SharedArrayBuffer(FRONT_PROGRESS_BYTES);
  const [first, second] = [new FrontProgress(shared, 1), new FrontProgress(shared, 1)];
  first.reached(1);
  await second.caughtUp();
  expect(second.caughtUp()).not.toBeNull();
});
