/**
 * Batches that failed for one document or one change of settings, which are tried again in ever
 * smaller parts until the task with it stands alone: the others are not to blame.
 */
import { rangesInclude, toRanges } from '../store/uid-ranges.ts';

export class SplitBatches {
  /** `toRanges` of the tasks of the batch that failed last. */
  #uids: readonly number[] = [];
  /** Tasks that a batch beginning with one of them may hold. */
  #tasksMax = Number.MAX_SAFE_INTEGER;
  #isLastTry = false;

  /**
   * @param uids of its tasks in ascending order, two at least
   * @param isLastTry an embedder has failed it
   */
  split(uids: readonly number[], isLastTry: boolean): void {
    this.#uids = toRanges(uids);
    this.#tasksMax = uids.length >> 1;
    this.#isLastTry = isLastTry;
  }

  /** Of a batch beginning with this one. */
  isLastTry(uid: number): boolean {
    return this.#isLastTry && rangesInclude(this.#uids, uid);
  }

  /** Tasks that a batch beginning with this one may hold. */
  tasksMax(uid: number): number {
    return rangesInclude(this.#uids, uid) ? this.#tasksMax : Number.MAX_SAFE_INTEGER;
  }
}
