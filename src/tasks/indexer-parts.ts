/**
 * Composition of the indexer: opens a data folder and makes it consistent. Files that an
 * interrupted batch or merge left are deleted.
 */
import { randomUUID } from 'node:crypto';
import { AliasStore } from '../catalog/alias-store.ts';
import { ChatStore } from '../catalog/chat-store.ts';
import { FeatureSwitches } from '../catalog/feature-switches.ts';
import { IndexCatalog, type KnownIndexes } from '../catalog/index-catalog.ts';
import { keepInstanceUid } from '../catalog/instance-uid.ts';
import { KeyStore } from '../catalog/key-store.ts';
import { ObsoleteFiles } from '../catalog/obsolete-files.ts';
import { removeOrphanFiles } from '../catalog/orphan-files.ts';
import { SearchRuleStore } from '../catalog/search-rule-store.ts';
import { loadNetwork, type StoredValue } from '../catalog/stored-value.ts';
import { type Clock, formatDate, systemClock } from '../core/clock.ts';
import type { ProcessEnd } from '../core/process-end.ts';
import type { StoredPayload } from '../core/stored-payload.ts';
import {
  type BackupOptions,
  type BackupPlaces,
  StateBackups,
} from '../dumps/write/backup-service.ts';
import type { ReadStored } from '../dumps/write/held-state.ts';
import { Exporter } from '../export/exporter.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { Features } from '../model/features.ts';
import { type SegmentFile, segmentFilesOf } from '../model/index-manifest.ts';
import type { InstanceState } from '../model/instance-state.ts';
import type { Network } from '../model/network.ts';
import type { Logger } from '../observability/logger.ts';
import { type DataFolder, openDataFolder } from '../storage/data-folder/data-folder.ts';
import { showInstanceUid } from '../storage/data-folder/notes.ts';
import { keyRange } from '../storage/database/key-encoding.ts';
import { entriesIn, type KeyValueStore } from '../storage/database/key-value-store.ts';
import { RocksDbStore } from '../storage/database/rocksdb-store.ts';
import { FsIndexFiles, type IndexFiles } from '../storage/files/index-files.ts';
import { VerifiedFiles } from '../storage/files/verified-files.ts';
import {
  payloadObject,
  type StoredFiles,
  segmentObject,
} from '../storage/object-store/stored-files.ts';
import { PayloadStore } from '../storage/payload-store.ts';
import { Webhooks, type WebhooksOptions } from '../webhooks/webhook-service.ts';
import { ColdIndexes, type ColdIndexesOptions, checkedIndex } from './cold-indexes.ts';
import { FileChecks } from './file-checks.ts';
import { Housekeeping } from './housekeeping.ts';
import { InstanceSizes } from './instance-sizes.ts';
import { OTHER_UIDS, toNewTask } from './kinds/task-kinds.ts';
import { IndexWriters, type OpenIndexWriter } from './processing/index-writers.ts';
import type { Publish } from './publishing/after-commit.ts';
import { BatchMetrics } from './publishing/batch-metrics.ts';
import { WatchedChanges } from './publishing/watched.ts';
import { Scheduler } from './scheduler.ts';
import { DEFAULT_SERVICE_LIMITS, type ServiceLimits } from './service-limits.ts';
import { CrashLoopGuard } from './store/crash-loop-guard.ts';
import { OldTasks } from './store/old-tasks.ts';
import { TaskAdmission } from './store/task-admission.ts';
import { type KnownTasks, TaskStore } from './store/task-store.ts';
import type { TaskRow } from './store/task-table.ts';

export interface IndexerServiceOptions {
  readonly dataDir: string;
  readonly openWriter: OpenIndexWriter;
  /** Resolves to the damage of a file of an index; null if the file is sound. */
  readonly checkFile: (location: string, file: SegmentFile) => Promise<string | null>;
  readonly readOut: ReadStored;
  readonly backupPlaces: BackupPlaces;
  /** null = no scheduled snapshots. */
  readonly snapshotIntervalMs?: number | null;
  /** Sends an event to all connected fronts, before any later reply. */
  readonly publish: Publish;
  /** Resolves when every connected front has processed the events published so far. */
  readonly settled: () => Promise<void>;
  /**
   * The oldest generation of the index that a connected front may read; infinity if none is
   * connected.
   */
  readonly minimumAcknowledged: (indexId: number) => number;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** Called when the process must exit and restart. */
  readonly onFatal: (error: unknown) => void;
  readonly predecessorEnd?: ProcessEnd;
  readonly send: SendRequest;
  readonly webhooks: Pick<WebhooksOptions, 'launch' | 'timing'>;
  readonly features?: readonly (keyof Features)[];
  readonly limits?: Partial<ServiceLimits>;
  readonly clock?: Clock;
  readonly store?: KeyValueStore;
  /** null or absent: everything is read. */
  readonly known?: KnownState | null;
  readonly stored?: StoredFiles;
  /** Bytes of indexes on the disk, if there is an object store; null or absent: all are there. */
  readonly cacheBytes?: number | null;
  /** Indexes that fronts have read since the last call. */
  readonly takeReadIndexes?: () => Promise<readonly number[]>;
  readonly onTasksEnded?: (rows: readonly TaskRow[]) => void;
  /** Resolves when the object store has accepted a write: no other process wrote before. */
  readonly confirmWriter?: () => Promise<void>;
}

/** State that this process has read before it opened the database for writing. */
export interface KnownState {
  readonly tasks: KnownTasks;
  readonly indexes: KnownIndexes;
}

/** The opened stores of the data folder, and the options with their defaults. */
interface KeptParts {
  readonly folder: DataFolder;
  readonly store: KeyValueStore;
  readonly instanceUid: string;
  readonly catalog: IndexCatalog;
  readonly features: FeatureSwitches;
  readonly network: StoredValue<Network>;
  readonly aliases: AliasStore;
  readonly chats: ChatStore;
  readonly keys: KeyStore;
  /** Of `features`, `network`, `aliases` and `chats`. */
  readonly instanceState: () => InstanceState;
  readonly searchRules: SearchRuleStore;
  readonly tasks: TaskStore;
  readonly payloads: PayloadStore;
  readonly stored: StoredFiles | null;
  readonly webhooks: Webhooks;
  readonly guard: CrashLoopGuard;
  readonly clock: Clock;
  readonly limits: ServiceLimits;
}

/** The parts that read, write and keep the files of indexes. */
interface FileParts {
  /** null = all indexes are on the disk. */
  readonly cold: ColdIndexes | null;
  readonly fileChecks: FileChecks;
  readonly writers: IndexWriters;
}

export interface IndexerParts extends KeptParts, FileParts {
  readonly sizes: InstanceSizes;
  readonly admission: TaskAdmission;
  readonly oldTasks: OldTasks;
  readonly scheduler: Scheduler;
  readonly watched: WatchedChanges;
  readonly batchMetrics: BatchMetrics;
  readonly housekeeping: Housekeeping;
  readonly backups: StateBackups;
}

/** @throws a readable error if the folder is in use, of a newer format or not a data folder */
export async function openParts(options: IndexerServiceOptions): Promise<IndexerParts> {
  const folder = await openDataFolder(options.dataDir);
  const store = options.store ?? (await RocksDbStore.open(folder.rocksdb));
  try {
    return await compose(options, await openKept(options, folder, store));
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openKept(
  options: IndexerServiceOptions,
  folder: DataFolder,
  store: KeyValueStore,
): Promise<KeptParts> {
  const { log, onFatal, send, stored = null, known = null, clock = systemClock() } = options;
  const now = () => formatDate(clock());
  // A read of SlateDB walks through its tables one by one; a scan loads them at the same time.
  await entriesIn(store, keyRange('meta'));
  // Together: an object store takes as long for one read as for all.
  const [
    instanceUid,
    aliases,
    catalog,
    features,
    network,
    chats,
    keys,
    searchRules,
    tasks,
    webhooks,
    guard,
  ] = await Promise.all([
    keepInstanceUid(store, randomUUID),
    AliasStore.load(store),
    known === null ? IndexCatalog.load(store) : IndexCatalog.loadKnown(store, known.indexes),
    FeatureSwitches.load(store, options.features ?? []),
    loadNetwork(store),
    ChatStore.load(store),
    KeyStore.open(store, { now, createUid: randomUUID }),
    SearchRuleStore.load(store),
    known === null
      ? TaskStore.open(store, OTHER_UIDS)
      : TaskStore.openKnown(store, known.tasks, OTHER_UIDS),
    Webhooks.open({ ...options.webhooks, send, store, clock, log, onFatal }),
    CrashLoopGuard.open(store, options.predecessorEnd ?? 'outside'),
  ]);
  showInstanceUid(folder.root, instanceUid);
  catalog.reserve((name) => aliases.has(name));
  const payloads = new PayloadStore(folder.spool, stored);
  const found = { aliases, catalog, features, network, chats, keys, searchRules, tasks, webhooks };
  const instanceState = (): InstanceState => ({
    features: features.current,
    network: network.current,
    aliases: aliases.all,
    chats: chats.all(),
  });
  const limits = { ...DEFAULT_SERVICE_LIMITS, ...options.limits };
  const opened = { folder, store, instanceUid, payloads, stored, guard, clock, limits };
  return { ...found, ...opened, instanceState };
}

async function pendingPayloads(tasks: TaskStore): Promise<StoredPayload[]> {
  const additions = [...tasks.pending.ofType('documentAdditionOrUpdate')];
  const stored = await tasks.load(additions.map(({ uid }) => uid));
  return stored.flatMap(({ work }) => (work?.content?.kind === 'file' ? [work.content] : []));
}

/** Completes the cache of an object store, and begins to delete what a crash left in the store. */
async function fetchFiles(
  stored: StoredFiles,
  catalog: IndexCatalog,
  payloads: readonly StoredPayload[],
  { log, cacheBytes = null, confirmWriter = async () => undefined }: IndexerServiceOptions,
): Promise<void> {
  const segments = [...catalog.all()].flatMap(segmentFilesOf).map(segmentObject);
  const spooled = payloads.map(payloadObject);
  const fetched = await stored.fetch([...(cacheBytes === null ? segments : []), ...spooled]);
  if (fetched > 0) log.info(`fetched ${fetched} files from the object store`);
  const named = new Set([...segments, ...spooled].map(({ key }) => key));
  // The server does not wait: the list grows with the number of files.
  void stored
    .removeOrphans(named, confirmWriter)
    .then((count) => {
      if (count > 0) log.info(`deleted ${count} objects that no index and no task names`);
    })
    .catch((error: Error) => log.warn(`objects that nothing names remain: ${error.message}`));
}

async function removeLeftovers(
  { catalog, tasks, payloads, stored, clock, limits }: KeptParts,
  files: IndexFiles,
  options: IndexerServiceOptions,
): Promise<void> {
  const { log } = options;
  const [problems, pending] = await Promise.all([
    stored?.snapshots.load() ?? [],
    pendingPayloads(tasks),
  ]);
  for (const problem of problems)
    log.warn(`no object is deleted, because a snapshot may name it: ${problem}`);
  const removedFiles = removeOrphanFiles(files, catalog.all());
  if (removedFiles > 0)
    log.info(`removed ${removedFiles} files and folders of indexes that no index names`);
  const nowMs = clock() / 1000;
  const named = new Set(pending.map(({ name }) => name));
  const orphans = payloads.removeOrphans(named, limits.orphanPayloadMs, nowMs).length;
  if (orphans > 0) log.info(`removed ${orphans} payload files that no task names`);
  if (stored !== null) await fetchFiles(stored, catalog, pending, options);
}

/** How backups and exports find the files of indexes and keep them. */
type HeldFiles = Pick<BackupOptions, 'obsolete' | 'locate' | 'holdFiles'>;

const createExporter = (
  { send, readOut }: IndexerServiceOptions,
  { catalog }: KeptParts,
  { obsolete, locate, holdFiles }: HeldFiles,
): Exporter =>
  new Exporter({
    send,
    hold: () => {
      const indexes = [...catalog.all()];
      return { indexes, release: obsolete.pin(indexes) };
    },
    async readOut(manifest, part) {
      const { id, segments, settings } = manifest;
      const release = await holdFiles(manifest);
      try {
        return await readOut({ location: locate(id), segments, settings, ...part });
      } finally {
        release();
      }
    },
  });

const createBackups = (
  { readOut, backupPlaces, confirmWriter }: IndexerServiceOptions,
  kept: KeptParts,
  fileChecks: FileChecks,
  held: HeldFiles,
): StateBackups =>
  new StateBackups({
    ...kept,
    ...held,
    damageOf: (indexId) => fileChecks.damageOf(indexId),
    keys: () => kept.keys.all(),
    searchRules: () => kept.searchRules.all(),
    webhooks: () => kept.webhooks.list(),
    readOut,
    places: backupPlaces,
    objectStore:
      kept.stored && confirmWriter ? { snapshots: kept.stored.snapshots, confirmWriter } : null,
  });

/** null = all indexes are on the disk. */
function createCold(
  { cacheBytes = null, takeReadIndexes = async () => [], log }: IndexerServiceOptions,
  { stored, catalog, folder, clock, limits }: KeptParts,
  events: Pick<ColdIndexesOptions, 'onFetched' | 'onAbsent'>,
): ColdIndexes | null {
  if (cacheBytes === null || stored === null) return null;
  // Deletes no objects.
  const local = new FsIndexFiles(folder.indexes);
  const cold = new ColdIndexes({
    ...events,
    budgetBytes: cacheBytes,
    stored,
    served: (indexId) => catalog.byId(indexId),
    removeFiles: (indexId) => void local.removeIndex(indexId),
    takeReadIndexes,
    monotonic: () => clock() / 1000,
    leaveMs: limits.indexLeaveMs,
    log,
  });
  cold.begin(catalog.all());
  return cold;
}

function createFileParts(
  options: IndexerServiceOptions,
  kept: KeptParts,
  files: IndexFiles,
  onSound: (indexId: number) => void,
): FileParts {
  const { openWriter, publish, log } = options;
  const { folder, catalog, limits } = kept;
  const cold = createCold(options, kept, {
    onFetched: (indexId) => fileChecks.fetched(indexId),
    onAbsent: (indexId) => {
      writers.drop(indexId);
      fileChecks.left(indexId);
      publish('indexChecked', checkedIndex(indexId, false));
    },
  });
  const fileChecks: FileChecks = new FileChecks({
    catalog,
    isLocal: (indexId) => cold?.isLocal(indexId) ?? true,
    publish,
    log,
    notes: new VerifiedFiles(folder),
    checkFile: (indexId, file) => options.checkFile(files.locate(indexId), file),
    onSound,
    later: (run, ms) => setTimeout(run, ms).unref(),
  });
  const writers: IndexWriters = new IndexWriters({
    open: openWriter,
    files,
    damageOf: (indexId) => fileChecks.damageOf(indexId),
    hold: async (indexId) => cold?.hold(indexId) ?? (() => undefined),
    countMax: limits.openWritersMax,
  });
  return { cold, fileChecks, writers };
}

async function compose(options: IndexerServiceOptions, kept: KeptParts): Promise<IndexerParts> {
  const { publish, log } = options;
  const { folder, catalog, stored, tasks, clock, limits } = kept;
  const files = new FsIndexFiles(folder.indexes, stored);
  await removeLeftovers(kept, files, options);
  const fileParts = createFileParts(options, kept, files, (id) => scheduler.considerMerges(id));
  const { cold, fileChecks } = fileParts;
  const obsolete = new ObsoleteFiles(files, limits.obsoleteGraceMs);
  const held: HeldFiles = {
    obsolete,
    locate: (indexId) => files.locate(indexId),
    holdFiles: async (manifest) => cold?.holdState(manifest) ?? (() => undefined),
  };
  const parts = {
    ...kept,
    ...fileParts,
    admission: new TaskAdmission(limits),
    backups: createBackups(options, kept, fileChecks, held),
    watched: new WatchedChanges(),
    batchMetrics: new BatchMetrics(),
    sizes: new InstanceSizes(folder, () => cold?.localBytes ?? catalog.fileBytes, obsolete),
  };
  const housekeeping = new Housekeeping({
    ...parts,
    obsolete,
    minimumAcknowledged: options.minimumAcknowledged,
    deleteOldTasks: (nowMicros) => oldTasks.deleteIfOld(nowMicros),
    log,
  });
  const scheduler: Scheduler = new Scheduler({
    ...parts,
    obsolete,
    exporter: createExporter(options, kept, held),
    freeBytes: () => files.freeBytes(),
    isSound: (indexId) => fileChecks.isSound(indexId),
    onCommitted: (indexId) => {
      cold?.committed(indexId, catalog.byId(indexId));
      fileChecks.consider(indexId);
    },
    publish: (name, data) => {
      publish(name, data);
      housekeeping.sweepSoon();
    },
    onTasksEnded: options.onTasksEnded,
    onFatal: options.onFatal,
    log,
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
  return { ...parts, oldTasks, scheduler, housekeeping };
}
