/**
 * Tasks and batches as an API key sees them that is restricted to some indexes. A task of an index
 * that was renamed or swapped still has the former name in its error and its details.
 */
import type { Access } from '../auth/access.ts';
import type { BatchRecord, TaskRecord } from '../model/task.ts';

const NAMES = ['oldIndexUid', 'newIndexUid'] as const;
const NAMED_INDEX = /\b([Ii]ndex `)([\w-]+)(?=`)/g;

export function taskFor(access: Access, task: TaskRecord): TaskRecord {
  if (!access.isRestricted) return task;
  const { details, error, indexUid } = task;
  const isHidden = hiddenIn(access);
  const shown = (named: string, before: string, uid: string): string =>
    isHidden(uid) ? `${before}${indexUid}` : named;
  return {
    ...task,
    ...(details !== undefined && { details: visibleDetails(details, isHidden) }),
    error: error && { ...error, message: error.message.replace(NAMED_INDEX, shown) },
  };
}

export function batchFor(access: Access, batch: BatchRecord): BatchRecord {
  if (!access.isRestricted) return batch;
  const isHidden = hiddenIn(access);
  const indexUids = Object.entries(batch.stats.indexUids).filter(([uid]) => !isHidden(uid));
  return {
    ...batch,
    details: visibleDetails(batch.details, isHidden),
    stats: { ...batch.stats, indexUids: Object.fromEntries(indexUids) },
  };
}

const hiddenIn =
  ({ reaches }: Access) =>
  (uid: unknown): boolean =>
    typeof uid === 'string' && !reaches(uid);

const visibleDetails = (
  details: TaskRecord['details'] & object,
  isHidden: (uid: unknown) => boolean,
): TaskRecord['details'] & object =>
  Object.fromEntries(
    Object.entries(details).filter(
      ([name, value]) => !((NAMES as readonly string[]).includes(name) && isHidden(value)),
    ),
  );
