/** Polls a task until it has ended. */
import { type ApiClient, ApiFailure } from '../api-client.ts';
import type { ErrorOfTask } from './failure-note.tsx';

export interface TaskState {
  readonly status: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly duration: string | null;
  readonly error: ErrorOfTask | null;
  readonly batchUid: number | null;
}

interface BatchState {
  readonly progress: { readonly percentage: number } | null;
}

const EVERY_MS = 250;
const isOver = (status: string): boolean => !['enqueued', 'processing'].includes(status);

/**
 * Resolves with the task when it has succeeded.
 * @param onPart receives the finished fraction of the batch, 0 to 1; null = unknown
 * @throws ApiFailure if the task or a request fails
 */
export async function followTask(
  api: ApiClient,
  taskUid: number,
  onPart: (part: number | null) => void,
): Promise<TaskState> {
  for (;;) {
    const task = await api.request<TaskState>('GET', `tasks/${taskUid}`);
    if (isOver(task.status)) {
      if (task.status === 'succeeded') return task;
      const { code, message } = task.error ?? {
        code: 'canceled',
        message: 'The task was canceled.',
      };
      throw new ApiFailure(0, code, message);
    }
    const batch =
      task.batchUid === null
        ? null
        : await api.request<BatchState>('GET', `batches/${task.batchUid}`);
    onPart(batch?.progress == null ? null : batch.progress.percentage / 100);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
