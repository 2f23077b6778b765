/** Updates the index uid of earlier tasks after a rename, and names in the details of swaps. */
import { isObject, type Json } from '../../core/json.ts';
import type { StoredTask } from '../store/stored-task.ts';
import { isFinished } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';

export interface NewName {
  readonly newUid: string;
  /** Tasks that failed before this date keep the old uid; null = all tasks are updated. */
  readonly createdAt: string | null;
}

/** Swaps before these keep the names in their details, so that a rename reads few records. */
const SWAPS_MAX = 1000;

/**
 * Rewrites the index uid of all tasks before the rename, which are all finished, and the details of
 * swaps. Call in the commit of the rename: another rename may have been committed since it began.
 */
export async function renameTasks(
  change: TaskChange,
  tasks: TaskStore,
  before: number,
  newNames: ReadonlyMap<string, NewName>,
): Promise<void> {
  const swaps = await earlierSwaps(tasks, before);
  for (const row of tasks.rows()) {
    if (row.uid >= before) break;
    const swap = swaps.get(row.uid);
    const renamed = swap === undefined ? null : withNewNames(swap, newNames);
    if (renamed !== null) change.rewriteStored(row.uid, renamed);
    const name = row.indexUid === null ? undefined : newNames.get(row.indexUid);
    if (name === undefined || !isFinished(row.status) || failedBefore(row, name.createdAt))
      continue;
    change.rewriteRow({ ...row, indexUid: name.newUid });
  }
}

/** Records of the last swaps that are finished, by uid. @param before uid of the renaming task */
async function earlierSwaps(
  tasks: TaskStore,
  before: number,
): Promise<ReadonlyMap<number, StoredTask>> {
  const rows = [...tasks.rows()].filter(
    ({ uid, type, status }) => type === 'indexSwap' && uid < before && isFinished(status),
  );
  const uids = rows.slice(-SWAPS_MAX).map(({ uid }) => uid);
  const records = await tasks.load(uids);
  return new Map(records.map((stored, i) => [uids[i] ?? -1, stored]));
}

/** A swap with the new names in its details; null if it has none of the old ones. */
function withNewNames(
  stored: StoredTask,
  newNames: ReadonlyMap<string, NewName>,
): StoredTask | null {
  const swaps = [stored.details['swaps'] ?? []].flat().filter(isObject);
  const namesOf = (swap: Json) => swap['indexes'] as readonly string[];
  if (!swaps.some((swap) => namesOf(swap).some((name) => newNames.has(name)))) return null;
  const renamed = swaps.map((swap) => ({
    ...swap,
    indexes: namesOf(swap).map((name) => newNames.get(name)?.newUid ?? name),
  }));
  return { ...stored, details: { ...stored.details, swaps: renamed } };
}

function failedBefore({ status, finishedAt }: TaskRow, createdAt: string | null): boolean {
  if (status !== 'failed' || finishedAt === null || createdAt === null) return false;
  return finishedAt / 1000 < Date.parse(createdAt);
}
