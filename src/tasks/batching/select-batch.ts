/** Which unfinished tasks are processed next, in the order of api.md 14.3. */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import type { TaskType } from '../../model/task.ts';
import type { PendingTask } from '../store/pending-tasks.ts';
import type { StoredTask, TaskWork } from '../store/stored-task.ts';
import type { TaskStore } from '../store/task-store.ts';
import {
  type BatchCandidate,
  type BatchKind,
  type BatchLimits,
  GrowingBatch,
} from './autobatcher.ts';

export interface BatchTask<Work extends TaskWork = TaskWork> {
  readonly uid: number;
  readonly work: Work;
  readonly stored: StoredTask;
}

export interface SelectedBatch {
  readonly kind: BatchKind;
  /** null for tasks that belong to no single index. */
  readonly indexUid: string | null;
  /** In uid order, at least one. */
  readonly tasks: readonly BatchTask[];
  /** Why the batch is not larger. */
  readonly reason: string;
}

/** Which tasks of an urgent type are one batch. */
export type UrgentTakes = 'newest' | 'oldest' | 'all';

/** What kinds of tasks mean for the order. */
export interface QueueRules {
  /** Types that go before all others, the first one first. */
  readonly urgent: readonly { readonly type: TaskType; readonly takes: UrgentTakes }[];
  /** Types that run beside all others, the first one first. */
  readonly beside: readonly { readonly type: TaskType; readonly takes: UrgentTakes }[];
  /** What of a task that is not urgent decides about its batch. */
  candidateOf(work: TaskWork): BatchCandidate;
}

export interface QueueState {
  readonly tasks: Pick<TaskStore, 'pending' | 'load'>;
  readonly catalog: Pick<IndexCatalog, 'get'>;
  /** Of a batch that begins with this task. */
  readonly limits: (uid: number) => BatchLimits;
  readonly rules: QueueRules;
  /** Indexes whose tasks wait, but for urgent ones. */
  readonly waiting: Iterable<string>;
}

/** Records read at once while a batch grows. */
const PAGE = 256;

export async function selectBatch(queue: QueueState): Promise<SelectedBatch | null> {
  const { pending } = queue.tasks;
  const urgent = await firstOf(queue.rules.urgent, queue);
  if (urgent !== null) return urgent;
  const types = queue.rules.beside.map(({ type }) => type);
  const oldest = pending.oldestExcept(types, queue.waiting);
  if (oldest === null) return null;
  const { indexUid } = oldest;
  return grow(queue, indexUid, indexUid === null ? [oldest] : [...pending.ofIndex(indexUid)]);
}

/** The next batch that runs beside others. */
export const selectBeside = (queue: QueueState): Promise<SelectedBatch | null> =>
  firstOf(queue.rules.beside, queue);

async function firstOf(
  types: QueueRules['urgent'],
  queue: QueueState,
): Promise<SelectedBatch | null> {
  for (const { type, takes } of types) {
    const waiting = [...queue.tasks.pending.ofType(type)];
    if (waiting.length > 0) return urgentBatch(queue, waiting, takes);
  }
  return null;
}

async function urgentBatch(
  { tasks, limits }: QueueState,
  waiting: readonly PendingTask[],
  takes: UrgentTakes,
): Promise<SelectedBatch> {
  const first = takes === 'newest' ? waiting.length - 1 : 0;
  const count = takes === 'all' ? limits(waiting[0]?.uid ?? 0).tasks : 1;
  const taken = waiting.slice(first, first + count);
  const reason =
    takes === 'all'
      ? 'took all enqueued tasks of the type'
      : 'tasks of the type are processed one by one';
  const indexUid = taken.length === 1 ? (taken[0]?.indexUid ?? null) : null;
  return { kind: 'exclusive', indexUid, tasks: await load(tasks, taken), reason };
}

/** The tasks in order, some at a time: a batch seldom takes them all. */
async function* loaded(
  tasks: QueueState['tasks'],
  candidates: readonly PendingTask[],
): AsyncGenerator<BatchTask> {
  for (let at = 0; at < candidates.length; at += PAGE)
    yield* await load(tasks, candidates.slice(at, at + PAGE));
}

async function grow(
  { tasks, catalog, limits, rules }: QueueState,
  indexUid: string | null,
  candidates: readonly PendingTask[],
): Promise<SelectedBatch> {
  const index = indexUid === null ? null : catalog.get(indexUid);
  const taken: BatchTask[] = [];
  const bounds = limits(candidates[0]?.uid ?? 0);
  let batch: GrowingBatch | null = null;
  for await (const task of loaded(tasks, candidates)) {
    const candidate = rules.candidateOf(task.work);
    if (batch === null) {
      batch = new GrowingBatch(candidate, index, bounds);
    } else {
      const answer = batch.offer(candidate);
      if (!answer.taken) return { kind: batch.kind, indexUid, tasks: taken, reason: answer.reason };
    }
    taken.push(task);
    if (batch.complete !== null)
      return { kind: batch.kind, indexUid, tasks: taken, reason: batch.complete };
  }
  return {
    kind: batch?.kind ?? 'exclusive',
    indexUid,
    tasks: taken,
    reason: 'took all enqueued tasks of the index',
  };
}

async function load(
  tasks: QueueState['tasks'],
  pending: readonly PendingTask[],
): Promise<BatchTask[]> {
  const uids = pending.map(({ uid }) => uid);
  const records = await tasks.load(uids);
  return records.map((stored, i) => {
    if (stored.work === null) throw new Error(`task ${uids[i]} has nothing left to do`);
    return { uid: uids[i] ?? 0, work: stored.work, stored };
  });
}
