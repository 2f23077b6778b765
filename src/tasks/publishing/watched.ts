/** Change feeds of tasks and batches. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { Waiters } from '../../core/waiters.ts';
import { matcherOf } from '../../model/index-uid-pattern.ts';
import type { BatchRecord, Changes, ChangesQuery, TaskRecord } from '../../model/task.ts';
import type { StoredTask } from '../store/stored-task.ts';
import { isFinished, toTaskRecord } from '../store/task-record.ts';
import type { TaskRow } from '../store/task-table.ts';
import { ChangeFeed } from './change-feed.ts';

export class WatchedChanges {
  readonly #tasks = new ChangeFeed<TaskRecord>();
  readonly #batches = new ChangeFeed<BatchRecord>();

  /** By uid, for the end of the task. */
  readonly #endWaits = new Map<number, Waiters>();

  /** False if only the ends of tasks have watchers: `taskChanged` then needs no stored task. */
  get areRecordsWatched(): boolean {
    return this.#tasks.isWatched;
  }

  taskChanged(row: TaskRow | null, stored: StoredTask): void {
    if (row === null) return;
    this.rowChanged(row);
    if (this.#tasks.isWatched) this.#tasks.add(toTaskRecord(row, stored));
  }

  rowChanged({ uid, status }: TaskRow): void {
    const waits = this.#endWaits.get(uid);
    if (waits === undefined || !isFinished(status)) return;
    this.#endWaits.delete(uid);
    waits.end();
  }

  /** True when the task has ended, false after `waitMs`. @param row null if it is unknown yet */
  async taskEnd(row: TaskRow | null, uid: number, waitMs: number): Promise<boolean> {
    if (row !== null && isFinished(row.status)) return true;
    const waits = getOrCompute(this.#endWaits, uid, () => new Waiters());
    const hasEnded = await waits.wait(waitMs);
    if (waits.size === 0 && this.#endWaits.get(uid) === waits) this.#endWaits.delete(uid);
    return hasEnded;
  }

  /** @param members tasks of a batch, as they are shown now */
  tasksChanged(
    members: readonly { readonly uid: number; readonly stored: StoredTask }[],
    tasks: { row(uid: number): TaskRow | null },
  ): void {
    for (const { uid, stored } of members) this.taskChanged(tasks.row(uid), stored);
  }

  /** @param record called only if there is a watcher */
  batchChanged(record: () => BatchRecord): void {
    if (this.#batches.isWatched) this.#batches.add(record());
  }

  tasks({ after, indexScope }: ChangesQuery): Promise<Changes<TaskRecord>> {
    const isInScope = scopeOf(indexScope);
    return this.#tasks.changes(after, ({ indexUid }) => isInScope(indexUid));
  }

  /** With a scope, batches that have tasks outside it are left out. */
  batches({ after, indexScope }: ChangesQuery): Promise<Changes<BatchRecord>> {
    const isInScope = scopeOf(indexScope);
    return this.#batches.changes(after, ({ stats }) => {
      const uids = Object.entries(stats.indexUids);
      const ofIndexes = uids.reduce((sum, [, count]) => sum + count, 0);
      if (ofIndexes < stats.totalNbTasks) return isInScope(null);
      return uids.every(([uid]) => isInScope(uid));
    });
  }
}

function scopeOf(patterns: readonly string[] | undefined): (indexUid: string | null) => boolean {
  if (patterns === undefined) return () => true;
  const matches = matcherOf(patterns);
  return (indexUid) => indexUid !== null && matches(indexUid);
}
