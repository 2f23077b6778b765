/** The tasks that are not finished: in uid order, by the indexes they touch, and by type. */
import type { TaskType } from '../../model/task.ts';

export interface PendingTask {
  readonly uid: number;
  readonly type: TaskType;
  readonly indexUid: string | null;
  /** Further indexes it touches: those of a swap, the new uid of a rename. */
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

  /**
   * The oldest that is of none of the types and touches none of the indexes; null when there is
   * none. Where a task of several indexes has to wait, so have the later tasks of all of them.
   */
  oldestExcept(types: readonly TaskType[], indexUids: Iterable<string> = []): PendingTask | null {
    const waiting = new Set(indexUids);
    for (const task of this.#all.values()) {
      if (types.includes(task.type)) continue;
      const uids = touched(task);
      if (!uids.some((uid) => waiting.has(uid))) return task;
      for (const uid of uids) waiting.add(uid);
    }
    return null;
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

  /** Uids are ascending over all calls. */
  add(task: PendingTask): void {
    this.#all.set(task.uid, task);
    for (const indexUid of touched(task)) put(this.#byIndex, indexUid, task);
    put(this.#byType, task.type, task);
  }

  remove(uid: number): void {
    const task = this.#all.get(uid);
    if (task === undefined) return;
    this.#all.delete(uid);
    for (const indexUid of touched(task)) drop(this.#byIndex, indexUid, uid);
    drop(this.#byType, task.type, uid);
  }
}

const touched = ({ indexUid, otherUids }: PendingTask): readonly string[] =>
  indexUid === null ? otherUids : [indexUid, ...otherUids];

function put<Key>(queues: Map<Key, Queue>, key: Key, task: PendingTask): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, new Map([[task.uid, task]]));
  else queue.set(task.uid, task);
}

function drop<Key>(queues: Map<Key, Queue>, key: Key, uid: number): void {
  const queue = queues.get(key);
  queue?.delete(uid);
  if (queue?.size === 0) queues.delete(key);
}
