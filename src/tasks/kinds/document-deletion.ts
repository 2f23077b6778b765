/** Deletions of documents: by ids, by a filter, or of all; and batches that delete all. */
import type { CatalogChange } from '../../catalog/index-catalog.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import type { DocumentOperation } from '../../indexing/batch/document-operations.ts';
import { liveDocumentCount, NO_CONTENT } from '../../model/index-manifest.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import type { BatchContext, PreparedBatch } from '../processing/prepared-batch.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { ContentPlace, TaskWork } from '../store/stored-task.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

/**
 * Without content: deletes all documents. Otherwise the payload key holds the filter, if
 * `hasFilter`, or the array of ids, as JSON.
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
      const contentBytes = Buffer.from(JSON.stringify(by.ids));
      const details = { providedIds: by.ids.length, ...counts, originalFilter: null };
      return { work: { type, content: placed(contentBytes) }, details, contentBytes };
    }
    const originalFilter = JSON.stringify(by.filter);
    const contentBytes = Buffer.from(originalFilter);
    const details = { providedIds: 0, ...counts, originalFilter };
    return {
      work: { type, content: placed(contentBytes), hasFilter: true },
      details,
      contentBytes,
    };
  },

  dumped({ hasFilter }, _stored, contentBytes) {
    if (contentBytes === null) return dumpedKinds.clear();
    const given: unknown = JSON.parse(new TextDecoder().decode(contentBytes));
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

export const isClear = (task: BatchTask): boolean => isDeletion(task) && task.work.content === null;

/** @param contentBytes value of the task's payload key; null if there is none */
export function deletionOperation(
  { uid: taskUid, work }: BatchTask<DeletionWork>,
  contentBytes: Uint8Array | null,
): DocumentOperation {
  if (work.content === null) return { taskUid, kind: 'deleteAll' };
  if (contentBytes === null) throw new Error(`the content of task ${taskUid} is missing`);
  const given: unknown = JSON.parse(new TextDecoder().decode(contentBytes));
  if (work.hasFilter) return { taskUid, kind: 'deleteFilter', filter: given };
  return { taskUid, kind: 'deleteIds', ids: given as string[] };
}

/** @param catalog contains the index */
export function clearIndex(
  { tasks }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): PreparedBatch {
  const outcomes = clearOutcomes(tasks, liveDocumentCount(catalog.must(uid)));
  catalog.update(uid, { ...NO_CONTENT, updatedAt: context.nowText });
  return { outcomes, catalog };
}

/** The first clear reports all documents; deletions that it absorbed report 0. */
export function clearOutcomes(tasks: readonly BatchTask[], documentCount: number): TaskOutcome[] {
  let deletedDocuments = documentCount;
  return tasks.map((task) => {
    if (!isClear(task)) return succeeded(task, {});
    const outcome = succeeded(task, { deletedDocuments });
    deletedDocuments = 0;
    return outcome;
  });
}
