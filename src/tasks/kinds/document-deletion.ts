/** Deletions of documents: by ids, by a filter, or of all. */
import { dumpedKinds } from '../../dumps/dump-kinds.ts';
import type { DocumentOperation } from '../../indexing/batch/document-operations.ts';
import type { BatchTask } from '../batching/select-batch.ts';
import type { ContentPlace, TaskWork } from '../store/stored-task.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

/**
 * Without content: all documents; else the ids are beside, as a JSON array, or the filter, as JSON,
 * when there is one.
 */
interface DeletionWork extends TaskWork {
  readonly type: 'documentDeletion';
  readonly content: ContentPlace | null;
  readonly hasFilter?: true;
}

export const documentDeletion: MergedKind<DraftOf<'documentDeletion'>, DeletionWork> = {
  turn: 'merged',

  create({ type, by }) {
    if (by.kind === 'all')
      return { work: { type, content: null }, details: { deletedDocuments: null } };
    const counts = { deletedDocuments: null };
    if (by.kind === 'ids') {
      const beside = Buffer.from(JSON.stringify(by.ids));
      const details = { providedIds: by.ids.length, ...counts, originalFilter: null };
      return { work: { type, content: placed(beside) }, details, beside };
    }
    const originalFilter = JSON.stringify(by.filter);
    const beside = Buffer.from(originalFilter);
    const details = { providedIds: 0, ...counts, originalFilter };
    return { work: { type, content: placed(beside), hasFilter: true }, details, beside };
  },

  dumped({ hasFilter }, _stored, beside) {
    if (beside === null) return dumpedKinds.clear();
    const given: unknown = JSON.parse(new TextDecoder().decode(beside));
    return hasFilter
      ? dumpedKinds.deletionByFilter(given)
      : dumpedKinds.deletionByIds(given as string[]);
  },

  candidate({ content, hasFilter }) {
    if (content === null) return { kind: 'clear', bytes: 0 };
    return { kind: hasFilter ? 'deletionByFilter' : 'deletionByIds', bytes: content.bytes };
  },
};

const placed = ({ length: bytes }: Uint8Array): ContentPlace => ({ kind: 'beside', bytes });

export const isDeletion = (task: BatchTask): task is BatchTask<DeletionWork> =>
  task.work.type === 'documentDeletion';

/** Whether the task deletes all documents of its index. */
export const isClear = (task: BatchTask): boolean => isDeletion(task) && task.work.content === null;

/** @param beside its content, if it has any */
export function deletionOperation(
  { uid: taskUid, work }: BatchTask<DeletionWork>,
  beside: Uint8Array | null,
): DocumentOperation {
  if (work.content === null) return { taskUid, kind: 'deleteAll' };
  if (beside === null) throw new Error(`what task ${taskUid} deletes is missing`);
  const given: unknown = JSON.parse(new TextDecoder().decode(beside));
  if (work.hasFilter) return { taskUid, kind: 'deleteFilter', filter: given };
  return { taskUid, kind: 'deleteIds', ids: given as string[] };
}
