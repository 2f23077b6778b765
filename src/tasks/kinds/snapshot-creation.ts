/** Creates a snapshot of the data folder; one batch serves all enqueued snapshot tasks. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { BackgroundKind, DraftOf } from './task-kind.ts';

export const snapshotCreation: BackgroundKind<DraftOf<'snapshotCreation'>> = {
  turn: 'background',
  takes: 'all',

  create: ({ type }) => ({ work: { type }, details: {} }),
  dumped: () => dumpedKinds.snapshotCreation(),

  async begin(tasks, { backups, ...batch }) {
    const write = await backups.snapshot({ ...batch, taskUids: tasks.map(({ uid }) => uid) });
    return async () => {
      await write();
      return tasks.map((task) => succeeded(task, {}));
    };
  },
};
