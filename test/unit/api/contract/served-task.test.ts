/** The wait for a task of `X-Gannet-Min-Task`. */
import { expect, it } from 'vitest';
import { untilTaskIsServed } from '../../../../src/api/contract/served-task.ts';
import type { TaskRecord } from '../../../../src/model/task.ts';

/** Shows one status after the other; null = the task is not known yet. */
function context(...statuses: (TaskRecord['status'] | null)[]) {
  const clock = { ms: 0 };
  const request = async () => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    clock.ms += 10;
    return status == null ? null : { status };
  };
  return {
    clock: { now: () => 0, monotonic: () => clock.ms },
    indexer: { isInitialised: true, request },
  } as unknown as Parameters<typeof untilTaskIsServed>[0];
}

it('ends when this node shows the task as finished', async () => {
  await untilTaskIsServed(context(null, 'enqueued', 'processing', 'failed'), '3', 1000);
});

it('fails at the deadline of the request', async () => {
  await expect(untilTaskIsServed(context('enqueued'), '3', 50)).rejects.toMatchObject({
    code: 'task_not_served',
    status: 503,
  });
});

it('refuses what is not the number of a task', async () => {
  await expect(untilTaskIsServed(context('succeeded'), '-1', 50)).rejects.toMatchObject({
    code: 'invalid_header_value',
  });
});
