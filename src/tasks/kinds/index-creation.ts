/** Creates an index. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

interface CreationWork extends TaskWork {
  readonly type: 'indexCreation';
  readonly primaryKey: string | null;
}

export const indexCreation: LoneKind<DraftOf<'indexCreation'>, CreationWork> = {
  turn: 'alone',
  create: ({ type, primaryKey }) => ({ work: { type, primaryKey }, details: { primaryKey } }),

  dumped: ({ primaryKey }) => dumpedKinds.indexCreation(primaryKey),

  process(task, uid, context) {
    const catalog = context.catalog.begin();
    catalog.create(uid, task.work.primaryKey, context.nowText);
    return { outcomes: [succeeded(task, {})], catalog };
  },
};
