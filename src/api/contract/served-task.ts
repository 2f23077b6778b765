/** Waits until this node serves the result of a task (header `X-Gannet-Min-Task`). */
import { ApiError } from '../../core/errors.ts';
import { orNullIfAborted } from '../../core/unless-aborted.ts';
import type { ApiContext } from './context.ts';

/** Milliseconds that the reply of the indexer may take beyond its wait. */
const REPLY_MS = 5000;

/**
 * @param text value of the header
 * @param endMs `clock.monotonic()` at which the wait fails
 * @param signal ends the wait: the client has disconnected, or the time of the request is over
 * @throws ApiError `task_not_served`
 */
export async function untilTaskIsServed(
  { indexer, clock }: Pick<ApiContext, 'indexer' | 'clock'>,
  text: string,
  endMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (!/^\d{1,10}$/.test(text))
    throw new ApiError(
      'invalid_header_value',
      `Header \`X-Gannet-Min-Task\`: \`${text.slice(0, 100)}\` is not the number of a task.`,
    );
  const uid = Number(text);
  const waitMs = Math.max(0, endMs - clock.monotonic());
  const ended = indexer.request('waitForTask', { uid, waitMs }, { timeoutMs: waitMs + REPLY_MS });
  if ((await orNullIfAborted(ended, signal)) !== true)
    throw new ApiError(
      'task_not_served',
      `Task \`${uid}\` is not finished, or this node does not serve its result yet. Please retry later.`,
    );
}
