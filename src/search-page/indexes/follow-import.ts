/** Waits for the tasks of an import and adds up their results. */
import { type ApiClient, ApiFailure } from '../api-client.ts';
import { followTask } from '../parts/follow-task.ts';

export interface ImportResult {
  readonly documents: number;
  readonly tasks: number;
  /** Of tasks that failed. */
  readonly failures: readonly string[];
}

/** @param onPart receives the finished fraction, 0 to 1 */
export async function followImport(
  api: ApiClient,
  taskUids: readonly number[],
  onPart: (part: number) => void,
): Promise<ImportResult> {
  let documents = 0;
  const failures: string[] = [];
  for (const [done, taskUid] of taskUids.entries()) {
    try {
      const { details } = await followTask(api, taskUid, (part) =>
        onPart((done + (part ?? 0)) / taskUids.length),
      );
      documents += Number(details?.['indexedDocuments'] ?? 0);
    } catch (error) {
      // A failed task; an unreachable server ends the wait.
      if (!(error instanceof ApiFailure) || error.status !== 0 || error.code === 'unreachable')
        throw error;
      failures.push(`Part ${done + 1} (task ${taskUid}): ${error.message}`);
    }
  }
  return { documents, tasks: taskUids.length, failures };
}
