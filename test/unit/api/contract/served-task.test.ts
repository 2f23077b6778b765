/** The wait for a task of `X-Gannet-Min-Task`. */
import { expect, it } from 'vitest';
import { untilTaskIsServed } from '../../../../src/api/contract/served-task.ts';

/** @param reply of the indexer */
function context(reply: (argument: { uid: number; waitMs: number }) => Promise<boolean>) {
  return {
    clock: { now: () => 0, monotonic: () => 200 },
    indexer: {
      isInitialised: true,
      request: (_: string, argument: { uid: number; waitMs: number }) => reply(argument),
    },
  } as unknown as Parameters<typeof untilTaskIsServed>[0];
}
const never = new Promise<boolean>(() => undefined);
const { signal } = new AbortController();

it('is one request to the indexer, for the time that is left', async () => {
  const seen: unknown[] = [];
  const served = context(async (argument) => seen.push(argument) > 0);
  await untilTaskIsServed(served, '3', 1000, signal);
  expect(seen).toEqual([{ uid: 3, waitMs: 800 }]);
});

it('fails when the task has not ended in that time', async () => {
  await expect(
    untilTaskIsServed(
      context(async () => false),
      '3',
      1000,
      signal,
    ),
  ).rejects.toMatchObject({ code: 'task_not_served', status: 503 });
});

it('ends when its client has left', async () => {
  const left = new AbortController();
  const wait = untilTaskIsServed(
    context(() => never),
    '3',
    1000,
    left.signal,
  );
  left.abort();
  await expect(wait).rejects.toMatchObject({ code: 'task_not_served' });
});

it('refuses what is not the number of a task', async () => {
  await expect(
    untilTaskIsServed(
      context(() => never),
      '-1',
      1000,
      signal,
    ),
  ).rejects.toMatchObject({ code: 'invalid_header_value' });
});
