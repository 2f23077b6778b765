/**
 * The loop of the indexer: take a batch, process it, commit, publish, go on. One batch at a time;
 * merges run beside batches and are committed between them. Everything a batch or merge changes
 * goes into one write of the key-value store, the only commit point: before it nothing has
 * happened, after it everything is true. A failed write leaves the state unknown, so the process
 * must restart.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { formatDate } from '../core/clock.ts';
import type { WireError } from '../core/errors.ts';
import type { Exporter } from '../export/exporter.ts';
import type { ProgressReading } from '../model/batch-progress.ts';
import type { BatchRecord } from '../model/task.ts';
import type { Logger } from '../observability/logger.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { BatchLimits } from './batching/autobatcher.ts';
import { BurstPause } from './batching/burst-pause.ts';
import { makesRoom, type RoomLimits } from './batching/making-room.ts';
import { type SelectedBatch, selectBatch, selectBeside } from './batching/select-batch.ts';
import { SplitBatches } from './batching/split-batches.ts';
import { beginBeside, failBatch, processBatch } from './kinds/process-batch.ts';
import { abortedBy, QUEUE_RULES } from './kinds/task-kinds.ts';
import { BackgroundMerges, type BackgroundMergesOptions } from './merging/background-merges.ts';
import type { Backups, BatchContext, PreparedBatch } from './processing/prepared-batch.ts';
import { PROGRESS_MS, RunningBatch } from './processing/running-batch.ts';
import { SetAsideBatches } from './processing/set-aside-batches.ts';
import { AfterCommit, type AfterCommitOptions } from './publishing/after-commit.ts';
import type { BatchFigures } from './publishing/batch-figures.ts';
import { logBatch } from './publishing/batch-log.ts';
import type { WatchedChanges } from './publishing/watched.ts';
import type { BatchAttempts } from './store/batch-attempts.ts';
import { toTaskRecord } from './store/task-record.ts';
import type { TaskOutcome, TaskStore } from './store/task-store.ts';

export interface SchedulerOptions extends AfterCommitOptions, BackgroundMergesOptions {
  readonly tasks: TaskStore;
  readonly payloads: Pick<PayloadStore, 'onDisk' | 'remove'>;
  readonly limits: BatchLimits;
  readonly roomLimits: RoomLimits;
  readonly attempts: BatchAttempts;
  /** Of batches that run beside others. */
  readonly attemptsBeside: BatchAttempts;
  readonly backups: Backups;
  readonly exporter: Pick<Exporter, 'run'>;
  readonly webhooks: Pick<Webhooks, 'stage' | 'committed'>;
  /** Hears of every change of a task or batch. */
  readonly watched: WatchedChanges;
  readonly batchFigures: BatchFigures;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** The process must end: what is on disk is no longer known. */
  readonly onFatal: (error: unknown) => void;
}

const givenUp = (times: number): WireError => ({
  code: 'internal',
  message: `The indexer ended unexpectedly ${times} times while it processed this task, which is not tried again.`,
});

const NOT_IN_TURN = QUEUE_RULES.beside.map(({ type }) => type);

/** A batch that runs beside others. */
interface BesideBatch {
  readonly running: RunningBatch;
  /** null until its work is done; it is committed between two other batches. */
  outcomes: readonly TaskOutcome[] | null;
  /** Resolves when its work is done. */
  readonly done: Promise<void>;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #afterCommit: AfterCommit;
  readonly #merges: BackgroundMerges;
  #loop: Promise<void> | null = null;
  #isAwake = false;
  /** Before `start` and after `stop` nothing is processed. */
  #isStopped = true;
  #running: RunningBatch | null = null;
  #beside: BesideBatch | null = null;
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
    this.#afterCommit = new AfterCommit(options);
    this.#merges = new BackgroundMerges(options, this.#afterCommit, () => this.wake());
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
    const running = [this.#running, this.#beside?.running ?? null];
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
    this.#beside?.running.abort(matched);
  }

  /**
   * Finishes the batch under way and takes no more. A merge under way is given up, and batches that
   * wait for another server, whose tasks wait for the next start then.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#merges.stop();
    if (this.#running !== null) await this.#forgive(this.#options.attempts);
    if (this.#beside !== null) await this.#forgive(this.#options.attemptsBeside);
    this.#running?.giveUpWaiting();
    this.#beside?.running.progress.cancel();
    await this.#loop;
    await this.#aside.stop();
    await this.#beside?.done;
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
        if (!this.#isUrgent()) await this.#beginBeside();
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

  /**
   * Begins the next batch that runs beside others, if none does. Resolves when others may go on: it
   * holds what it needs of this moment.
   */
  async #beginBeside(): Promise<void> {
    const { tasks, catalog, limits, attemptsBeside, backups, exporter, clock, log } = this.#options;
    if (this.#beside !== null || this.#isStopped) return;
    const queue = { tasks, catalog, limits: () => limits, rules: QUEUE_RULES, waiting: [] };
    const selected = await selectBeside(queue);
    if (selected === null) return;
    const running = new RunningBatch(selected, tasks, clock(), tasks.reserveBatchUid());
    this.#tellTasks(selected);
    await attemptsBeside.begin(running.taskUids);
    const { uid: batchUid, startedAt, progress } = running;
    const onFault = (error: unknown) => {
      if (!progress.isCanceled) log.error({ err: error }, `batch ${batchUid} failed`);
    };
    const times = attemptsBeside.givenUpAfter(running.taskUids);
    const work =
      times === null
        ? await beginBeside(
            selected,
            { batchUid, startedAt, progress, backups, exporter, tasks },
            { onFault },
          )
        : async () => failBatch(selected, givenUp(times), { catalog }).outcomes;
    const beside: BesideBatch = { running, outcomes: null, done: this.#workBeside(running, work) };
    this.#beside = beside;
  }

  async #workBeside(
    running: RunningBatch,
    work: () => Promise<readonly TaskOutcome[]>,
  ): Promise<void> {
    const { watched } = this.#options;
    const tellProgress = () => watched.batchChanged(() => running.current);
    const timer = setInterval(tellProgress, PROGRESS_MS);
    try {
      tellProgress();
      const outcomes = await work();
      if (this.#beside?.running === running) this.#beside.outcomes = outcomes;
    } finally {
      clearInterval(timer);
      this.wake();
    }
  }

  /** The commit of a batch that ran beside others, if its work is done or it is to end. */
  async #endBeside(): Promise<void> {
    const beside = this.#beside;
    if (beside === null) return;
    const { running } = beside;
    if (running.progress.isCanceled) await beside.done;
    const { outcomes } = beside;
    if (outcomes === null) return;
    this.#beside = null;
    const prepared = { outcomes, catalog: this.#options.catalog.begin() };
    if (running.progress.isCanceled) this.#giveUp(running, prepared);
    else await this.#commitBatch(running, prepared, this.#options.attemptsBeside);
    this.#isAwake = true;
  }

  /** What a batch ends beside it has ended before it begins. */
  async #endAborted({ tasks }: SelectedBatch): Promise<void> {
    for (const { work } of tasks) {
      this.#beside?.running.abort(abortedBy(work));
      this.#aside.abort(abortedBy(work));
    }
    await this.#aside.endAborted();
    if (this.#beside?.running.progress.isCanceled === true) await this.#endBeside();
  }

  async #processBatch(selected: SelectedBatch): Promise<void> {
    const { clock, watched, attempts } = this.#options;
    const running = this.#toRunning(selected);
    this.#running = running;
    running.progress.onLasting = () => attempts.gotFurther();
    this.#tellTasks(selected);
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
      const prepared =
        times === null
          ? await processBatch(selected, context)
          : failBatch(selected, givenUp(times), context);
      const isToBeSplit = prepared.isToBeSplit === true && running.taskUids.length > 1;
      if (isToBeSplit) this.#split.split(running.taskUids);
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
    const resumption = this.#aside.resumptionOf(selected.tasks[0]?.uid ?? -1);
    if (resumption === null) return new RunningBatch(selected, tasks, clock());
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
      (this.#beside === null && NOT_IN_TURN.some((type) => tasks.pending.hasType(type)));
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

  #enqueueAgain({ selected, taskUids }: RunningBatch): void {
    this.#options.tasks.markEnqueued(taskUids);
    this.#tellTasks(selected);
    this.wake();
  }

  #contextOf({ uid, startedAt, progress }: RunningBatch): BatchContext {
    const { tasks, catalog, writers, payloads, log } = this.#options;
    const onFault = (error: unknown) => {
      if (!progress.isCanceled) log.error({ err: error }, `batch ${uid} failed`);
    };
    const nowText = formatDate(startedAt);
    return { tasks, catalog, writers, payloads, progress, nowText, onFault };
  }

  /** The tasks of a batch, as they are shown now. */
  #tellTasks({ tasks: members }: SelectedBatch): void {
    const { tasks, watched } = this.#options;
    for (const { uid, stored } of members) watched.taskChanged(tasks.row(uid), stored);
  }

  /** Nothing of the batch is left, and its tasks wait again. */
  #giveUp({ selected, taskUids }: RunningBatch, prepared: PreparedBatch): void {
    this.#discard(prepared);
    this.#options.tasks.markEnqueued(taskUids);
    this.#tellTasks(selected);
  }

  #discard({ written }: PreparedBatch): void {
    if (written === undefined) return;
    for (const changeId of written.changeIds) written.writer.discard(changeId);
    this.#options.writers.drop(written.indexId);
  }

  /** The commit point of a batch. */
  async #commitBatch(
    running: RunningBatch,
    prepared: PreparedBatch,
    attempts: BatchAttempts,
  ): Promise<void> {
    const { store, tasks, clock, watched, webhooks, batchFigures, log } = this.#options;
    const { uid: batchUid, startedAt } = running;
    running.progress.begin('committing', prepared.outcomes.length);
    const finishedAt = clock();
    const stored = await this.#storedTasks(running.selected, prepared);
    const change = tasks.begin();
    prepared.changeTasks?.(change);
    const members = prepared.outcomes.map((outcome, i) => {
      const row = tasks.row(outcome.uid);
      const record = stored[i];
      if (row === null || record === undefined)
        throw new Error(`task ${outcome.uid} vanished while it was processed`);
      const { status, canceledBy = null, details } = outcome;
      const finished = { ...row, status, canceledBy, batchUid, startedAt, finishedAt };
      change.finish(finished, record, outcome);
      const { error } = outcome;
      return { row: finished, details, ended: { ...record, work: null, details, error } };
    });
    const record = running.ended(members, finishedAt);
    change.storeBatch(record);
    const operations = [...prepared.catalog.operations(), ...change.operations()];
    const told = await webhooks.stage(batchUid, finishedAt, () =>
      members.map(({ row, ended }) => toTaskRecord(row, ended)),
    );
    await store.write([...operations, ...told, attempts.end()]);
    const applied = prepared.catalog.apply();
    const written = this.#afterCommit.announce(applied, prepared.written?.writer ?? null);
    for (const indexId of written) this.#merges.consider(indexId);
    change.apply();
    for (const { row, ended } of members) watched.taskChanged(row, ended);
    watched.batchChanged(() => record);
    webhooks.committed();
    const ended = members.map(({ row, ended: { error } }) => ({ row, error }));
    const milliseconds = (finishedAt - startedAt) / 1000;
    logBatch(log, record, ended, milliseconds);
    batchFigures.ended(record, running.progress.read(), milliseconds);
    this.#afterCommit.cleanUp(
      applied,
      stored.map(({ work }) => work),
      finishedAt,
    );
  }

  /** Records of all tasks that the batch ends, in the order of the outcomes. */
  async #storedTasks(batch: SelectedBatch, { outcomes }: PreparedBatch) {
    const known = new Map(batch.tasks.map(({ uid, stored }) => [uid, stored]));
    const others = outcomes.map(({ uid }) => uid).filter((uid) => !known.has(uid));
    const loaded = await this.#options.tasks.load(others);
    for (const [i, uid] of others.entries()) {
      const stored = loaded[i];
      if (stored !== undefined) known.set(uid, stored);
    }
    return outcomes.flatMap(({ uid }) => known.get(uid) ?? []);
  }

  /** Milliseconds since the last batch; 0 while tasks wait. */
  #restMs(): number {
    const { tasks, clock } = this.#options;
    return tasks.pending.size > 0 ? 0 : Math.max(0, (clock() - this.#lastBatchAt) / 1000);
  }
}
