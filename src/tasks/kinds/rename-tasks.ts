/** Earlier tasks follow their index to its new uid. */
import { isFinished } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';

export interface NewName {
  readonly newUid: string;
  /** Tasks that failed before this date keep the old name; null = none does. */
  readonly createdAt: string | null;
}

/** Rewrites the index of the tasks that came before the renaming one; they are all finished. */
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
