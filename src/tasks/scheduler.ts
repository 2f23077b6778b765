/**
 * The loop of the indexer: begins batches that may run; each is processed, committed and published.
 * Batches of different indexes run at the same time, in one lane per index
 * (batching/next-batch.ts). Commits of batches and merges are serialised. Each commit is one write
 * of the key-value store: before it nothing has changed, after it everything has. After a failed
 * write the state is unknown, so the process must restart.
 */

import type { IndexCatalog } from '../catalog/index-catalog.ts';
import { segmentBytes } from '../catalog/manifest.ts';
import { formatDate } from '../core/clock.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import { SMALL_BATCH_BYTES } from '../indexing/memory-shares.ts';
import type { ProgressReading } from '../model/batch-progress.ts';
import type { BatchRecord } from '../model/task.ts';
import type { Logger } from '../observability/logger.ts';
import { segmentKey } from '../storage/object-store/stored-files.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import type { BatchLimits } from './batching/autobatcher.ts';
import { BatchDebounce } from './batching/batch-debounce.ts';
import { hasLargeSlot, type LaneSlots, type NextBatch, nextBatch } from './batching/next-batch.ts';
import { type SelectedBatch, selectBatch } from './batching/select-batch.ts';
import { abandonedTasks, processBatch } from './kinds/process-batch.ts';
import { abortedBy, QUEUE_RULES } from './kinds/task-kinds.ts';
import {
  BackgroundMerges,
  type BackgroundMergesOptions,
  type MergeLimits,
} from './merging/background-merges.ts';
import { IndexLanes } from './processing/index-lanes.ts';
import type { BatchContext, PreparedBatch } from './processing/prepared-batch.ts';
import { RunningBatch } from './processing/running-batch.ts';
import { type BatchCommitsOptions, commitBatch } from './publishing/batch-commits.ts';
import { type ServiceLimits, slotsFor } from './service-limits.ts';
import type { BatchAttempt, CrashLoopGuard } from './store/crash-loop-guard.ts';

export interface SchedulerOptions
  extends Omit<BackgroundMergesOptions, keyof MergeLimits>,
    BatchCommitsOptions,
    Pick<BatchContext, 'searchRules' | 'backups' | 'exporter'> {
  readonly catalog: IndexCatalog;
  readonly payloads: Pick<PayloadStore, 'onDisk' | 'remove'>;
  readonly limits: ServiceLimits;
  readonly guard: CrashLoopGuard;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** Called when the state on disk is unknown and the process must exit. */
  readonly onFatal: (error: unknown) => void;
}

/** Milliseconds between two progress updates for watchers. */
const PROGRESS_MS = 250;
/** Milliseconds that running batches have to end once the process is to exit. */
const STOP_BATCHES_MS = 1500;
/** Milliseconds after their cancellation at which the threads that work on them are ended. */
const STOP_THREADS_MS = 300;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #merges: BackgroundMerges;
  readonly #slots: LaneSlots;
  /** Serialises commits and work that must not see half a commit. */
  readonly #commitQueue = new SerialQueue();
  #loop: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #isAwake = false;
  /** True before `start` and after `stop`. */
  #isStopped = true;
  #hasFailed = false;
  /** The running batches and the promises of their ends. */
  readonly #running = new Map<RunningBatch, Promise<void>>();
  readonly #lanes = new IndexLanes();
  readonly #debounce = new BatchDebounce();
  /** First tasks of batches found to be large while too many large batches ran. */
  readonly #large = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  /** Microseconds. */
  #lastBatchAt = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { limits } = options;
    this.#merges = new BackgroundMerges({ ...options, ...limits }, () => this.wake());
    this.#slots = slotsFor(limits.indexingThreads);
  }

  start(): void {
    this.#isStopped = false;
    this.#stopping = null;
    for (const { id, segments } of this.#options.catalog.all())
      if (segments.length > 0) this.#merges.consider(id);
    this.wake();
  }

  taskCame(indexUid: string | null): void {
    if (indexUid !== null) this.#debounce.arrived(indexUid, this.#nowMs());
    this.wake();
  }

  considerMerges(indexId: number): void {
    this.#merges.consider(indexId);
    this.wake();
  }

  wake(): void {
    if (this.#isStopped) return;
    this.#isAwake = true;
    this.#loop ??= this.#run();
  }

  get current(): BatchRecord[] {
    return this.#batches.map(({ current }) => current);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get progress(): { readonly uid: number; readonly progress: ProgressReading }[] {
    return this.#batches.map(({ uid, progress }) => ({ uid, progress: progress.read() }));
  }

  get indexing(): string[] {
    return this.#batches.flatMap(({ selected }) =>
      selected.indexUid === null ? [] : [selected.indexUid],
    );
  }

  /**
   * Aborts the batches that contain one of the tasks, without a commit; their tasks are enqueued
   * again.
   */
  abort(matched: readonly number[]): void {
    // Of nearly every new task: a look at all tasks of the running batches each time costs much.
    if (matched.length === 0) return;
    for (const batch of this.#batches) batch.abort(matched);
  }

  /**
   * Begins no more batches and resolves when none runs. Cancels running merges, and batches that do
   * not end in time; the tasks of these stay enqueued for the next start.
   * @param endThreads called when a canceled batch goes on; rejects what the threads do
   */
  stop(endThreads: () => void = () => undefined): Promise<void> {
    this.#stopping ??= this.#stop(endThreads);
    return this.#stopping;
  }

  async #stop(endThreads: () => void): Promise<void> {
    const { guard, log } = this.#options;
    this.#isStopped = true;
    this.#merges.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await guard.clear().catch((error: unknown) => {
      log.warn(`it could not be noted that the indexer was to end: ${String(error)}`);
    });
    for (const batch of this.#batches) batch.stop();
    await this.#loop;
    let timer = setTimeout(() => {
      for (const { progress } of this.#batches) progress.cancel();
      timer = setTimeout(endThreads, STOP_THREADS_MS);
    }, STOP_BATCHES_MS);
    for (const { uid, indexUids } of this.#batches) {
      const message = `waiting up to ${STOP_BATCHES_MS / 1000} s for batch ${uid}; if it has not ended by then, its tasks run again at the next start`;
      log.info({ index: indexUids.join() }, message);
    }
    await Promise.all(this.#running.values());
    clearTimeout(timer);
  }

  get #batches(): RunningBatch[] {
    return [...this.#running.keys()];
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#isStopped) {
        this.#isAwake = false;
        await this.#beginBatches();
        if (!this.#isStopped) this.#merges.begin(this.#restMs());
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#loop = null;
    }
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#isStopped = true;
    this.#merges.stop();
    this.#options.onFatal(error);
  }

  /** Commits merges of indexes without a running batch. */
  #commitMerges(): Promise<void> {
    return this.#commitQueue.run(() => {
      const busy = new Set(this.#batches.flatMap(({ indexUids }) => indexUids));
      return this.#merges.commitFinished(({ uid }) => !busy.has(uid));
    });
  }

  async #beginBatches(): Promise<void> {
    const { tasks, guard } = this.#options;
    while (!this.#isStopped) {
      if (this.#merges.hasFinished) await this.#commitMerges();
      const step = nextBatch({
        pending: tasks.pending,
        rules: QUEUE_RULES,
        running: this.#batches,
        slots: this.#slots,
        isLarge: (uid) => this.#large.has(uid),
        runsAlone: (uid) => guard.runsAlone(uid),
        lastTurnOf: (indexUid) => this.#lanes.lastTurnOf(indexUid),
        debounceMs: (indexUid) => this.#debounce.leftMs(indexUid, this.#nowMs()),
      });
      if (step.kind === 'wait') {
        if (step.ms !== null) this.#wakeAfter(step.ms);
        return;
      }
      await this.#begin(step.batch);
    }
  }

  #wakeAfter(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms);
  }

  /** Begins the batch, unless it is large and the large slots are taken. */
  async #begin(next: NextBatch): Promise<void> {
    const { tasks, catalog, clock, guard, watched } = this.#options;
    const first = next.tasks[0].uid;
    const limits = this.#limitsOf(next);
    const selected = await selectBatch(next, { tasks, catalog, limits, rules: QUEUE_RULES });
    if (this.#isStopped) return;
    const isLarge = next.turn === 'index' && this.#isLarge(selected);
    if (isLarge && !hasLargeSlot({ running: this.#batches, slots: this.#slots })) {
      this.#large.add(first);
      return;
    }
    if (next.turn === 'global') await this.#endAborted(selected);
    if (this.#isStopped) return;
    const running = new RunningBatch(selected, tasks, clock(), {
      isLarge,
      runsAlone: guard.runsAlone(first),
    });
    running.progress.isLastTry = this.#lanes.isLastTry(next.indexUids, first);
    this.#large.delete(first);
    for (const uid of next.indexUids) this.#debounce.batchBegins(uid);
    watched.tasksChanged(selected.tasks, tasks);
    const held = new Promise<void>((resolve) => {
      const ended = this.#work(running, resolve).finally(resolve);
      this.#running.set(running, ended);
    });
    // Tasks that are enqueued later must not be part of the held state.
    if (next.turn === 'background') await held;
    // No other batch begins before its commit.
    if (next.turn === 'global') await this.#running.get(running);
  }

  #limitsOf({ indexUids, tasks: [{ uid }] }: NextBatch): BatchLimits {
    const { guard, limits } = this.#options;
    const { batchTasksMax, batchBytesMax: bytes } = limits;
    const laneMax = this.#lanes.tasksMax(indexUids, uid);
    return { tasks: Math.min(batchTasksMax, guard.tasksMax(uid), laneMax), bytes };
  }

  #isLarge({ kind, bytes, indexUid }: SelectedBatch): boolean {
    const index = indexUid === null ? null : this.#options.catalog.get(indexUid);
    const isOfAll = kind === 'settings' || kind === 'exclusive';
    return (
      bytes > SMALL_BATCH_BYTES ||
      (isOfAll && index !== null && segmentBytes(index) > SMALL_BATCH_BYTES)
    );
  }

  /** @param onHeld called when the batch holds its state, if it holds one */
  async #work(running: RunningBatch, onHeld: () => void): Promise<void> {
    const { tasks, watched, clock } = this.#options;
    const { progress } = running;
    const tellProgress = () => watched.batchChanged(() => running.current);
    tellProgress();
    let wasWaiting = false;
    const timer = setInterval(() => {
      tellProgress();
      // The batch released its slot or took it again.
      if (running.isWaiting !== wasWaiting) this.wake();
      wasWaiting = running.isWaiting;
    }, PROGRESS_MS);
    try {
      const attempt = await this.#options.guard.begin(running.taskUids);
      progress.onLasting = () => attempt.gotFurther();
      const prepared = await this.#prepare(running, onHeld);
      await this.#end(running, prepared, attempt);
    } catch (error) {
      this.#fail(error);
    } finally {
      clearInterval(timer);
      this.#running.delete(running);
      this.#lastBatchAt = clock();
      if (running.turn === 'global') this.#large.clear();
      const nowMs = this.#nowMs();
      for (const uid of running.indexUids) this.#debounce.batchEnded(uid, nowMs);
      this.#lanes.served(running.indexUids, tasks);
      this.wake();
    }
  }

  /** Aborts the running batches with these tasks, and waits for their ends. */
  async #endAborted({ tasks }: SelectedBatch): Promise<void> {
    for (const { work } of tasks) this.abort(abortedBy(work));
    const aborted = [...this.#running].filter(([{ progress }]) => progress.isCanceled);
    await Promise.all(aborted.map(([, ended]) => ended));
  }

  async #prepare(running: RunningBatch, onHeld: () => void): Promise<PreparedBatch> {
    const { catalog, guard } = this.#options;
    const { selected, taskUids } = running;
    const times = guard.abandonedAfter(taskUids);
    if (times === null) return processBatch(selected, this.#contextOf(running, onHeld));
    return { outcomes: abandonedTasks(selected, times), catalog: catalog.begin() };
  }

  /** Commits the batch, or enqueues its tasks again. */
  async #end(running: RunningBatch, prepared: PreparedBatch, attempt: BatchAttempt): Promise<void> {
    const { tasks, watched, writers, stored } = this.#options;
    const { selected, taskUids, progress } = running;
    const { written } = prepared;
    const isToBeSplit = prepared.isToBeSplit === true && taskUids.length > 1;
    try {
      // Outside the queue of commits, so that an upload delays no other index.
      if (!isToBeSplit && !progress.isCanceled)
        await stored?.keep(prepared.catalog.addedFiles().map(segmentKey));
      if (!isToBeSplit && !progress.isCanceled) {
        await this.#commitQueue.run(async () => {
          for (const indexId of await commitBatch(this.#options, running, prepared, attempt))
            this.#merges.consider(indexId);
        });
        return;
      }
      if (isToBeSplit) this.#lanes.split(running.indexUids, taskUids, progress.isLastTry);
      for (const changeId of written?.changeIds ?? []) written?.writer.discard(changeId);
      if (written !== undefined) writers.drop(written.indexId);
      await attempt.clear();
      tasks.markEnqueued(taskUids);
      watched.tasksChanged(selected.tasks, tasks);
    } finally {
      attempt.release();
      written?.release();
    }
  }

  #contextOf({ uid, startedAt, progress }: RunningBatch, onHeld: () => void): BatchContext {
    return {
      ...this.#options,
      batchUid: uid,
      startedAt,
      progress,
      nowText: formatDate(startedAt),
      betweenCommits: async (work) => {
        const result = await this.#commitQueue.run(work);
        onHeld();
        return result;
      },
      onFault: (error) => {
        if (!progress.isCanceled) this.#options.log.error({ err: error }, `batch ${uid} failed`);
      },
    };
  }

  #nowMs(): number {
    return this.#options.clock() / 1000;
  }

  /** Milliseconds since the last batch; 0 while tasks wait. */
  #restMs(): number {
    const { tasks, clock } = this.#options;
    return tasks.pending.size > 0 ? 0 : Math.max(0, (clock() - this.#lastBatchAt) / 1000);
  }
}
