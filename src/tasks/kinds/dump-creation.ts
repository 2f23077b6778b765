/** Creates a dump of the instance. */
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
