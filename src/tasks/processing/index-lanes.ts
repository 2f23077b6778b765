/**
 * State of indexes with unfinished tasks: the last batch of each, and a batch that failed because
 * of one document or one settings change. Tasks of a failed batch are retried in ever smaller
 * batches until the faulty task is alone and fails.
 */
import type { LastTurn } from '../batching/next-batch.ts';
import type { PendingTasks } from '../store/pending-tasks.ts';
import { rangesInclude, toRanges } from '../store/uid-ranges.ts';

interface Split {
  /** `toRanges` of the tasks of the batch that failed. */
  readonly uids: readonly number[];
  /** Maximum number of tasks in a batch that begins with one of them. */
  readonly tasksMax: number;
  readonly isLastTry: boolean;
}

export class IndexLanes {
  readonly #lastTurns = new Map<string, LastTurn>();
  readonly #splits = new Map<string, Split>();
  #served = 0;

  lastTurnOf(indexUid: string): LastTurn | null {
    return this.#lastTurns.get(indexUid) ?? null;
  }

  served(
    indexUids: readonly string[],
    tasks: { readonly pending: Pick<PendingTasks, 'ofIndex'>; readonly nextTaskUid: number },
  ): void {
    this.#served++;
    for (const uid of indexUids) {
      const [oldest] = tasks.pending.ofIndex(uid);
      const split = this.#splits.get(uid);
      if (oldest === undefined) this.#lastTurns.delete(uid);
      else this.#lastTurns.set(uid, { nextUid: tasks.nextTaskUid, number: this.#served });
      if (split !== undefined && !(oldest !== undefined && rangesInclude(split.uids, oldest.uid)))
        this.#splits.delete(uid);
    }
  }

  /**
   * A batch of the index failed because of one of its tasks.
   * @param uids of its tasks in ascending order, at least two
   * @param isLastTry an embedder failed: it is called once more, without retries
   */
  split(indexUids: readonly string[], uids: readonly number[], isLastTry: boolean): void {
    const split = { uids: toRanges(uids), tasksMax: uids.length >> 1, isLastTry };
    for (const indexUid of indexUids) this.#splits.set(indexUid, split);
  }

  tasksMax(indexUids: readonly string[], uid: number): number {
    return this.#splitOf(indexUids, uid)?.tasksMax ?? Number.MAX_SAFE_INTEGER;
  }

  /** True if a batch that begins with the task calls embedders without retries. */
  isLastTry(indexUids: readonly string[], uid: number): boolean {
    return this.#splitOf(indexUids, uid)?.isLastTry ?? false;
  }

  #splitOf([indexUid]: readonly string[], uid: number): Split | null {
    const split = indexUid === undefined ? undefined : this.#splits.get(indexUid);
    return split !== undefined && rangesInclude(split.uids, uid) ? split : null;
  }
}
