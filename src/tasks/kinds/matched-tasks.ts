/** Cancels unfinished tasks, or deletes finished ones: those that a query matched. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { canceled, succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import { FINISHED } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import { rangesInclude, toRanges, uidsOf } from '../store/uid-ranges.ts';
import type { DraftOf, NewWork, UrgentKind } from './task-kind.ts';

type Draft = DraftOf<'taskCancelation' | 'taskDeletion'>;

interface MatchedWork extends TaskWork {
  readonly type: Draft['type'];
  /** `toRanges` of the uids that the query matched when the task was enqueued. */
  readonly matched: readonly number[];
}

/** @param countName of the details */
const createWith =
  (countName: string) =>
  ({ type, originalFilter }: Draft, matched: readonly number[]): NewWork<MatchedWork> => ({
    work: { type, matched: toRanges(matched) },
    details: { matchedTasks: matched.length, [countName]: null, originalFilter },
  });

export const taskCancelation: UrgentKind<DraftOf<'taskCancelation'>, MatchedWork> = {
  turn: 'urgent',
  takes: 'newest',
  makesRoom: true,

  create: createWith('canceledTasks'),

  dumped: ({ matched }, { details }) =>
    dumpedKinds.taskCancelation(String(details['originalFilter']), uidsOf(matched)),

  aborts: ({ matched }) => matched,

  /** Batches with one of the tasks have ended, so unfinished tasks are enqueued. */
  process(tasks, context) {
    const [task] = tasks;
    if (task === undefined) throw new Error('a batch without a task');
    const uids = [...context.tasks.pending.uids].filter(
      (uid) => uid < task.uid && rangesInclude(task.work.matched, uid),
    );
    return {
      outcomes: [
        ...uids.map((uid) => canceled(uid, task.uid)),
        succeeded(task, { canceledTasks: uids.length }),
      ],
      catalog: context.catalog.begin(),
    };
  },
};

/** A batch is deleted with its last task. */
export const taskDeletion: UrgentKind<DraftOf<'taskDeletion'>, MatchedWork> = {
  turn: 'urgent',
  takes: 'all',
  makesRoom: true,

  create: createWith('deletedTasks'),

  dumped: ({ matched }, { details }) =>
    dumpedKinds.taskDeletion(String(details['originalFilter']), uidsOf(matched)),

  process(tasks, context) {
    const deleted = new Set<number>();
    const outcomes = tasks.map((task) => {
      const before = deleted.size;
      for (const uid of finishedOf(context.tasks, task.work.matched)) deleted.add(uid);
      return succeeded(task, { deletedTasks: deleted.size - before });
    });
    const batches = context.tasks.batchesOf(deleted);
    const changeTasks = (change: TaskChange) => {
      change.delete(deleted);
      change.deleteBatches(batches);
    };
    return { outcomes, catalog: context.catalog.begin(), changeTasks };
  },
};

function finishedOf(tasks: TaskStore, ranges: readonly number[]): number[] {
  if (ranges.length === 0) return [];
  return tasks.select({ statuses: FINISHED }).filter((uid) => rangesInclude(ranges, uid));
}
