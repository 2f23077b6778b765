/** Deletes an index, and batches that end with the deletion. */

import type { CatalogChange } from '../../catalog/index-catalog.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { liveDocumentCount } from '../../model/index-manifest.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import type { PreparedBatch } from '../processing/prepared-batch.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { Details } from '../store/stored-task.ts';
import { isAddition } from './document-addition.ts';
import { isClear, isDeletion } from './document-deletion.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

export const indexDeletion: MergedKind<DraftOf<'indexDeletion'>> = {
  turn: 'merged',
  create: ({ type }) => ({ work: { type }, details: { deletedDocuments: null } }),
  dumped: () => dumpedKinds.indexDeletion(),
  candidate: () => ({ kind: 'indexDeletion', bytes: 0 }),
};

/** @param catalog contains the index */
export function deleteIndex(
  { tasks }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
): PreparedBatch {
  const deletedDocuments = liveDocumentCount(catalog.must(uid));
  catalog.delete(uid);
  const outcomes = tasks.map((task) => {
    const isLast = task.work.type === 'indexDeletion';
    return succeeded(task, isLast ? { deletedDocuments } : absorbed(task));
  });
  return { outcomes, catalog };
}

/** Details of a task that the deletion made unnecessary. */
function absorbed(task: BatchTask): Details {
  if (isAddition(task)) return { indexedDocuments: 0 };
  return isDeletion(task) && !isClear(task) ? { deletedDocuments: 0 } : {};
}
