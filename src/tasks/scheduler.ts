/**
 * The loop of the indexer: take a batch, process it, commit, publish, go on. One batch at a time; merges run beside batches and are
 * committed between them. Everything a batch or merge changes goes into one write of the key-value store, the only commit point:
 * before it nothing has happened, after it everything is true. A failed write leaves the state unknown, so the process must restart.
 */
import type { AppliedChange, IndexCatalog } from '../catalog/index-catalog.ts';
import { segmentsAfterMerge } from '../catalog/manifest.ts';
import type { RetiredFiles } from '../catalog/retired-files.ts';
import { type CompletedMerge, hasSameColumns, mergedOutput } from '../indexing/fold-merge.ts';
import type { IndexerEvents } from '../ipc/indexer-protocol.ts';
import type { ServerLog } from '../ipc/indexer-server.ts';
import { encodeManifest, fileNamesOf, type IndexManifest, type SegmentEntry } from '../model/index-manifest.ts';
import type { BatchRecord } from '../model/task.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import type { KeyValueStore } from '../storage/key-value-store.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import type { BatchLimits } from './autobatcher.ts';
import { BATCH_STEPS, type BatchFacts, toBatchRecord } from './batch-record.ts';
import { type Clock, formatDate } from './clock.ts';
import type { IndexWriterPort, IndexWriters } from './index-writers.ts';
import type { PreparedBatch } from './prepared-batch.ts';
import { processBatch } from './process-batch.ts';
import { type SelectedBatch, selectBatch } from './select-batch.ts';
import { rangesInclude, type TaskWork } from './task-content.ts';
import type { TaskStore } from './task-store.ts';

export type Publish = <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;

export interface TaskLog extends ServerLog {
  debug(message: string): void;
}

export interface SchedulerOptions {
  readonly store: KeyValueStore;
  readonly tasks: TaskStore;
  readonly catalog: IndexCatalog;
  readonly writers: IndexWriters;
  readonly files: IndexFiles;
  readonly retired: RetiredFiles;
  readonly payloads: Pick<PayloadStore, 'pathOf' | 'sizeOf' | 'remove'>;
  readonly limits: BatchLimits;
  readonly mergeTiming: MergeTiming;
  readonly clock: Clock;
  /** Reaches every front, before any reply that is sent later. */
  readonly publish: Publish;
  readonly log: TaskLog;
  /** The process must end: what is on disk is no longer known. */
  readonly onFatal: (error: unknown) => void;
}

/** Merges compete with batches, so they wait for a quiet moment unless an index has many segments. */
export interface MergeTiming {
  /** Without a batch for so long is quiet. */
  readonly quietMs: number;
  /** Without a batch for so long is settled: then merges begin that only make searches faster; not sooner, since what was just written is searched most. */
  readonly settledMs: number;
  /** With so many segments a merge begins at once. */
  readonly urgentSegmentCount: number;
}

interface RunningBatch {
  readonly batch: SelectedBatch;
  readonly facts: BatchFacts;
  /** A cancelation wants tasks of this batch: it must not be committed. */
  isAborted: boolean;
}

interface FinishedMerge {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  readonly completed: CompletedMerge;
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  #loop: Promise<void> | null = null;
  #isAwake = false;
  /** Before `start` and after `stop` nothing is processed. */
  #isStopped = true;
  #running: RunningBatch | null = null;
  #merge: Promise<void> | null = null;
  #finishedMerge: FinishedMerge | null = null;
  /** Indexes that may have something to merge. */
  readonly #mergeable = new Set<number>();
  /** Microseconds. */
  #lastBatchAt = Number.NEGATIVE_INFINITY;
  #restTimer: NodeJS.Timeout | null = null;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    for (const { id, segments } of this.#options.catalog.all()) if (segments.length > 0) this.#mergeable.add(id);
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

  /** Finishes the batch under way and takes no more. A merge under way is given up: its file is removed at the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#restTimer !== null) clearTimeout(this.#restTimer);
    await this.#loop;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#isStopped) {
        this.#isAwake = false;
        await this.#commitMerge();
        const batch = await this.#select();
        if (batch !== null) {
          await this.#processBatch(batch);
          this.#isAwake = true;
        }
        this.#startMerge();
      }
    } catch (error) {
      this.#isStopped = true;
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
    this.#announce(applied, prepared.written?.writer ?? null);
    change.apply();
    this.#cleanUp(
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

  /** Brings writers and fronts to the new states. `author` prepared the change, so it knows its segments. */
  #announce(applied: AppliedChange, author: IndexWriterPort | null): void {
    const { writers, publish } = this.#options;
    for (const manifest of applied.published) {
      if (author !== null && writers.isCurrent(manifest.id, author)) {
        author.committed(manifest);
        this.#mergeable.add(manifest.id);
      } else {
        writers.drop(manifest.id);
      }
      publish('indexPublished', { manifest: new TextDecoder().decode(encodeManifest(manifest)) });
    }
    for (const indexId of applied.deletedIndexIds) writers.drop(indexId);
    for (const removed of applied.removed) publish('indexRemoved', removed);
  }

  /** What nobody needs after the commit; what a crash leaves is removed at a later start. */
  #cleanUp(applied: AppliedChange, works: readonly (TaskWork | null)[], nowMicros: number): void {
    const { payloads, retired, log } = this.#options;
    retired.retire(applied, nowMicros / 1000);
    for (const work of works) {
      if (work === null || !('content' in work) || work.content?.kind !== 'file') continue;
      try {
        payloads.remove(work.content.name);
      } catch (error) {
        log.warn(`a payload file could not be removed: ${String(error)}`);
      }
    }
  }

  #discard({ written }: PreparedBatch): void {
    if (written === undefined) return;
    this.#options.writers.drop(written.indexId);
    for (const name of written.fileNames) this.#options.files.removeFile(written.indexId, name);
  }

  /** Begins at most one merge, of the index that changed first. */
  #startMerge(): void {
    const { catalog, writers, mergeTiming } = this.#options;
    if (this.#merge !== null || this.#finishedMerge !== null || this.#isStopped) return;
    const restMs = this.#restMs();
    const isQuiet = restMs >= mergeTiming.quietMs;
    const activity = restMs >= mergeTiming.settledMs ? 'settled' : 'writing';
    for (const indexId of this.#mergeable) {
      const manifest = catalog.byId(indexId);
      if (manifest !== null && !isQuiet && manifest.segments.length < mergeTiming.urgentSegmentCount) continue;
      const inputs = manifest === null ? null : writers.get(manifest).planMerge(manifest, activity);
      if (manifest === null || inputs === null || inputs.length === 0) {
        if (manifest === null || activity === 'settled') this.#mergeable.delete(indexId);
        continue;
      }
      this.#mergeable.delete(indexId);
      this.#merge = this.#runMerge(manifest, inputs);
      return;
    }
    if (this.#mergeable.size > 0) this.#wakeAfter((isQuiet ? mergeTiming.settledMs : mergeTiming.quietMs) - restMs);
  }

  /** Milliseconds since the last batch; 0 while tasks wait. */
  #restMs(): number {
    const { tasks, clock } = this.#options;
    return tasks.pending.size > 0 ? 0 : Math.max(0, (clock() - this.#lastBatchAt) / 1000);
  }

  #wakeAfter(ms: number): void {
    if (this.#restTimer !== null) clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.wake(), ms + 1).unref();
  }

  async #runMerge(manifest: IndexManifest, inputs: string[]): Promise<void> {
    const { writers, log } = this.#options;
    const { writer, release } = writers.acquire(manifest);
    try {
      const completed = await writer.merge(inputs);
      this.#finishedMerge = { indexId: manifest.id, writer, completed };
    } catch (error) {
      if (!this.#isStopped)
        log.error({ err: error }, `merging ${inputs.length} segments of index ${manifest.uid} failed`);
    } finally {
      release();
      this.#merge = null;
      this.wake();
    }
  }

  /** The commit point of a merge: kept only if all its inputs still exist, with the deaths that came meanwhile. */
  async #commitMerge(): Promise<void> {
    const merge = this.#finishedMerge;
    if (merge === null) return;
    this.#finishedMerge = null;
    const { store, catalog, files, writers, clock, log } = this.#options;
    const { indexId, writer, completed } = merge;
    const manifest = catalog.byId(indexId);
    const segments = manifest === null ? null : mergedSegments(manifest, completed);
    const { output } = completed;
    const removeOutput = () => {
      for (const name of output === null ? [] : fileNamesOf([output])) files.removeFile(indexId, name);
    };
    if (manifest === null || segments === null) {
      removeOutput();
      return;
    }
    const change = catalog.begin();
    const author = writers.isCurrent(indexId, writer) ? writer : null;
    change.update(manifest.uid, { segments });
    await store.write(change.operations());
    const applied = change.apply();
    this.#announce(applied, author);
    this.#mergeable.add(indexId);
    if (!segments.some(({ id }) => id === output?.id)) removeOutput();
    this.#cleanUp(applied, [], clock());
    log.debug(`merged ${completed.inputs.length} segments of index ${manifest.uid}`);
  }
}

/** Segments of the index after the merge, or null when it came too late. */
function mergedSegments(manifest: IndexManifest, completed: CompletedMerge): SegmentEntry[] | null {
  const { inputs, inputEntries } = completed;
  if (inputEntries.length !== inputs.length || !hasSameColumns(completed, manifest.segments)) return null;
  return segmentsAfterMerge(manifest, inputs, mergedOutput(completed, manifest.segments));
}
