/**
 * Composition of the indexer: everything under a data folder, opened and made consistent (a batch
 * or merge that was cut off leaves files nobody names; they go).
 */
import { randomUUID } from 'node:crypto';
import { FeatureSwitches } from '../catalog/feature-switches.ts';
import { IndexCatalog } from '../catalog/index-catalog.ts';
import { keepInstanceUid } from '../catalog/instance-uid.ts';
import { KeyStore } from '../catalog/key-store.ts';
import { NetworkStore } from '../catalog/network-store.ts';
import { RetiredFiles } from '../catalog/retired-files.ts';
import { removeUnnamedFiles, UnnamedFilesWatch } from '../catalog/unnamed-files.ts';
import { type Clock, formatDate, systemClock } from '../core/clock.ts';
import type { IndexLocation } from '../core/index-location.ts';
import type { ProcessEnd } from '../core/process-end.ts';
import { createTimeOrderedUids } from '../core/time-ordered-uid.ts';
import { Exporter } from '../export/exporter.ts';
import type { Features } from '../model/features.ts';
import type { SegmentFile } from '../model/index-manifest.ts';
import type { Logger } from '../observability/logger.ts';
import type { SendRequest } from '../outgoing/outgoing-http.ts';
import { type DataFolder, openDataFolder } from '../storage/data-folder/data-folder.ts';
import { showInstanceUid } from '../storage/data-folder/instance-uid-file.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { RocksDbStore } from '../storage/database/rocksdb-store.ts';
import { FsIndexFiles, type IndexFiles } from '../storage/files/index-files.ts';
import { SoundFiles } from '../storage/files/sound-files.ts';
import { PayloadStore } from '../storage/payload-store.ts';
import { Webhooks, type WebhooksOptions } from '../webhooks/webhooks.ts';
import { type BackupPlaces, StateBackups } from './backups/backups.ts';
import type { RunDumpTask } from './backups/write-dump.ts';
import { FileChecks } from './file-checks.ts';
import { Housekeeping } from './housekeeping.ts';
import { InstanceSizes } from './instance-sizes.ts';
import { OTHER_UIDS, toNewTask } from './kinds/task-kinds.ts';
import { IndexWriters, type OpenIndexWriter } from './processing/index-writers.ts';
import type { Publish } from './publishing/after-commit.ts';
import { BatchFigures } from './publishing/batch-figures.ts';
import { WatchedChanges } from './publishing/watched.ts';
import { Scheduler } from './scheduler.ts';
import { DEFAULT_SERVICE_LIMITS, type ServiceLimits } from './service-limits.ts';
import { BatchAttempts } from './store/batch-attempts.ts';
import { OldTasks } from './store/old-tasks.ts';
import { removeOrphanPayloads } from './store/orphan-payloads.ts';
import { TaskAdmission } from './store/task-admission.ts';
import { TaskStore } from './store/task-store.ts';

export interface IndexerServiceOptions {
  readonly dataDir: string;
  readonly openWriter: OpenIndexWriter;
  /** Resolves with what is wrong with a file of an index, null when nothing is. */
  readonly checkFile: (location: IndexLocation, file: SegmentFile) => Promise<string | null>;
  /** Runs what backups need in an indexing thread. */
  readonly runDumpTask: RunDumpTask;
  readonly backupPlaces: BackupPlaces;
  /** null = no snapshot comes by itself. */
  readonly snapshotIntervalMs?: number | null;
  /** Sends an event to all connected fronts, before any reply that is sent later. */
  readonly publish: Publish;
  /** Resolves when every connected front has acted on the events published so far. */
  readonly settled: () => Promise<void>;
  /**
   * No connected front reads a generation of the index below this one; infinity when none is
   * connected.
   */
  readonly minimumAcknowledged: (indexId: number) => number;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** The process must end and start again. */
  readonly onFatal: (error: unknown) => void;
  /** How the process before this one ended, where that is known. */
  readonly predecessorEnd?: ProcessEnd;
  /** Sends requests to other servers. */
  readonly send: SendRequest;
  readonly webhooks: Pick<WebhooksOptions, 'launch' | 'timing'>;
  /** Experimental features that are on from the start. */
  readonly features?: readonly (keyof Features)[];
  readonly limits?: Partial<ServiceLimits>;
  readonly clock?: Clock;
  /** Takes the place of the database in the data folder. */
  readonly store?: KeyValueStore;
}

export interface IndexerParts {
  readonly folder: DataFolder;
  readonly sizes: InstanceSizes;
  readonly instanceUid: string;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  readonly catalog: IndexCatalog;
  readonly features: FeatureSwitches;
  readonly network: NetworkStore;
  readonly keys: KeyStore;
  readonly tasks: TaskStore;
  readonly payloads: PayloadStore;
  readonly writers: IndexWriters;
  readonly admission: TaskAdmission;
  readonly oldTasks: OldTasks;
  readonly scheduler: Scheduler;
  readonly watched: WatchedChanges;
  readonly batchFigures: BatchFigures;
  readonly housekeeping: Housekeeping;
  readonly fileChecks: FileChecks;
  readonly webhooks: Webhooks;
  readonly backups: StateBackups;
}

/** Throws a readable error when the folder is in use, of a newer format or not a data folder. */
export async function openParts(options: IndexerServiceOptions): Promise<IndexerParts> {
  const folder = await openDataFolder(options.dataDir);
  const store = options.store ?? (await RocksDbStore.open(folder.rocksdb));
  try {
    return await compose(options, folder, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What a crash has left in the folder. */
async function removeLeftovers(
  parts: Pick<IndexerParts, 'catalog' | 'tasks' | 'payloads'> &
    Pick<IndexerServiceOptions, 'log'> & {
      readonly files: IndexFiles;
      readonly limits: Pick<ServiceLimits, 'orphanPayloadMs'>;
    },
  nowMs: number,
): Promise<void> {
  const { files, catalog, tasks, payloads, limits, log } = parts;
  const removedFiles = removeUnnamedFiles(files, catalog.all());
  if (removedFiles > 0)
    log.info(`removed ${removedFiles} files and folders of indexes that no index names`);
  const orphans = await removeOrphanPayloads(tasks, payloads, limits.orphanPayloadMs, nowMs);
  if (orphans > 0) log.info(`removed ${orphans} payload files that no task names`);
}

const mergeOptions = ({ mergeTiming, mergeRetry }: ServiceLimits, files: IndexFiles) => ({
  mergeTiming,
  mergeRetry,
  freeBytes: () => files.freeBytes(),
});

const createExporter = (
  { send, runDumpTask }: Pick<IndexerServiceOptions, 'send' | 'runDumpTask'>,
  catalog: IndexCatalog,
  files: IndexFiles,
  retired: RetiredFiles,
): Exporter =>
  new Exporter({
    send,
    hold: () => {
      const indexes = [...catalog.all()];
      return { indexes, release: retired.pin(indexes) };
    },
    readOut: ({ id, segments, settings }, part) =>
      runDumpTask('readOut', { location: files.locate(id), segments, settings, ...part }),
  });

/** @returns names of versions of the network */
const versionsBy = (clock: Clock): (() => string) =>
  createTimeOrderedUids(() => Math.floor(clock() / 1000));

async function compose(
  options: IndexerServiceOptions,
  folder: DataFolder,
  store: KeyValueStore,
): Promise<IndexerParts> {
  const { openWriter, publish, minimumAcknowledged, log, onFatal, send } = options;
  const { clock = systemClock(), predecessorEnd: lastEnd = 'outside' } = options;
  const limits = { ...DEFAULT_SERVICE_LIMITS, ...options.limits };
  const { batchTasksMax, batchBytesMax } = limits;

  const catalog = await IndexCatalog.load(store);
  const features = await FeatureSwitches.load(store, options.features ?? []);
  const network = await NetworkStore.load(store, versionsBy(clock));
  const now = () => formatDate(clock());
  const instanceUid = await keepInstanceUid(store, randomUUID);
  showInstanceUid(folder.root, instanceUid);
  const keys = await KeyStore.open(store, { now, createUid: randomUUID });
  const tasks = await TaskStore.open(store, OTHER_UIDS);
  const attempts = await BatchAttempts.open(store, 'attempt', lastEnd);
  const attemptsBeside = await BatchAttempts.open(store, 'attemptBeside', lastEnd);
  const ports = { send, store, clock, log, onFatal };
  const webhooks = await Webhooks.open({ ...options.webhooks, ...ports });
  const payloads = new PayloadStore(folder.spool);
  const files = new FsIndexFiles(folder.indexes);
  await removeLeftovers({ files, catalog, tasks, payloads, limits, log }, clock() / 1000);

  const fileChecks: FileChecks = new FileChecks({
    ...{ catalog, publish, log, notes: new SoundFiles(folder) },
    checkFile: (indexId, file) => options.checkFile(files.locate(indexId), file),
    onSound: (indexId) => scheduler.considerMerges(indexId),
    later: (run, ms) => setTimeout(run, ms).unref(),
  });
  const damageOf = (indexId: number) => fileChecks.damageOf(indexId);
  const writers = new IndexWriters(openWriter, files, damageOf, limits.openWritersMax);
  const retired = new RetiredFiles(files, limits.retiredGraceMs);
  const admission = new TaskAdmission(limits);
  const unnamed = new UnnamedFilesWatch({
    files,
    manifestOf: (indexId) => catalog.byId(indexId),
    isNeeded: (indexId, name) => retired.has(indexId, name) || writers.needs(indexId, name),
  });
  const housekeeping = new Housekeeping({
    ...{ retired, unnamed, admission, minimumAcknowledged, clock, log },
    storeFolder: folder.rocksdb,
    deleteOldTasks: (nowMicros) => oldTasks.deleteIfOld(nowMicros),
  });
  const exporter = createExporter(options, catalog, files, retired);
  const watched = new WatchedChanges();
  const batchFigures = new BatchFigures();
  const backups = new StateBackups({
    ...{ store, catalog, retired, payloads, instanceUid, damageOf, clock },
    ...{ keys: () => keys.all(), features: () => features.current, network: () => network.current },
    webhooks: () => webhooks.list(),
    locate: (indexId) => files.locate(indexId),
    ...{ run: options.runDumpTask, places: options.backupPlaces },
  });
  const scheduler: Scheduler = new Scheduler({
    isSound: (indexId) => fileChecks.isSound(indexId),
    onCommitted: (indexId) => fileChecks.consider(indexId),
    ...{ store, tasks, catalog, payloads, writers, retired, clock, ...mergeOptions(limits, files) },
    ...{ limits: { tasks: batchTasksMax, bytes: batchBytesMax }, roomLimits: limits },
    ...{ watched, batchFigures, attempts, attemptsBeside, backups, webhooks, exporter },
    publish: (name, data) => {
      publish(name, data);
      housekeeping.sweepSoon();
    },
    log,
    onFatal,
  });
  const oldTasks: OldTasks = new OldTasks({
    tasks,
    limits,
    log,
    enqueueDeletion: async (uids, originalFilter) => {
      const draft = { type: 'taskDeletion', query: {}, originalFilter } as const;
      const { uid } = await tasks.enqueue(toNewTask(draft, uids), clock());
      scheduler.wake();
      return uid;
    },
  });
  return {
    ...{ folder, store, clock, catalog, features, network, keys, tasks, payloads, writers },
    ...{ admission, oldTasks, scheduler, housekeeping, watched, batchFigures, fileChecks },
    ...{ webhooks, backups, instanceUid },
    sizes: new InstanceSizes(folder, catalog, retired),
  };
}
