/**
 * What is remembered of the indexes that have tasks left: when each was served last, and the batch
 * of it that failed for one document or one change of settings. The tasks of such a batch are tried
 * again in ever smaller parts, so that only the task to blame fails.
 */
import type { LastTurn } from '../batching/next-batch.ts';
import type { PendingTasks } from '../store/pending-tasks.ts';
import { rangesInclude, toRanges } from '../store/uid-ranges.ts';

interface Split {
  /** `toRanges` of the tasks of the batch that failed. */
  readonly uids: readonly number[];
  /** Tasks that a batch beginning with one of them may hold. */
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

  /** A batch of the indexes has ended. */
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
   * A batch of the index failed for one of its tasks.
   * @param uids of its tasks in ascending order, two at least
   * @param isLastTry an embedder has failed it: it is asked once more, without retries
   */
  split(indexUids: readonly string[], uids: readonly number[], isLastTry: boolean): void {
    const split = { uids: toRanges(uids), tasksMax: uids.length >> 1, isLastTry };
    for (const indexUid of indexUids) this.#splits.set(indexUid, split);
  }

  /** Tasks that a batch of the index that begins with the task may hold. */
  tasksMax(indexUids: readonly string[], uid: number): number {
    return this.#splitOf(indexUids, uid)?.tasksMax ?? Number.MAX_SAFE_INTEGER;
  }

  /** Whether embedders are asked once only by a batch of the index that begins with the task. */
  isLastTry(indexUids: readonly string[], uid: number): boolean {
    return this.#splitOf(indexUids, uid)?.isLastTry ?? false;
  }

  #splitOf([indexUid]: readonly string[], uid: number): Split | null {
    const split = indexUid === undefined ? undefined : this.#splits.get(indexUid);
    return split !== undefined && rangesInclude(split.uids, uid) ? split : null;
  }
}
