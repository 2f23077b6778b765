/**
 * The loop of the indexer: take a batch, process it, commit, publish, go on. One batch at a time; merges run beside batches and are
 * committed between them. Everything a batch or merge changes goes into one write of the key-value store, the only commit point:
 * before it nothing has happened, after it everything is true. A failed write leaves the state unknown, so the process must restart.
 */
import type { BatchRecord } from '../model/task.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import { AfterCommit, type AfterCommitOptions } from './after-commit.ts';
import type { BatchLimits } from './autobatcher.ts';
import { BackgroundMerges, type BackgroundMergesOptions, type MergeLog } from './background-merges.ts';
import { BATCH_STEPS, type BatchFacts, toBatchRecord } from './batch-record.ts';
import { formatDate } from './clock.ts';
import type { PreparedBatch } from './prepared-batch.ts';
import { processBatch } from './process-batch.ts';
import { type SelectedBatch, selectBatch } from './select-batch.ts';
import { rangesInclude } from './task-content.ts';
import type { TaskStore } from './task-store.ts';

export interface SchedulerOptions extends AfterCommitOptions, BackgroundMergesOptions {
  readonly tasks: TaskStore;
  readonly payloads: Pick<PayloadStore, 'pathOf' | 'sizeOf' | 'remove'>;
  readonly limits: BatchLimits;
  readonly log: MergeLog;
  /** The process must end: what is on disk is no longer known. */
  readonly onFatal: (error: unknown) => void;
}

interface RunningBatch {
  readonly batch: SelectedBatch;
  readonly facts: BatchFacts;
  /** A cancelation wants tasks of this batch: it must not be committed. */
  isAborted: boolean;
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
  /** Microseconds. */
  #lastBatchAt = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#afterCommit = new AfterCommit(options);
    this.#merges = new BackgroundMerges(options, this.#afterCommit, () => this.wake());
  }

  start(): void {
    this.#isStopped = false;
    for (const { id, segments } of this.#options.catalog.all()) if (segments.length > 0) this.#merges.consider(id);
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isAwake = true;
    this.#loop ??= this.#run();
  }

  /** The batch being processed, as its record will be. */
  get current(): BatchRecord | null {
    return this.#running === null ? null : toBatchRecord(this.#running.facts);
  }

  /** Uids of the indexes being written. */
  get indexing(): string[] {
    const uid = this.#running?.batch.indexUid;
    return uid == null ? [] : [uid];
  }

  /** Keeps the running batch from being committed if it holds one of the tasks; they go back to the queue. */
  abort(matched: readonly number[]): void {
    const running = this.#running;
    if (running?.batch.tasks.some(({ uid }) => rangesInclude(matched, uid)) === true) running.isAborted = true;
  }

  /** Finishes the batch under way and takes no more. A merge under way is given up. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#merges.stop();
    await this.#loop;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#isStopped) {
        this.#isAwake = false;
        await this.#merges.commitFinished();
        const batch = await this.#select();
        if (batch !== null) {
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

  #select(): Promise<SelectedBatch | null> {
    const { tasks, catalog, limits } = this.#options;
    return selectBatch(tasks, catalog, limits);
  }

  async #processBatch(batch: SelectedBatch): Promise<void> {
    const { tasks, catalog, writers, payloads, clock, log } = this.#options;
    const uids = batch.tasks.map(({ uid }) => uid);
    const startedAt = clock();
    const uid = tasks.nextBatchUid;
    tasks.markProcessing(uids, uid, startedAt);
    const trace = new Map<string, number>();
    const running = { batch, facts: { ...this.#facts(batch, uid, startedAt), trace }, isAborted: false };
    this.#running = running;
    try {
      const nowText = formatDate(startedAt);
      const onFault = (error: unknown) => log.error({ err: error }, `batch ${uid} failed`);
      const prepared = await processBatch(batch, { tasks, catalog, writers, payloads, nowText, onFault });
      trace.set(BATCH_STEPS[0], (clock() - startedAt) / 1000);
      if (running.isAborted) {
        this.#discard(prepared);
        tasks.markEnqueued(uids);
      } else {
        await this.#commitBatch(running.facts, batch, prepared);
      }
    } finally {
      this.#running = null;
      this.#lastBatchAt = clock();
    }
  }

  #facts({ tasks: members, reason }: SelectedBatch, uid: number, startedAt: number): BatchFacts {
    const { tasks } = this.#options;
    const withRow = members.flatMap(({ uid, stored: { details } }) => {
      const row = tasks.row(uid);
      return row === null ? [] : [{ row, details }];
    });
    return { uid, members: withRow, reason, startedAt, finishedAt: null, trace: new Map() };
  }

  /** The commit point of a batch. */
  async #commitBatch(facts: BatchFacts, batch: SelectedBatch, prepared: PreparedBatch): Promise<void> {
    const { store, tasks, clock } = this.#options;
    const { uid: batchUid, startedAt } = facts;
    const finishedAt = clock();
    const stored = await this.#storedTasks(batch, prepared);
    const change = tasks.begin();
    prepared.changeTasks?.(change);
    const members = prepared.outcomes.map((outcome, i) => {
      const row = tasks.row(outcome.uid);
      const record = stored[i];
      if (row === null || record === undefined) throw new Error(`task ${outcome.uid} vanished while it was processed`);
      const { status, canceledBy = null, details } = outcome;
      const finished = { ...row, status, canceledBy, batchUid, startedAt, finishedAt };
      change.finish(finished, record, outcome);
      return { row: finished, details };
    });
    change.storeBatch(toBatchRecord({ ...facts, members, finishedAt }));
    await store.write([...prepared.catalog.operations(), ...change.operations()]);
    const applied = prepared.catalog.apply();
    const written = this.#afterCommit.announce(applied, prepared.written?.writer ?? null);
    for (const indexId of written) this.#merges.consider(indexId);
    change.apply();
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

  #discard({ written }: PreparedBatch): void {
    if (written === undefined) return;
    this.#options.writers.drop(written.indexId);
    for (const name of written.fileNames) this.#options.files.removeFile(written.indexId, name);
  }

  /** Milliseconds since the last batch; 0 while tasks wait. */
  #restMs(): number {
    const { tasks, clock } = this.#options;
    return tasks.pending.size > 0 ? 0 : Math.max(0, (clock() - this.#lastBatchAt) / 1000);
  }
}
