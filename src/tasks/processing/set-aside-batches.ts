/**
 * Batches that were set aside because they wait for a provider of embeddings. Nothing of them is
 * left but what is under way there, which ends in the store of vectors that were paid for; then
 * each is begun again, under its number, and finds them. Meanwhile their tasks are shown as
 * processing, and other tasks of their indexes wait.
 */
import { type EmbedderRequests, onlyFailed } from '../../model/batch-progress.ts';
import type { BatchRecord } from '../../model/task.ts';
import { rangesInclude } from '../store/uid-ranges.ts';
import { PROGRESS_MS, type RunningBatch } from './running-batch.ts';

/** How a batch that was set aside is begun again. */
export interface Resumption extends Pick<RunningBatch, 'uid' | 'startedAt'> {
  readonly taskCount: number;
  readonly embedderRequests: EmbedderRequests;
  /** The provider has failed it to the last. */
  readonly isLastTry: boolean;
}

export interface SetAsideListener {
  /** Told now and then. */
  progressed(batch: RunningBatch): void;
  /** It may be begun again, or was canceled. */
  ended(batch: RunningBatch): void;
}

export class SetAsideBatches {
  /** By the index. */
  readonly #waiting = new Map<string, RunningBatch>();
  /** What of each is under way. */
  readonly #ends = new Map<RunningBatch, Promise<void>>();
  /** Those that nothing keeps waiting any more, by their first task. */
  readonly #resumptions = new Map<number, Resumption>();
  readonly #listener: SetAsideListener;

  constructor(listener: SetAsideListener) {
    this.#listener = listener;
  }

  /** Indexes whose tasks wait. */
  get indexUids(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  get current(): readonly BatchRecord[] {
    return [...this.#waiting.values()].map(({ current }) => current);
  }

  /** Bytes of the vectors that each waits for. */
  get vectorBytes(): readonly number[] {
    return [...this.#waiting.values()].map(({ progress }) => progress.outlasting.vectorBytes ?? 0);
  }

  /** @param batch of an index, given up and set aside */
  add(indexUid: string, batch: RunningBatch): void {
    this.#waiting.set(indexUid, batch);
    this.#ends.set(batch, this.#wait(indexUid, batch));
  }

  /** How a batch that begins with the task is begun: anew when null. Asked once. */
  resumptionOf(taskUid: number): Resumption | null {
    const resumption = this.#resumptions.get(taskUid) ?? null;
    this.#resumptions.delete(taskUid);
    return resumption;
  }

  /**
   * Tasks that a batch beginning with this one may hold: no more than before, since nobody has asked
   * for the vectors of others.
   */
  tasksMax(taskUid: number): number {
    return this.#resumptions.get(taskUid)?.taskCount ?? Number.MAX_SAFE_INTEGER;
  }

  /** Those that hold one of the tasks end soon, and their tasks go back to the queue. */
  abort(matched: readonly number[]): void {
    for (const batch of this.#waiting.values()) batch.abort(matched);
    for (const uid of this.#resumptions.keys())
      if (rangesInclude(matched, uid)) this.#resumptions.delete(uid);
  }

  /** Resolves when those that were aborted have ended. */
  async endAborted(): Promise<void> {
    const aborted = [...this.#waiting.values()].filter(({ progress }) => progress.signal.aborted);
    await Promise.all(aborted.map((batch) => this.#ends.get(batch)));
  }

  async stop(): Promise<void> {
    for (const { progress } of this.#waiting.values()) progress.cancel();
    await this.endAborted();
  }

  async #wait(indexUid: string, batch: RunningBatch): Promise<void> {
    const { progress, taskUids, uid, startedAt } = batch;
    const before = progress.read().embedderRequests;
    const tell = () => this.#listener.progressed(batch);
    const timer = setInterval(tell, PROGRESS_MS);
    const isFailed = await progress.outlasting.ended().then(
      () => false,
      () => true,
    );
    clearInterval(timer);
    this.#waiting.delete(indexUid);
    this.#ends.delete(batch);
    if (!progress.signal.aborted) {
      const { embedderRequests } = progress.read();
      const isUnasked = embedderRequests.total === before.total;
      const isLastTry = onlyFailed(before, embedderRequests) || (isFailed && isUnasked);
      const taskCount = taskUids.length;
      const resumption = { uid, startedAt, taskCount, embedderRequests, isLastTry };
      this.#resumptions.set(taskUids[0] ?? 0, resumption);
    }
    this.#listener.ended(batch);
  }
}
