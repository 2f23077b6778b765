/** Swaps the uids of pairs of indexes; all pairs or none. */

import { type CatalogChange, indexExists } from '../../catalog/index-catalog.ts';
import { ApiError, indexNotFound } from '../../core/errors.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { TaskChange } from '../store/task-store.ts';
import { exchanged, renameTasks } from './rename-tasks.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

type Draft = DraftOf<'indexSwap'>;

interface SwapWork extends TaskWork {
  readonly type: 'indexSwap';
  readonly swaps: Draft['swaps'];
}

export const indexSwap: LoneKind<Draft, SwapWork> = {
  turn: 'alone',

  create({ type, swaps }) {
    const shown = swaps.map(({ indexes, rename }) => ({ indexes, rename }));
    return { work: { type, swaps }, details: { swaps: shown } };
  },

  otherUids: ({ swaps }) => swaps.flatMap(({ indexes }) => indexes),

  dumped: ({ swaps }) => dumpedKinds.indexSwap(swaps),

  process(task, _indexUid, context) {
    const catalog = context.catalog.begin();
    for (const { indexes, rename } of task.work.swaps) {
      const [a, b] = indexes;
      check(catalog, a, b, rename);
      if (rename) catalog.update(a, { uid: b, updatedAt: context.nowText });
      else catalog.swap(a, b, context.nowText);
    }
    const newNames = exchanged(task.work.swaps.map(({ indexes }) => indexes));
    const changeTasks = (change: TaskChange) =>
      renameTasks(change, context.tasks, task.uid, newNames);
    return { outcomes: [succeeded(task, {})], catalog, changeTasks };
  },
};

function check(catalog: CatalogChange, a: string, b: string, rename: boolean): void {
  const missing = [a, ...(rename ? [] : [b])].filter((uid) => catalog.get(uid) === null);
  const [first, second] = missing;
  if (second !== undefined)
    throw new ApiError('index_not_found', `Indexes \`${first}\`, \`${second}\` not found.`);
  if (first !== undefined) throw indexNotFound(first);
  if (rename && catalog.get(b) !== null) throw indexExists(b);
}
