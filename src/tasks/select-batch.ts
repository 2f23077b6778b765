/** Which unfinished tasks are processed next, in the order of api.md 14.3. */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import { type BatchKind, type BatchLimits, GrowingBatch, toCandidate } from './autobatcher.ts';
import type { StoredTask, TaskWork } from './task-content.ts';
import type { PendingTask, TaskStore } from './task-store.ts';

export interface BatchTask {
  readonly uid: number;
  readonly work: TaskWork;
  readonly stored: StoredTask;
}

export interface SelectedBatch {
  readonly kind: BatchKind | 'taskCancelation' | 'taskDeletion';
  /** null for tasks that belong to no single index. */
  readonly indexUid: string | null;
  /** In uid order, at least one. */
  readonly tasks: readonly BatchTask[];
  /** Why the batch is not larger. */
  readonly reason: string;
}

/** Records read at once while a batch grows. */
const PAGE = 256;

export async function selectBatch(
  tasks: TaskStore,
  catalog: IndexCatalog,
  limits: BatchLimits,
): Promise<SelectedBatch | null> {
  const pending = [...tasks.pending.values()];
  const cancelation = pending.findLast(({ type }) => type === 'taskCancelation');
  if (cancelation !== undefined) {
    const kind = 'taskCancelation';
    return {
      kind,
      indexUid: null,
      tasks: await load(tasks, [cancelation]),
      reason: 'cancelations are processed one by one',
    };
  }
  const deletions = pending.filter(({ type }) => type === 'taskDeletion');
  if (deletions.length > 0) {
    return {
      kind: 'taskDeletion',
      indexUid: null,
      tasks: await load(tasks, deletions),
      reason: 'took all enqueued task deletions',
    };
  }
  const [oldest] = pending;
  if (oldest === undefined) return null;
  const uid = oldest.indexUid;
  const ofIndex =
    uid === null ? [oldest] : pending.filter((task) => task.indexUid === uid || task.otherUids.includes(uid));
  return grow(tasks, catalog, limits, uid, ofIndex);
}

async function grow(
  tasks: TaskStore,
  catalog: IndexCatalog,
  limits: BatchLimits,
  indexUid: string | null,
  candidates: readonly PendingTask[],
): Promise<SelectedBatch> {
  const index = indexUid === null ? null : catalog.get(indexUid);
  const taken: BatchTask[] = [];
  let batch: GrowingBatch | null = null;
  for (let at = 0; at < candidates.length; at += PAGE) {
    for (const task of await load(tasks, candidates.slice(at, at + PAGE))) {
      const candidate = toCandidate(task.work);
      if (batch === null) {
        batch = new GrowingBatch(candidate, index, limits);
      } else {
        const answer = batch.offer(candidate);
        if (!answer.taken) return { kind: batch.kind, indexUid, tasks: taken, reason: answer.reason };
      }
      taken.push(task);
      if (batch.complete !== null) return { kind: batch.kind, indexUid, tasks: taken, reason: batch.complete };
    }
  }
  return { kind: batch?.kind ?? 'exclusive', indexUid, tasks: taken, reason: 'took all enqueued tasks of the index' };
}

async function load(tasks: TaskStore, pending: readonly PendingTask[]): Promise<BatchTask[]> {
  const uids = pending.map(({ uid }) => uid);
  const records = await tasks.load(uids);
  return records.map((stored, i) => {
    if (stored.work === null) throw new Error(`task ${uids[i]} has nothing left to do`);
    return { uid: uids[i] ?? 0, work: stored.work, stored };
  });
}
