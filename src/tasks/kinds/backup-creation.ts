/** Creates a dump of the instance, or a snapshot of the data folder for all enqueued tasks. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { BackgroundKind, DraftOf } from './task-kind.ts';

export const dumpCreation: BackgroundKind<DraftOf<'dumpCreation'>> = {
  turn: 'background',
  takes: 'oldest',

  create: ({ type }) => ({ work: { type }, details: { dumpUid: null } }),
  dumped: () => dumpedKinds.dumpCreation([], null),

  async begin(tasks, { backups, ...batch }) {
    const write = await backups.dump({ ...batch, taskUids: tasks.map(({ uid }) => uid) });
    return async () => {
      const dumpUid = await write();
      return tasks.map((task) => succeeded(task, { dumpUid }));
    };
  },
};

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
