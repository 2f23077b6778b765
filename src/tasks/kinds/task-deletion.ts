/** Deletes finished tasks; a batch is deleted with its last task. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import { isFinished } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import { rangesInclude, toRanges, uidsOf } from '../store/uid-ranges.ts';
import type { DraftOf, UrgentKind } from './task-kind.ts';

interface TaskDeletionWork extends TaskWork {
  readonly type: 'taskDeletion';
  /** `toRanges` of the uids that the query matched when the task was enqueued. */
  readonly matched: readonly number[];
}

export const taskDeletion: UrgentKind<DraftOf<'taskDeletion'>, TaskDeletionWork> = {
  turn: 'urgent',
  takes: 'all',
  makesRoom: true,

  create: ({ type, originalFilter }, matched) => ({
    work: { type, matched: toRanges(matched) },
    details: { matchedTasks: matched.length, deletedTasks: null, originalFilter },
  }),

  dumped: ({ matched }, { details }) =>
    dumpedKinds.taskDeletion(String(details['originalFilter']), uidsOf(matched)),

  process(tasks, context) {
    const deleted = new Set<number>();
    const outcomes = tasks.map((task) => {
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
  },
};

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
