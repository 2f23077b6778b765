/**
 * A node that reads a store which another node writes. Takes the place of the indexer for the fronts
 * of this node: publishes the same events, answers the same reads, and refuses writes, which fronts
 * forward to the writer.
 */
import { ObsoleteFiles } from '../catalog/obsolete-files.ts';
import { removeOrphanFiles } from '../catalog/orphan-files.ts';
import { ApiError } from '../core/errors.ts';
import type {
  FrontState,
  IndexerEvents,
  IndexerRequests,
} from '../ipc/connection/indexer-protocol.ts';
import type { IndexerHandlers, PublishedState } from '../ipc/connection/indexer-server.ts';
import type { Features } from '../model/features.ts';
import { type IndexManifest, segmentFilesOf } from '../model/index-manifest.ts';
import type { Webhook } from '../model/webhook.ts';
import type { Logger } from '../observability/logger.ts';
import { gauge, type Metric } from '../observability/metric.ts';
import type { DataFolder } from '../storage/data-folder/data-folder.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { ReaderEnded } from '../storage/database/slatedb-reader.ts';
import { FsIndexFiles } from '../storage/files/index-files.ts';
import {
  payloadObject,
  type StoredFiles,
  segmentObject,
} from '../storage/object-store/stored-files.ts';
import { ColdIndexes, checkedIndex } from '../tasks/cold-indexes.ts';
import { pendingPayload } from '../tasks/kinds/document-addition.ts';
import { WatchedChanges } from '../tasks/publishing/watched.ts';
import { DEFAULT_SERVICE_LIMITS } from '../tasks/service-limits.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';
import { ReplicaState } from './replica-state.ts';
import type { WriterNote } from './writer-note.ts';

export interface FollowerOptions {
  /** Reads what the writer commits. */
  readonly store: KeyValueStore;
  readonly stored: Pick<StoredFiles, 'fetch' | 'have'>;
  readonly folder: DataFolder;
  readonly forced: readonly (keyof Features)[];
  readonly launchWebhook: Webhook | null;
  /** Milliseconds between two looks for new commits. */
  readonly pollMs: number;
  /** Bytes of the indexes on the disk of this node; null = all indexes are there. */
  readonly budgetBytes: number | null;
  /** Indexes that fronts have read since the last call. */
  readonly takeReadIndexes: () => Promise<readonly number[]>;
  /** Milliseconds after which an old file is deleted while a front may still read it. */
  readonly obsoleteGraceMs: number;
  readonly publish: <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;
  readonly minimumAcknowledged: (indexId: number) => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** This node cannot follow any more: the process must restart. */
  readonly onLost: (reason: string) => void;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const MS_PER_SECOND = 1000;
/** Milliseconds between two rounds over files that no front reads any more. */
const SWEEP_MS = 5000;

const refuse = (): never => {
  throw new ApiError('writer_unavailable', 'This node does not write. Please retry later.');
};

export class Follower {
  readonly #options: FollowerOptions;
  readonly #obsolete: ObsoleteFiles;
  readonly #watched = new WatchedChanges();
  readonly #state: ReplicaState;
  /** null = all indexes are on the disk. */
  readonly #cold: ColdIndexes | null;
  #lastHeardMs: number;
  #isStopped = false;
  #loop: Promise<void> = Promise.resolve();
  #wake = (): void => undefined;
  #lastFailure = '';
  readonly #sweeps: NodeJS.Timeout;
  readonly handlers: IndexerHandlers;

  private constructor(
    options: FollowerOptions,
    parts: { obsolete: ObsoleteFiles; cold: ColdIndexes | null; state: ReplicaState },
  ) {
    this.#options = options;
    this.#obsolete = parts.obsolete;
    this.#cold = parts.cold;
    this.#state = parts.state;
    this.#lastHeardMs = options.monotonic();
    this.#sweeps = setInterval(() => this.sweep(), SWEEP_MS).unref();
    this.handlers = this.#createHandlers();
  }

  /** Resolves when the folder has the files of all local indexes. @param writer as stored */
  static async open(options: FollowerOptions, writer: WriterNote): Promise<Follower> {
    const files = new FsIndexFiles(options.folder.indexes);
    const obsolete = new ObsoleteFiles(files, options.obsoleteGraceMs);
    // Set when the state is loaded; nothing calls it before.
    let follower: Follower | null = null;
    const served = (indexId: number) => follower?.state.catalog.byId(indexId) ?? null;
    const cold = createCold(options, files, served);
    const isLocal = (indexId: number) => cold?.isLocal(indexId) ?? true;
    const local = (manifests: readonly IndexManifest[]) =>
      manifests.filter(({ id }) => isLocal(id));
    const state = await ReplicaState.load(
      {
        ...options,
        isLocal,
        fetchFiles: (manifests) => fetchFiles(options, local(manifests)),
        areFilesHere: (manifests) =>
          options.stored.have(local(manifests).flatMap(segmentFilesOf).map(segmentObject)),
        onFetched: (failure) => {
          if (follower !== null) follower.#fetched(failure);
        },
        onApplied: (change) => {
          obsolete.add(change, options.monotonic());
          for (const manifest of change.published) cold?.served(manifest.id, manifest);
          for (const indexId of change.deletedBytes.keys()) cold?.served(indexId, null);
        },
        onTasks: (uids) => {
          if (follower !== null) void follower.#tasksChanged(uids);
        },
        onWriter: () => {
          if (follower !== null)
            options.publish('stateChanged', { writer: follower.#writerPlace() });
        },
      },
      writer,
    );
    removeOrphanFiles(files, state.catalog.all());
    cold?.begin(state.catalog.all());
    follower = new Follower(options, { obsolete, cold, state });
    return follower;
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** Milliseconds since the store showed a write of the writer. */
  get silentMs(): number {
    return this.#options.monotonic() - this.#lastHeardMs;
  }

  #writerPlace(): FrontState['writer'] {
    return { isHere: false, url: this.#state.writer.hasStopped ? null : this.#state.writer.url };
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves when nothing is applied any more. `start` continues. */
  async pause(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    this.#isStopped = false;
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeps);
    this.#cold?.close();
    await this.pause();
    this.sweep();
  }

  /** Deletes files that no front reads. */
  sweep(): void {
    const { monotonic, minimumAcknowledged } = this.#options;
    this.#obsolete.sweep(monotonic(), minimumAcknowledged);
  }

  /** Which indexes may be read at once. */
  published(): PublishedState {
    const { parts, catalog } = this.#state;
    const isLocal = (id: number) => this.#cold?.isLocal(id) ?? true;
    return {
      state: { writer: this.#writerPlace(), ...parts.instance },
      keys: parts.keys.values(),
      searchRules: parts.rules.values(),
      manifests: catalog.all(),
      checked: [...catalog.all()].map(({ id }) => checkedIndex(id, isLocal(id))),
    };
  }

  metrics(): Metric[] {
    return [
      ...(this.#cold?.metrics() ?? []),
      gauge(
        'gannet_writer_silent_seconds',
        'Seconds since this node read a write of the node that writes',
        this.silentMs / MS_PER_SECOND,
      ),
      gauge(
        'gannet_replica_position',
        'Number of the last commit that this node serves',
        this.#state.servedPosition,
      ),
      gauge(
        'gannet_replica_waiting_commits',
        'Commits that this node has read and does not serve completely yet',
        this.#state.position - this.#state.servedPosition,
      ),
      gauge('meilisearch_index_count', 'Indexes', this.#state.catalog.indexCount),
    ];
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#options;
    while (!this.#isStopped) {
      await this.#look();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (this.#isStopped) this.#wake();
      });
    }
  }

  async #look(): Promise<void> {
    const { monotonic, onLost } = this.#options;
    try {
      const found = await this.#state.follow();
      if (found === 'behind') return onLost('this node missed commits that are no longer logged');
      if (found === 'changed') this.#lastHeardMs = monotonic();
      this.#lastFailure = '';
    } catch (error) {
      if (error instanceof ReaderEnded)
        return onLost(`this node cannot read the database any more (${error.message})`);
      this.#warn(`new commits cannot be read now: ${(error as Error).message}`);
    }
  }

  /** After a failure the next look reads the newest state of the index. */
  #fetched(failure: Error | null): void {
    if (failure === null) this.#wake();
    else this.#warn(`files of a new commit cannot be fetched now: ${failure.message}`);
  }

  /** Logs a failure once until it is over. */
  #warn(failure: string): void {
    if (failure !== this.#lastFailure)
      this.#options.log.warn(`${failure}; this node serves older ones`);
    this.#lastFailure = failure;
  }

  async #tasksChanged(uids: readonly number[]): Promise<void> {
    const { tasks } = this.#state;
    const rows = uids.flatMap((uid) => tasks.row(uid) ?? []);
    for (const row of rows) this.#watched.rowChanged(row);
    if (!this.#watched.areRecordsWatched) return;
    const existing = rows.map(({ uid }) => uid);
    try {
      const records = await tasks.load(existing);
      existing.forEach((uid, i) => {
        const stored = records[i];
        if (stored !== undefined) this.#watched.taskChanged(tasks.row(uid), stored);
      });
    } catch (error) {
      this.#options.log.warn(`watchers of tasks miss a change: ${String(error)}`);
    }
  }

  #createHandlers(): IndexerHandlers {
    const reads = {
      listTasks: (query) => this.#state.tasks.page(query),
      getTask: ({ uid }) => this.#state.tasks.record(uid),
      waitForTask: ({ uid, waitMs }) =>
        this.#watched.taskEnd(this.#state.tasks.row(uid), uid, waitMs),
      listBatches: (query) => this.#state.tasks.batchPage(query, []),
      getBatch: ({ uid }) => this.#state.tasks.batch(uid, []),
      getPayload: ({ uid }) => this.#payload(uid),
      watchTasks: (query) => this.#watched.tasks(query),
      watchBatches: (query) => this.#watched.batches(query),
      instanceStats: () => this.#stats(),
      indexingNow: () => ({ indexing: [] }),
      checkFirst: ({ indexId }) => {
        void this.#cold?.fetch(indexId);
        return null;
      },
      listWebhooks: async () => (await this.#webhooks()).all(),
      getWebhook: async ({ uuid }) => (await this.#webhooks()).get(uuid),
    } satisfies Partial<IndexerHandlers>;
    const writes = {
      enqueue: refuse,
      compactTasks: refuse,
      updateFeatures: refuse,
      updateNetwork: refuse,
      updateChat: refuse,
      resetChat: refuse,
      deleteChat: refuse,
      putAlias: refuse,
      deleteAlias: refuse,
      createKey: refuse,
      updateKey: refuse,
      deleteKey: refuse,
      rotateKey: refuse,
      getDeliveries: refuse,
      createWebhook: refuse,
      updateWebhook: refuse,
      deleteWebhook: refuse,
    } satisfies Omit<IndexerHandlers, keyof typeof reads>;
    return { ...reads, ...writes };
  }

  async #payload(uid: number): Promise<IndexerRequests['getPayload'][1]> {
    const found = await pendingPayload(this.#state.tasks, uid);
    if (found?.payload.kind === 'file')
      await this.#options.stored.fetch([payloadObject(found.payload)]);
    return found;
  }

  #webhooks(): Promise<WebhookStore> {
    return WebhookStore.open(this.#options.store, this.#options.launchWebhook);
  }

  #stats(): IndexerRequests['instanceStats'][1] {
    const fileBytes = this.#cold?.localBytes ?? this.#state.catalog.fileBytes;
    const databaseSize = fileBytes + this.#obsolete.bytes;
    return { databaseSize, usedDatabaseSize: fileBytes, indexing: [] };
  }
}

const createCold = (
  { budgetBytes, stored, publish, takeReadIndexes, monotonic, log }: FollowerOptions,
  files: FsIndexFiles,
  served: (indexId: number) => IndexManifest | null,
): ColdIndexes | null =>
  budgetBytes === null
    ? null
    : new ColdIndexes({
        budgetBytes,
        stored,
        served,
        removeFiles: (indexId) => void files.removeIndex(indexId),
        onFetched: (indexId) => publish('indexChecked', checkedIndex(indexId, true)),
        onAbsent: (indexId) => publish('indexChecked', checkedIndex(indexId, false)),
        takeReadIndexes,
        monotonic,
        leaveMs: DEFAULT_SERVICE_LIMITS.indexLeaveMs,
        log,
      });

async function fetchFiles(
  { stored, log }: FollowerOptions,
  manifests: readonly IndexManifest[],
): Promise<void> {
  const fetched = await stored.fetch(manifests.flatMap(segmentFilesOf).map(segmentObject));
  if (fetched > 0) log.info(`fetched ${fetched} files from the object store`);
}
