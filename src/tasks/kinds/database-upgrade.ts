/**
 * Reports that the data folder was upgraded. The upgrade itself happened before the server accepted
 * tasks.
 */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { DraftOf, UrgentKind } from './task-kind.ts';

interface UpgradeWork extends TaskWork {
  readonly type: 'upgradeDatabase';
  readonly upgradeFrom: string;
}

export const databaseUpgrade: UrgentKind<DraftOf<'upgradeDatabase'>, UpgradeWork> = {
  turn: 'urgent',
  takes: 'all',
  makesRoom: true,

  create: ({ type, upgradeFrom, upgradeTo }) => ({
    work: { type, upgradeFrom },
    details: { upgradeFrom, upgradeTo },
  }),

  dumped: ({ upgradeFrom }) => dumpedKinds.upgradeDatabase(upgradeFrom),

  process: (tasks, context) => ({
    outcomes: tasks.map((task) => succeeded(task, {})),
    catalog: context.catalog.begin(),
  }),
};
