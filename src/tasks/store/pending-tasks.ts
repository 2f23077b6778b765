/** Unfinished tasks: in uid order, by touched index and by type. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { TaskType } from '../../model/task.ts';

export interface PendingTask {
  readonly uid: number;
  readonly type: TaskType;
  readonly indexUid: string | null;
  /** Further indexes it touches: the indexes of a swap, the new uid of a rename. */
  readonly otherUids: readonly string[];
}

type Queue = Map<number, PendingTask>;

export class PendingTasks {
  readonly #all: Queue = new Map();
  readonly #byIndex = new Map<string, Queue>();
  readonly #byType = new Map<TaskType, Queue>();

  get size(): number {
    return this.#all.size;
  }

  /** In uid order. */
  get uids(): Iterable<number> {
    return this.#all.keys();
  }

  get oldest(): PendingTask | null {
    const [first = null] = this.#all.values();
    return first;
  }

  /** Tasks that are the oldest of every index they touch, ignoring tasks of `types`. */
  *ready(types: ReadonlySet<TaskType>): Iterable<PendingTask> {
    for (const [indexUid, queue] of this.#byIndex) {
      const first = firstExcept(queue, types);
      if (first === null) continue;
      const uids = touchedIndexes(first);
      // Yield a task of several indexes once.
      if (uids[0] !== indexUid) continue;
      if (uids.every((uid) => firstExcept(this.#byIndex.get(uid), types) === first)) yield first;
    }
  }

  has(uid: number): boolean {
    return this.#all.has(uid);
  }

  hasType(type: TaskType): boolean {
    return this.#byType.has(type);
  }

  /** In uid order. */
  ofIndex(indexUid: string): Iterable<PendingTask> {
    return this.#byIndex.get(indexUid)?.values() ?? [];
  }

  /** In uid order. */
  ofType(type: TaskType): Iterable<PendingTask> {
    return this.#byType.get(type)?.values() ?? [];
  }

  /** Uids must ascend over all calls. */
  add(task: PendingTask): void {
    this.#all.set(task.uid, task);
    for (const indexUid of touchedIndexes(task)) put(this.#byIndex, indexUid, task);
    put(this.#byType, task.type, task);
  }

  remove(uid: number): void {
    const task = this.#all.get(uid);
    if (task === undefined) return;
    this.#all.delete(uid);
    for (const indexUid of touchedIndexes(task)) drop(this.#byIndex, indexUid, uid);
    drop(this.#byType, task.type, uid);
  }
}

/** Stands for the index of tasks that touch none. */
export const NO_INDEX = '';

/** At least one; `NO_INDEX` for a task of no index. */
export function touchedIndexes({ indexUid, otherUids }: PendingTask): readonly string[] {
  if (indexUid !== null) return [indexUid, ...otherUids];
  return otherUids.length === 0 ? [NO_INDEX] : otherUids;
}

function firstExcept(queue: Queue | undefined, types: ReadonlySet<TaskType>): PendingTask | null {
  for (const task of queue?.values() ?? []) if (!types.has(task.type)) return task;
  return null;
}

function put<Key>(queues: Map<Key, Queue>, key: Key, task: PendingTask): void {
  getOrCompute(queues, key, () => new Map()).set(task.uid, task);
}

function drop<Key>(queues: Map<Key, Queue>, key: Key, uid: number): void {
  const queue = queues.get(key);
  queue?.delete(uid);
  if (queue?.size === 0) queues.delete(key);
}
