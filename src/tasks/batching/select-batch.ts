/** Loads the tasks of a batch, given its first task. */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { PendingTask } from '../store/pending-tasks.ts';
import type { StoredTask, TaskWork } from '../store/stored-task.ts';
import type { TaskStore } from '../store/task-store.ts';
import { type BatchKind, type BatchLimits, GrowingBatch } from './autobatcher.ts';
import type { NextBatch, QueueRules } from './next-batch.ts';

export interface BatchTask<Work extends TaskWork = TaskWork> {
  readonly uid: number;
  readonly work: Work;
  readonly stored: StoredTask;
}

export interface SelectedBatch extends Omit<NextBatch, 'tasks' | 'takes'> {
  readonly kind: BatchKind;
  /** In uid order, at least one. */
  readonly tasks: readonly BatchTask[];
  /** Sum of payload bytes. */
  readonly bytes: number;
  /** Why the batch is not larger. */
  readonly reason: string;
}

interface BatchSources {
  readonly tasks: Pick<TaskStore, 'pending' | 'load'>;
  readonly catalog: Pick<IndexCatalog, 'get'>;
  readonly limits: BatchLimits;
  readonly rules: QueueRules;
}

/** Records per read while a batch grows. */
const PAGE = 256;

export async function selectBatch(next: NextBatch, sources: BatchSources): Promise<SelectedBatch> {
  const { tasks, limits } = sources;
  if (next.takes === null) return grow(next, sources);
  const reason =
    next.takes === 'all'
      ? 'took all enqueued tasks of the type'
      : 'tasks of the type are processed one by one';
  const loaded = await load(tasks, next.tasks.slice(0, limits.tasks));
  return { ...next, kind: 'exclusive', tasks: loaded, bytes: 0, reason };
}

/** Loads tasks in order, page by page, because most batches end early. */
async function* loaded(
  tasks: BatchSources['tasks'],
  candidates: readonly PendingTask[],
): AsyncGenerator<BatchTask> {
  for (let at = 0; at < candidates.length; at += PAGE)
    yield* await load(tasks, candidates.slice(at, at + PAGE));
}

async function grow(
  next: NextBatch,
  { tasks, catalog, limits, rules }: BatchSources,
): Promise<SelectedBatch> {
  const { indexUid } = next;
  const index = indexUid === null ? null : catalog.get(indexUid);
  const candidates = indexUid === null ? next.tasks : [...tasks.pending.ofIndex(indexUid)];
  const taken: BatchTask[] = [];
  let batch: GrowingBatch | null = null;
  let reason: string | null = null;
  for await (const task of loaded(tasks, candidates)) {
    const candidate = rules.candidateOf(task.work);
    if (batch === null) {
      batch = new GrowingBatch(candidate, index, limits);
    } else {
      const answer = batch.offer(candidate);
      reason = answer.taken ? null : answer.reason;
    }
    if (reason === null) taken.push(task);
    reason ??= batch.complete;
    if (reason !== null) break;
  }
  return {
    ...next,
    kind: batch?.kind ?? 'exclusive',
    tasks: taken,
    bytes: batch?.bytes ?? 0,
    reason: reason ?? 'took all enqueued tasks of the index',
  };
}

async function load(
  tasks: BatchSources['tasks'],
  pending: readonly PendingTask[],
): Promise<BatchTask[]> {
  const uids = pending.map(({ uid }) => uid);
  const records = await tasks.load(uids);
  return records.map((stored, i) => {
    if (stored.work === null) throw new Error(`task ${uids[i]} has nothing left to do`);
    return { uid: uids[i] ?? 0, work: stored.work, stored };
  });
}
