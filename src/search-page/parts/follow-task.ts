/** Polls a task until it has ended, also while the server restarts. */
import type { BatchRecord, TaskRecord } from '../../model/task.ts';
import { ApiFailure, api } from '../api-client.ts';

const EVERY_MS = 250;

/**
 * Resolves with the task when it has succeeded.
 * @param onPart receives the finished fraction of the batch, 0 to 1; null = unknown
 * @throws ApiFailure if the task or a request fails
 */
export async function followTask(
  taskUid: number,
  onPart: (part: number | null) => void,
): Promise<TaskRecord> {
  for (;;) {
    const task = await api.getPatiently<TaskRecord>(`tasks/${taskUid}`);
    if (task.status === 'succeeded') return task;
    if (task.status !== 'enqueued' && task.status !== 'processing') {
      const { code = 'canceled', message = 'The task was canceled.' } = task.error ?? {};
      throw new ApiFailure(0, code, message);
    }
    const batch =
      task.batchUid === null
        ? null
        : await api.getPatiently<BatchRecord>(`batches/${task.batchUid}`);
    onPart(batch?.progress == null ? null : batch.progress.percentage / 100);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
