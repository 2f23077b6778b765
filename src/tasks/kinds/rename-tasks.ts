/** Updates the index uid of earlier tasks after a rename. */
import { isFinished } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';

export interface NewName {
  readonly newUid: string;
  /** Tasks that failed before this date keep the old uid; null = all tasks are updated. */
  readonly createdAt: string | null;
}

/** Rewrites the index uid of all tasks before the rename; they are all finished. */
export function renameTasks(
  change: TaskChange,
  tasks: TaskStore,
  before: number,
  newNames: ReadonlyMap<string, NewName>,
): void {
  for (const row of tasks.rows()) {
    if (row.uid >= before) break;
    const name = row.indexUid === null ? undefined : newNames.get(row.indexUid);
    if (name === undefined || !isFinished(row.status) || failedBefore(row, name.createdAt))
      continue;
    change.rewriteRow({ ...row, indexUid: name.newUid });
  }
}

function failedBefore({ status, finishedAt }: TaskRow, createdAt: string | null): boolean {
  if (status !== 'failed' || finishedAt === null || createdAt === null) return false;
  return finishedAt / 1000 < Date.parse(createdAt);
}
