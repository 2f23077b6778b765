/**
 * The loop of the indexer: take a batch, process it, commit, publish, go on. One batch at a time;
 * merges run beside batches and are committed between them. Everything a batch or merge changes
 * goes into one write of the key-value store, the only commit point: before it nothing has
 * happened, after it everything is true. A failed write leaves the state unknown, so the process
 * must restart.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { formatDate } from '../core/clock.ts';
import type { ProgressReading } from '../model/batch-progress.ts';
import type { BatchRecord } from '../model/task.ts';
import type { Logger } from '../observability/logger.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import type { BatchLimits } from './batching/autobatcher.ts';
import { BurstPause } from './batching/burst-pause.ts';
import { makesRoom, type RoomLimits } from './batching/making-room.ts';
import { type SelectedBatch, selectBatch } from './batching/select-batch.ts';
import { SplitBatches } from './batching/split-batches.ts';
import { BesideBatches, type BesideBatchesOptions } from './beside-batches.ts';
import { abandonedTasks, processBatch } from './kinds/process-batch.ts';
import { abortedBy, QUEUE_RULES } from './kinds/task-kinds.ts';
import { BackgroundMerges, type BackgroundMergesOptions } from './merging/background-merges.ts';
import type { BatchContext, PreparedBatch } from './processing/prepared-batch.ts';
import { PROGRESS_MS, RunningBatch } from './processing/running-batch.ts';
import { SetAsideBatches } from './processing/set-aside-batches.ts';
import { AfterCommit, type AfterCommitOptions } from './publishing/after-commit.ts';
import { BatchCommits, type BatchCommitsOptions } from './publishing/batch-commits.ts';
import type { BatchAttempts } from './store/batch-attempts.ts';

export interface SchedulerOptions
  extends AfterCommitOptions,
    BackgroundMergesOptions,
    BatchCommitsOptions,
    BesideBatchesOptions {
  readonly payloads: Pick<PayloadStore, 'onDisk' | 'remove'>;
  readonly searchRules: BatchContext['searchRules'];
  readonly roomLimits: RoomLimits;
  readonly attempts: BatchAttempts;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** The process must end: what is on disk is no longer known. */
  readonly onFatal: (error: unknown) => void;
}

const NOT_IN_TURN = QUEUE_RULES.beside.map(({ type }) => type);

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #commits: BatchCommits;
  readonly #merges: BackgroundMerges;
  #loop: Promise<void> | null = null;
  #isAwake = false;
  /** Before `start` and after `stop` nothing is processed. */
  #isStopped = true;
  #running: RunningBatch | null = null;
  readonly #beside: BesideBatches;
  readonly #aside = new SetAsideBatches({
    progressed: (batch) => this.#options.watched.batchChanged(() => batch.current),
    ended: (batch) => this.#enqueueAgain(batch),
  });
  readonly #pause = new BurstPause();
  readonly #split = new SplitBatches();
  /** Microseconds. */
  #lastBatchAt = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const afterCommit = new AfterCommit(options);
    this.#beside = new BesideBatches(options, () => this.wake());
    this.#commits = new BatchCommits(options, afterCommit);
    this.#merges = new BackgroundMerges(options, afterCommit, () => this.wake());
  }

  start(): void {
    this.#isStopped = false;
    for (const { id, segments } of this.#options.catalog.all())
      if (segments.length > 0) this.#merges.consider(id);
    this.wake();
  }

  /** A task was enqueued; one of another index than the next batch's is nothing to wait for. */
  taskCame(indexUid: string | null): void {
    const { pending } = this.#options.tasks;
    const next = pending.oldestExcept(NOT_IN_TURN, this.#aside.indexUids);
    if (next === null || next.indexUid === indexUid) this.#pause.arrived(this.#nowMs());
    this.wake();
  }

  /** The index may have something to merge. */
  considerMerges(indexId: number): void {
    this.#merges.consider(indexId);
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAwake = true;
    this.#loop ??= this.#run();
  }

  /** The batches being processed, as their records will be. */
  get current(): BatchRecord[] {
    const running = [this.#running, this.#beside.running];
    return [...running.flatMap((batch) => batch?.current ?? []), ...this.#aside.current];
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** How far the batch being processed is. */
  get progress(): { readonly uid: number; readonly progress: ProgressReading } | null {
    if (this.#running === null) return null;
    const { uid, progress } = this.#running;
    return { uid, progress: progress.read() };
  }

  /** Uids of the indexes being written. */
  get indexing(): string[] {
    const uid = this.#running?.selected.indexUid;
    return [...(uid == null ? [] : [uid]), ...this.#aside.indexUids];
  }

  /**
   * Ends the running batch soon, without a commit, if it holds one of the tasks; they go back to
   * the queue.
   */
  abort(matched: readonly number[]): void {
    this.#running?.abort(matched);
    this.#aside.abort(matched);
    this.#beside.abort(matched);
  }

  /**
   * Finishes the batch under way and takes no more. A merge under way is given up, and batches that
   * wait for another server, whose tasks wait for the next start then.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#merges.stop();
    if (this.#running !== null) await this.#forgive(this.#options.attempts);
    if (this.#beside.running !== null) await this.#forgive(this.#options.attemptsBeside);
    this.#running?.giveUpWaiting();
    this.#beside.cancel();
    await this.#loop;
    await this.#aside.stop();
    await this.#beside.idle();
  }

  /** The batch under way is not to blame for the end of the process. */
  async #forgive(attempts: BatchAttempts): Promise<void> {
    const { log } = this.#options;
    await attempts.forgive().catch((error: unknown) => {
      log.warn(`it could not be noted that the indexer was told to end: ${String(error)}`);
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#isStopped) {
        this.#isAwake = false;
        await this.#waitForMore();
        await this.#merges.commitFinished();
        await this.#endBeside();
        if (!this.#isUrgent() && !this.#isStopped) await this.#beside.begin();
        const batch = await this.#select();
        if (batch !== null) {
          await this.#endAborted(batch);
          this.#pause.batchBegins();
          await this.#processBatch(batch);
          this.#isAwake = true;
        }
        this.#merges.begin(this.#restMs());
      }
    } catch (error) {
      this.#isStopped = true;
      this.#merges.stop();
      this.#options.onFatal(error);
    } finally {
      this.#loop = null;
    }
  }

  /** While many tasks come in a row; urgent ones wait for nothing. */
  async #waitForMore(): Promise<void> {
    const { pending } = this.#options.tasks;
    for (;;) {
      const leftMs = pending.size === 0 ? 0 : this.#pause.leftMs(this.#nowMs());
      if (leftMs === 0 || this.#isStopped || this.#isUrgent()) return;
      await sleep(leftMs);
    }
  }

  #isUrgent(): boolean {
    const { pending } = this.#options.tasks;
    return QUEUE_RULES.urgent.some(({ type }) => pending.hasType(type));
  }

  #nowMs(): number {
    return this.#options.clock() / 1000;
  }

  #select(): Promise<SelectedBatch | null> {
    const { tasks, catalog, limits, attempts } = this.#options;
    const limitsOf = (uid: number): BatchLimits => ({
      ...limits,
      tasks: Math.min(
        limits.tasks,
        attempts.tasksMax(uid),
        this.#split.tasksMax(uid),
        this.#aside.tasksMax(uid),
      ),
    });
    const waiting = this.#aside.indexUids;
    return selectBatch({ tasks, catalog, limits: limitsOf, rules: QUEUE_RULES, waiting });
  }

  /** The commit of a batch that ran beside others, if its work is done or it is to end. */
  async #endBeside(): Promise<void> {
    const worked = await this.#beside.takeWorked();
    if (worked === null) return;
    const { running, outcomes } = worked;
    const prepared = { outcomes, catalog: this.#options.catalog.begin() };
    if (running.progress.isCanceled) this.#giveUp(running, prepared);
    else await this.#commitBatch(running, prepared, this.#options.attemptsBeside);
    this.#isAwake = true;
  }

  /** What a batch ends beside it has ended before it begins. */
  async #endAborted({ tasks }: SelectedBatch): Promise<void> {
    for (const { work } of tasks) {
      this.#beside.abort(abortedBy(work));
      this.#aside.abort(abortedBy(work));
    }
    await this.#aside.endAborted();
    if (this.#beside.running?.progress.isCanceled === true) await this.#endBeside();
  }

  async #processBatch(selected: SelectedBatch): Promise<void> {
    const { tasks, clock, watched, attempts } = this.#options;
    const running = this.#toRunning(selected);
    this.#running = running;
    running.progress.onLasting = () => attempts.gotFurther();
    watched.tasksChanged(selected.tasks, tasks);
    const tellProgress = () => watched.batchChanged(() => running.current);
    tellProgress();
    const timer = setInterval(() => {
      tellProgress();
      this.#makeRoom(running);
    }, PROGRESS_MS);
    try {
      await attempts.begin(running.taskUids);
      const context = this.#contextOf(running);
      const times = attempts.givenUpAfter(running.taskUids);
      const prepared: PreparedBatch =
        times === null
          ? await processBatch(selected, context)
          : { outcomes: abandonedTasks(selected, times), catalog: context.catalog.begin() };
      const isToBeSplit = prepared.isToBeSplit === true && running.taskUids.length > 1;
      if (isToBeSplit) this.#split.split(running.taskUids, running.progress.isLastTry);
      if (running.progress.outlasting.isLeft) this.#setAside(running, prepared);
      else if (isToBeSplit || running.progress.isCanceled) this.#giveUp(running, prepared);
      else await this.#commitBatch(running, prepared, attempts);
    } finally {
      clearInterval(timer);
      this.#running = null;
      this.#lastBatchAt = clock();
    }
  }

  /** A batch that was set aside is begun again under its number. */
  #toRunning(selected: SelectedBatch): RunningBatch {
    const { tasks, clock } = this.#options;
    const first = selected.tasks[0]?.uid ?? -1;
    const resumption = this.#aside.resumptionOf(first);
    if (resumption === null) {
      const anew = new RunningBatch(selected, tasks, clock());
      anew.progress.isLastTry = this.#split.isLastTry(first);
      return anew;
    }
    const { startedAt, uid, embedderRequests, isLastTry } = resumption;
    const running = new RunningBatch(selected, tasks, startedAt, uid);
    running.progress.countOn(embedderRequests);
    running.progress.isLastTry = isLastTry;
    return running;
  }

  /** Sets the batch under way aside if others should not wait for it. */
  #makeRoom({ selected, progress }: RunningBatch): void {
    const { tasks, roomLimits } = this.#options;
    const { indexUid } = selected;
    if (indexUid === null || progress.isCanceled) return;
    const waiting = [...this.#aside.indexUids, indexUid];
    const isInTheWay =
      this.#isUrgent() ||
      tasks.pending.oldestExcept(NOT_IN_TURN, waiting) !== null ||
      (this.#beside.running === null && NOT_IN_TURN.some((type) => tasks.pending.hasType(type)));
    const batch = { reading: progress.read(), vectorBytes: progress.outlasting.vectorBytes };
    if (makesRoom(batch, this.#aside.vectorBytes, isInTheWay, roomLimits)) progress.setAside();
  }

  /** Nothing of the batch is left but what it waits for. */
  #setAside(running: RunningBatch, prepared: PreparedBatch): void {
    const { tasks, log } = this.#options;
    const { uid, selected, progress } = running;
    this.#discard(prepared);
    progress.onLasting = () => Promise.resolve();
    if (uid === tasks.nextBatchUid) tasks.reserveBatchUid();
    log.info(`batch ${uid} waits for embeddings of \`${selected.indexUid}\`; others go first`);
    this.#aside.add(selected.indexUid ?? '', running);
  }

  /** The tasks wait again. */
  #enqueueAgain({ selected, taskUids }: RunningBatch): void {
    const { tasks, watched } = this.#options;
    tasks.markEnqueued(taskUids);
    watched.tasksChanged(selected.tasks, tasks);
    this.wake();
  }

  #contextOf({ uid, startedAt, progress }: RunningBatch): BatchContext {
    const { tasks, catalog, searchRules, writers, payloads, log } = this.#options;
    const onFault = (error: unknown) => {
      if (!progress.isCanceled) log.error({ err: error }, `batch ${uid} failed`);
    };
    const nowText = formatDate(startedAt);
    return { tasks, catalog, searchRules, writers, payloads, progress, nowText, onFault };
  }

  /** Nothing of the batch is left, and its tasks wait again. */
  #giveUp(running: RunningBatch, prepared: PreparedBatch): void {
    this.#discard(prepared);
    this.#enqueueAgain(running);
  }

  #discard({ written }: PreparedBatch): void {
    if (written === undefined) return;
    for (const changeId of written.changeIds) written.writer.discard(changeId);
    this.#options.writers.drop(written.indexId);
  }

  async #commitBatch(
    running: RunningBatch,
    prepared: PreparedBatch,
    attempts: BatchAttempts,
  ): Promise<void> {
    const written = await this.#commits.commit(running, prepared, attempts);
    for (const indexId of written) this.#merges.consider(indexId);
  }

  /** Milliseconds since the last batch; 0 while tasks wait. */
  #restMs(): number {
    const { tasks, clock } = this.#options;
    return tasks.pending.size > 0 ? 0 : Math.max(0, (clock() - this.#lastBatchAt) / 1000);
  }
}
