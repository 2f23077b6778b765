/** Tasks about other tasks: cancelation of unfinished ones and deletion of finished ones. */
import { type BatchContext, type PreparedBatch, succeeded } from './prepared-batch.ts';
import type { BatchTask } from './select-batch.ts';
import { rangesInclude, withoutCounts } from './task-content.ts';
import { isFinished, type TaskChange, type TaskOutcome, type TaskStore } from './task-store.ts';

/** Nothing else is being processed, so all unfinished tasks are enqueued. */
export async function cancelTasks(tasks: readonly BatchTask[], context: BatchContext): Promise<PreparedBatch> {
  const [task] = tasks;
  if (task?.work.type !== 'taskCancelation') throw new Error('no cancelation in the batch');
  const { matched } = task.work;
  const uids = [...context.tasks.pending.keys()].filter((uid) => uid < task.uid && rangesInclude(matched, uid));
  const stored = await context.tasks.load(uids);
  const canceled = uids.map((uid, i): TaskOutcome => {
    const details = withoutCounts(stored[i]?.details ?? {});
    return { uid, status: 'canceled', details, error: null, canceledBy: task.uid };
  });
  return { outcomes: [...canceled, succeeded(task, { canceledTasks: uids.length })], catalog: context.catalog.begin() };
}

/** A batch whose last task is deleted goes too. */
export async function deleteTasks(tasks: readonly BatchTask[], context: BatchContext): Promise<PreparedBatch> {
  const deleted = new Set<number>();
  const outcomes = tasks.map((task) => {
    if (task.work.type !== 'taskDeletion') throw new Error('a task in the batch is no deletion');
    const before = deleted.size;
    for (const uid of finishedOf(context.tasks, task.work.matched)) deleted.add(uid);
    return succeeded(task, { deletedTasks: deleted.size - before });
  });
  const batches = emptiedBatches(context.tasks, deleted);
  const changeTasks = (change: TaskChange) => {
    change.delete(deleted);
    change.deleteBatches(batches);
  };
  return { outcomes, catalog: context.catalog.begin(), changeTasks };
}

function finishedOf(tasks: TaskStore, ranges: readonly number[]): number[] {
  const uids: number[] = [];
  if (ranges.length === 0) return uids;
  for (const { uid, status } of tasks.rows()) {
    if (isFinished(status) && rangesInclude(ranges, uid)) uids.push(uid);
  }
  return uids;
}

function emptiedBatches(tasks: TaskStore, deleted: ReadonlySet<number>): Set<number> {
  const emptied = new Set<number>();
  const kept = new Set<number>();
  for (const { uid, batchUid } of tasks.rows()) {
    if (batchUid === null) continue;
    if (deleted.has(uid)) emptied.add(batchUid);
    else kept.add(batchUid);
  }
  for (const uid of kept) emptied.delete(uid);
  return emptied;
}
