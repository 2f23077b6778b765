/**
 * Start here: everything under a data folder, opened by the one indexer process, behind the requests of the indexer protocol.
 * `open` makes the folder consistent (a batch or merge that was cut off leaves files nobody names; they go), `start` begins to
 * process tasks, `drain` ends it in order.
 */

import { randomUUID } from 'node:crypto';
import { FeatureSwitches } from '../catalog/feature-switches.ts';
import { IndexCatalog } from '../catalog/index-catalog.ts';
import { KeyStore } from '../catalog/key-store.ts';
import { segmentBytes } from '../catalog/manifest.ts';
import { RetiredFiles, removeUnreferencedFiles } from '../catalog/retired-files.ts';
import { ApiError } from '../core/errors.ts';
import type { IndexerHandlers } from '../ipc/indexer-server.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { Features, FeaturesUpdate } from '../model/features.ts';
import { encodeManifest } from '../model/index-manifest.ts';
import type { SummarizedTask, TaskDraft } from '../model/task.ts';
import { type DataFolder, folderBytes, openDataFolder } from '../storage/data-folder.ts';
import { FsIndexFiles, type IndexFiles } from '../storage/index-files.ts';
import type { KeyValueStore } from '../storage/key-value-store.ts';
import { PayloadStore } from '../storage/payload-store.ts';
import { RocksDbStore } from '../storage/rocksdb-store.ts';
import type { Publish } from './after-commit.ts';
import type { MergeLog, MergeTiming } from './background-merges.ts';
import { type Clock, formatDate, systemClock } from './clock.ts';
import { IndexWriters, type OpenIndexWriter } from './index-writers.ts';
import { type OldTaskLimits, OldTasks } from './old-tasks.ts';
import { Scheduler } from './scheduler.ts';
import { type AdmissionLimits, TaskAdmission } from './task-admission.ts';
import { toNewTask } from './task-content.ts';
import { TaskStore } from './task-store.ts';

export interface ServiceLimits extends AdmissionLimits, OldTaskLimits {
  /** Tasks in one batch. */
  readonly batchTasksMax: number;
  /** Payload bytes in one batch; a single larger task still runs alone. */
  readonly batchBytesMax: number;
  readonly openWritersMax: number;
  /** Longer than any request to a front may take. */
  readonly retiredGraceMs: number;
  /** Longer than a request body may take to arrive. */
  readonly orphanPayloadMs: number;
  readonly mergeTiming: MergeTiming;
}

export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  batchTasksMax: Number.MAX_SAFE_INTEGER,
  batchBytesMax: 1024 ** 3,
  storedTasksMax: 1_000_000,
  autoDeletionCount: 100_000,
  waitingEnqueuesMax: 10_000,
  waitingBytesMax: 256 * 1024 ** 2,
  taskStoreBytesMax: 0.4 * 20 * 1024 ** 3,
  openWritersMax: 256,
  retiredGraceMs: 120_000,
  orphanPayloadMs: 3_600_000,
  mergeTiming: { quietMs: 250, settledMs: 10_000, urgentSegmentCount: 10 },
};

export interface IndexerServiceOptions {
  readonly dataDir: string;
  readonly openWriter: OpenIndexWriter;
  /** Sends an event to all connected fronts, before any reply that is sent later. */
  readonly publish: Publish;
  /** Resolves when every connected front has acted on the events published so far. */
  readonly settled: () => Promise<void>;
  /** No connected front reads a generation of the index below this one; infinity when none is connected. */
  readonly minimumAcknowledged: (indexId: number) => number;
  readonly log: MergeLog;
  /** The process must end and start again. */
  readonly onFatal: (error: unknown) => void;
  /** Experimental features that are on from the start. */
  readonly features?: readonly (keyof Features)[];
  readonly limits?: Partial<ServiceLimits>;
  readonly clock?: Clock;
  /** Takes the place of the database in the data folder. */
  readonly store?: KeyValueStore;
}

/** Between two looks at what may be removed and at the size of the database. */
const HOUSEKEEPING_MS = 5000;
/** Time for an answer to reach the socket. */
const ANSWER_MS = 50;

interface Parts {
  readonly folder: DataFolder;
  readonly files: IndexFiles;
  readonly store: KeyValueStore;
  readonly tasks: TaskStore;
  readonly catalog: IndexCatalog;
  readonly features: FeatureSwitches;
  readonly keys: KeyStore;
  readonly payloads: PayloadStore;
}

export class IndexerService {
  readonly #options: IndexerServiceOptions;
  readonly #limits: ServiceLimits;
  readonly #clock: Clock;
  readonly #parts: Parts;
  readonly #writers: IndexWriters;
  readonly #retired: RetiredFiles;
  readonly #admission: TaskAdmission;
  readonly #oldTasks: OldTasks;
  readonly #scheduler: Scheduler;
  #housekeeping: NodeJS.Timeout | null = null;
  #isDraining = false;

  /** Tasks that wait or run. */
  get unfinishedCount(): number {
    return this.#parts.tasks.pending.size;
  }

  /** Tasks there ever were, deleted ones included. */
  get taskCount(): number {
    return this.#parts.tasks.nextTaskUid;
  }

  readonly handlers: IndexerHandlers = {
    enqueue: (draft) => this.#enqueue(draft),
    listTasks: (query) => this.#parts.tasks.page(query),
    getTask: ({ uid }) => this.#parts.tasks.record(uid),
    listBatches: (query) => this.#parts.tasks.batchPage(query, this.#scheduler.current),
    getBatch: ({ uid }) => this.#parts.tasks.batch(uid, this.#scheduler.current),
    instanceStats: () => this.#instanceStats(),
    updateFeatures: (change) => this.#updateFeatures(change),
    createKey: (draft) => this.#publishKey(this.#parts.keys.create(draft)),
    updateKey: (change) => this.#publishKey(this.#parts.keys.update(change)),
    deleteKey: ({ uid }) => this.#deleteKey(uid),
  };

  private constructor(options: IndexerServiceOptions, parts: Parts) {
    const { openWriter, publish, log, onFatal, clock = systemClock() } = options;
    this.#options = options;
    this.#limits = { ...DEFAULT_SERVICE_LIMITS, ...options.limits };
    this.#clock = clock;
    this.#parts = parts;
    this.#writers = new IndexWriters(openWriter, parts.files, this.#limits.openWritersMax);
    this.#retired = new RetiredFiles(parts.files, this.#limits.retiredGraceMs);
    this.#admission = new TaskAdmission(this.#limits);
    const wake = (): void => this.#scheduler.wake();
    this.#oldTasks = new OldTasks({ tasks: parts.tasks, limits: this.#limits, clock, wake, log });
    const { batchTasksMax, batchBytesMax, mergeTiming } = this.#limits;
    this.#scheduler = new Scheduler({
      ...parts,
      writers: this.#writers,
      retired: this.#retired,
      limits: { tasks: batchTasksMax, bytes: batchBytesMax },
      mergeTiming,
      clock,
      publish: (name, data) => {
        publish(name, data);
        this.#sweepSoon();
      },
      log,
      onFatal,
    });
  }

  /** Throws a readable error when the folder is in use, of a newer format or not a data folder. */
  static async open(options: IndexerServiceOptions): Promise<IndexerService> {
    const folder = await openDataFolder(options.dataDir);
    const store = options.store ?? (await RocksDbStore.open(folder.rocksdb));
    try {
      const clock = options.clock ?? systemClock();
      const catalog = await IndexCatalog.load(store);
      const features = await FeatureSwitches.load(store, options.features ?? []);
      const keys = await KeyStore.open(store, { now: () => formatDate(clock()), createUid: randomUUID });
      const tasks = await TaskStore.open(store);
      const files = new FsIndexFiles(folder.indexes);
      const payloads = new PayloadStore(folder.spool);
      const removed = removeUnreferencedFiles(files, catalog.all());
      if (removed > 0) options.log.info(`removed ${removed} files and folders of indexes that no index names`);
      const parts = { folder, files, store, tasks, catalog, features, keys, payloads };
      const service = new IndexerService({ ...options, clock }, parts);
      await service.#removeOrphanPayloads();
      return service;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Begins to process tasks. */
  start(): void {
    this.#housekeeping ??= setInterval(() => void this.#keepHouse(), HOUSEKEEPING_MS).unref();
    void this.#keepHouse();
    this.#scheduler.start();
  }

  /** `encodeManifest` text of every index, for a front that connects. */
  manifests(): string[] {
    const decoder = new TextDecoder();
    return [...this.#parts.catalog.all()].map((manifest) => decoder.decode(encodeManifest(manifest)));
  }

  /** The experimental features that are on. */
  features(): Features {
    return this.#parts.features.current;
  }

  /** Every API key, for a front that connects. */
  keys(): Iterable<ApiKey> {
    return this.#parts.keys.all();
  }

  /** A front switched to a newer generation, or left. */
  onAcknowledged(_indexId: number): void {
    this.#sweepSoon();
  }

  /** Takes no more tasks, finishes the batch under way, closes everything. Tasks not yet processed stay enqueued. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#housekeeping !== null) clearInterval(this.#housekeeping);
    await this.#scheduler.stop();
    await this.#writers.closeAll();
    this.#sweep();
    await this.#parts.store.close();
  }

  async #enqueue(draft: TaskDraft): Promise<SummarizedTask> {
    this.#check(draft);
    const { tasks } = this.#parts;
    const matched = isAboutTasks(draft) ? tasks.select(draft.query) : [];
    const task = toNewTask(draft, matched);
    const row = await this.#admission.during(task.beside?.length ?? 0, () =>
      this.#orRestart(tasks.enqueue(task, this.#clock())),
    );
    const { work } = task.stored;
    if (work?.type === 'taskCancelation') this.#scheduler.abort(work.matched);
    this.#scheduler.wake();
    this.#oldTasks.deleteIfMany();
    const { uid: taskUid, indexUid, type, enqueuedAt } = row;
    const metadata = draft.customMetadata === undefined ? {} : { customMetadata: draft.customMetadata };
    return { taskUid, indexUid, status: 'enqueued', type, enqueuedAt: formatDate(enqueuedAt), ...metadata };
  }

  async #updateFeatures(change: FeaturesUpdate): Promise<Features> {
    const features = await this.#orRestart(this.#parts.features.update(change));
    this.#options.publish('featuresChanged', features);
    return features;
  }

  async #publishKey(stored: Promise<ApiKey>): Promise<ApiKey> {
    const key = await this.#orRestart(stored);
    this.#options.publish('keyPublished', key);
    await this.#options.settled();
    return key;
  }

  async #deleteKey(uid: string): Promise<null> {
    await this.#orRestart(this.#parts.keys.delete(uid));
    this.#options.publish('keyRemoved', { uid });
    await this.#options.settled();
    return null;
  }

  /** A store that failed once takes nothing any more, so the process must start again, after the answer has left. */
  async #orRestart<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (!(error instanceof ApiError)) setTimeout(() => this.#options.onFatal(error), ANSWER_MS);
      throw error;
    }
  }

  #check(draft: TaskDraft): void {
    if (this.#isDraining) throw new Error('the indexer is shutting down');
    this.#admission.check(isAboutTasks(draft));
    if (draft.type === 'documentAdditionOrUpdate' && draft.payload.kind === 'file') {
      const found = this.#parts.payloads.sizeOf(draft.payload.name);
      if (found !== draft.payload.bytes)
        throw new Error(`payload file ${draft.payload.name} has ${found ?? 'no'} bytes`);
    }
  }

  async #instanceStats() {
    const { folder, catalog } = this.#parts;
    const [databaseSize, rocksdbBytes] = await Promise.all([folderBytes(folder.root), folderBytes(folder.rocksdb)]);
    let usedDatabaseSize = rocksdbBytes;
    for (const manifest of catalog.all()) usedDatabaseSize += segmentBytes(manifest);
    return { databaseSize, usedDatabaseSize, indexing: this.#scheduler.indexing };
  }

  /** After the commit that is being published has been announced to all. */
  #sweepSoon(): void {
    setImmediate(() => this.#sweep());
  }

  #sweep(): void {
    if (this.#retired.count === 0) return;
    this.#retired.sweep(this.#clock() / 1000, this.#options.minimumAcknowledged);
  }

  async #keepHouse(): Promise<void> {
    try {
      this.#sweep();
      this.#admission.taskStoreBytes = await folderBytes(this.#parts.folder.rocksdb);
    } catch (error) {
      this.#options.log.error({ err: error }, 'housekeeping failed');
    }
  }

  async #removeOrphanPayloads(): Promise<void> {
    const { tasks, payloads } = this.#parts;
    const additions = [...tasks.pending.values()].filter(({ type }) => type === 'documentAdditionOrUpdate');
    const named = new Set<string>();
    for (const { work } of await tasks.load(additions.map(({ uid }) => uid))) {
      if (work?.type === 'documentAdditionOrUpdate' && work.content.kind === 'file') named.add(work.content.name);
    }
    const orphans = payloads.removeOrphans(named, this.#limits.orphanPayloadMs, this.#clock() / 1000);
    if (orphans.length > 0) this.#options.log.info(`removed ${orphans.length} payload files that no task names`);
  }
}

const isAboutTasks = (draft: TaskDraft): draft is Extract<TaskDraft, { type: 'taskCancelation' | 'taskDeletion' }> =>
  draft.type === 'taskCancelation' || draft.type === 'taskDeletion';
