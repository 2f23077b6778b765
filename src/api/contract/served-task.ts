/** Waits until this node serves the result of a task (header `X-Gannet-Min-Task`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../core/errors.ts';
import type { ApiContext } from './context.ts';

const POLL_MS = 25;
const UNFINISHED: ReadonlySet<string> = new Set(['enqueued', 'processing']);

/**
 * @param text value of the header
 * @param endMs `clock.monotonic()` at which the wait fails
 * @throws ApiError `task_not_served`
 */
export async function untilTaskIsServed(
  { indexer, clock }: Pick<ApiContext, 'indexer' | 'clock'>,
  text: string,
  endMs: number,
): Promise<void> {
  if (!/^\d{1,10}$/.test(text))
    throw new ApiError(
      'invalid_header_value',
      `Header \`X-Gannet-Min-Task\`: \`${text.slice(0, 100)}\` is not the number of a task.`,
    );
  const uid = Number(text);
  for (;;) {
    const task = await indexer.request('getTask', { uid });
    if (task !== null && !UNFINISHED.has(task.status)) return;
    if (clock.monotonic() + POLL_MS > endMs)
      throw new ApiError(
        'task_not_served',
        `Task \`${uid}\` is not finished, or this node does not serve its result yet. Please retry later.`,
      );
    await sleep(POLL_MS);
  }
}
