/** Updates the index uid of earlier tasks after a rename, and names in the details of swaps. */
import { isObject, type Json } from '../../core/json.ts';
import type { StoredTask } from '../store/stored-task.ts';
import { isFinished } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';

/** No index has this name. */
const NO_INDEX = '';
/** Swaps before these keep the names in their details, so that a rename reads few records. */
const SWAPS_MAX = 1000;

/** For each uid of the pairs the other one. */
export const exchanged = (
  pairs: readonly (readonly [a: string, b: string])[],
): ReadonlyMap<string, string> =>
  new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));

/**
 * Rewrites the index uid of all tasks before the rename, which are all finished, and the details of
 * swaps. Call in the commit of the rename: another rename may have been committed since it began.
 *
 * @param newNames also from the new uid of a renamed index to the old one, so that earlier tasks of
 *   a deleted index are not mistaken for tasks of the renamed one
 */
export async function renameTasks(
  change: TaskChange,
  tasks: TaskStore,
  before: number,
  newNames: ReadonlyMap<string, string>,
): Promise<void> {
  const swaps: number[] = [];
  for (const row of tasks.rows()) {
    if (row.uid >= before) break;
    if (change.slices.isOver) await change.slices.next();
    if (!isFinished(row.status)) continue;
    if (row.type === 'indexSwap') swaps.push(row.uid);
    const name = newNames.get(row.indexUid ?? NO_INDEX);
    if (name !== undefined) change.rewriteRow({ ...row, indexUid: name });
  }
  const last = swaps.slice(-SWAPS_MAX);
  const records = await tasks.load(last);
  for (const [i, uid] of last.entries()) {
    const renamed = withNewNames(records[i] as StoredTask, newNames);
    if (renamed !== null) change.rewriteStored(uid, renamed);
  }
}

/** A swap with the new names in its details; null if it has none of the old ones. */
function withNewNames(
  stored: StoredTask,
  newNames: ReadonlyMap<string, string>,
): StoredTask | null {
  const swaps = [stored.details['swaps'] ?? []].flat().filter(isObject);
  const namesOf = (swap: Json) => swap['indexes'] as readonly string[];
  if (!swaps.some((swap) => namesOf(swap).some((name) => newNames.has(name)))) return null;
  const renamed = swaps.map((swap) => ({
    ...swap,
    indexes: namesOf(swap).map((name) => newNames.get(name) ?? name),
  }));
  return { ...stored, details: { ...stored.details, swaps: renamed } };
}
