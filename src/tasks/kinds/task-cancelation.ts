/** Cancels unfinished tasks. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { canceled, succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import { rangesInclude, toRanges, uidsOf } from '../store/uid-ranges.ts';
import type { DraftOf, UrgentKind } from './task-kind.ts';

interface CancelationWork extends TaskWork {
  readonly type: 'taskCancelation';
  /** `toRanges` of the uids that the query matched when the task was enqueued. */
  readonly matched: readonly number[];
}

export const taskCancelation: UrgentKind<DraftOf<'taskCancelation'>, CancelationWork> = {
  turn: 'urgent',
  takes: 'newest',
  makesRoom: true,

  create: ({ type, originalFilter }, matched) => ({
    work: { type, matched: toRanges(matched) },
    details: { matchedTasks: matched.length, canceledTasks: null, originalFilter },
  }),

  dumped: ({ matched }, { details }) =>
    dumpedKinds.taskCancelation(String(details['originalFilter']), uidsOf(matched)),

  aborts: ({ matched }) => matched,

  /** Batches with one of the tasks have ended, so unfinished tasks are enqueued. */
  async process(tasks, context) {
    const [task] = tasks;
    if (task === undefined) throw new Error('a batch without a task');
    const uids = [...context.tasks.pending.uids].filter(
      (uid) => uid < task.uid && rangesInclude(task.work.matched, uid),
    );
    const stored = await context.tasks.load(uids);
    const ended = uids.map((uid, i) => canceled(uid, stored[i]?.details ?? {}, task.uid));
    return {
      outcomes: [...ended, succeeded(task, { canceledTasks: uids.length })],
      catalog: context.catalog.begin(),
    };
  },
};
