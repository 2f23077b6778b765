/**
 * Batches that run beside others, one at a time: they work on a moment that they hold, and only
 * their commit waits for its turn between two other batches.
 */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import type { Clock } from '../core/clock.ts';
import type { Exporter } from '../export/exporter.ts';
import type { Logger } from '../observability/logger.ts';
import type { BatchLimits } from './batching/autobatcher.ts';
import { selectBeside } from './batching/select-batch.ts';
import { abandonedTasks, beginBeside } from './kinds/process-batch.ts';
import { QUEUE_RULES } from './kinds/task-kinds.ts';
import type { Backups } from './processing/prepared-batch.ts';
import { PROGRESS_MS, RunningBatch } from './processing/running-batch.ts';
import type { WatchedChanges } from './publishing/watched.ts';
import type { BatchAttempts } from './store/batch-attempts.ts';
import type { TaskOutcome, TaskStore } from './store/task-store.ts';

export interface BesideBatchesOptions {
  readonly tasks: TaskStore;
  readonly catalog: IndexCatalog;
  readonly limits: BatchLimits;
  /** Of batches that run beside others. */
  readonly attemptsBeside: BatchAttempts;
  readonly backups: Backups;
  readonly exporter: Pick<Exporter, 'run'>;
  readonly watched: WatchedChanges;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

/** A batch whose work is done, or that was canceled: then its outcomes mean nothing. */
export interface WorkedBatch {
  readonly running: RunningBatch;
  readonly outcomes: readonly TaskOutcome[];
}

interface BatchUnderWay {
  readonly running: RunningBatch;
  /** null until its work is done. */
  outcomes: readonly TaskOutcome[] | null;
  /** Resolves when its work is done. */
  readonly done: Promise<void>;
}

export class BesideBatches {
  readonly #options: BesideBatchesOptions;
  readonly #onWorked: () => void;
  #batch: BatchUnderWay | null = null;

  /** @param onWorked told when there may be something for `takeWorked` */
  constructor(options: BesideBatchesOptions, onWorked: () => void) {
    this.#options = options;
    this.#onWorked = onWorked;
  }

  /** The batch under way. */
  get running(): RunningBatch | null {
    return this.#batch?.running ?? null;
  }

  /**
   * Begins the next batch that runs beside others, if none does. Resolves when others may go on: it
   * holds what it needs of this moment.
   */
  async begin(): Promise<void> {
    const { tasks, catalog, limits, attemptsBeside, backups, exporter } = this.#options;
    const { watched, clock, log } = this.#options;
    if (this.#batch !== null) return;
    const queue = { tasks, catalog, limits: () => limits, rules: QUEUE_RULES, waiting: [] };
    const selected = await selectBeside(queue);
    if (selected === null) return;
    const running = new RunningBatch(selected, tasks, clock(), tasks.reserveBatchUid());
    watched.tasksChanged(selected.tasks, tasks);
    await attemptsBeside.begin(running.taskUids);
    const { uid: batchUid, startedAt, progress } = running;
    const onFault = (error: unknown) => {
      if (!progress.isCanceled) log.error({ err: error }, `batch ${batchUid} failed`);
    };
    const times = attemptsBeside.givenUpAfter(running.taskUids);
    const context = { batchUid, startedAt, progress, backups, exporter, tasks };
    const work =
      times === null
        ? await beginBeside(selected, context, { onFault })
        : async () => abandonedTasks(selected, times);
    this.#batch = { running, outcomes: null, done: this.#work(running, work) };
  }

  /** Takes the batch under way if its work is done, or when it has ended after it was canceled. */
  async takeWorked(): Promise<WorkedBatch | null> {
    const batch = this.#batch;
    if (batch === null) return null;
    const { running } = batch;
    if (running.progress.isCanceled) await batch.done;
    const { outcomes } = batch;
    if (outcomes === null) return null;
    this.#batch = null;
    return { running, outcomes };
  }

  /** Ends the batch under way soon, without a commit, if it holds one of the tasks. */
  abort(matched: readonly number[]): void {
    this.running?.abort(matched);
  }

  /** Ends the batch under way soon, without a commit. */
  cancel(): void {
    this.running?.progress.cancel();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#batch?.done;
  }

  async #work(running: RunningBatch, work: () => Promise<readonly TaskOutcome[]>): Promise<void> {
    const { watched } = this.#options;
    const tellProgress = () => watched.batchChanged(() => running.current);
    const timer = setInterval(tellProgress, PROGRESS_MS);
    try {
      tellProgress();
      const outcomes = await work();
      if (this.#batch?.running === running) this.#batch.outcomes = outcomes;
    } finally {
      clearInterval(timer);
      this.#onWorked();
    }
  }
}
