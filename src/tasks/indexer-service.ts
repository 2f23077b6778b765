/**
 * Start here: answers the requests of the indexer protocol with the stores of a data folder. `open`
 * makes the folder consistent, `start` begins processing, `drain` stops in order.
 */

import { v7 } from 'uuid';
import { indexExists } from '../catalog/index-catalog.ts';
import { formatDate } from '../core/clock.ts';
import { ApiError, indexNotFound } from '../core/errors.ts';
import { SnapshotSchedule } from '../dumps/write/snapshot-schedule.ts';
import type { IndexerHandlers, PublishedState } from '../ipc/connection/indexer-server.ts';
import type { Alias } from '../model/alias.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { Features, FeaturesUpdate } from '../model/features.ts';
import { changedNetwork, type Network } from '../model/network.ts';
import type { NetworkUpdate } from '../model/schemas/network-schema.ts';
import type { Changed } from '../model/secret-origin.ts';
import type { EnqueueParameters, SummarizedTask, TaskDraft } from '../model/task.ts';
import { folderBytes } from '../storage/data-folder/data-folder.ts';
import { readUpgradeNote, removeUpgradeNote } from '../storage/data-folder/notes.ts';
import { ObjectStoreError } from '../storage/object-store/object-store.ts';
import { type StoredFiles, spoolKey } from '../storage/object-store/stored-files.ts';
import { checkedIndex } from './cold-indexes.ts';
import { type IndexerParts, type IndexerServiceOptions, openParts } from './indexer-parts.ts';
import { pendingPayload } from './kinds/document-addition.ts';
import { abortedBy, kindOf, toNewTask } from './kinds/task-kinds.ts';
import type { TaskRow } from './store/task-table.ts';

const nothing = (): null => null;

/** Milliseconds for an answer to reach the socket before the process exits. */
const ANSWER_MS = 50;

export class IndexerService {
  readonly parts: IndexerParts;
  readonly #options: IndexerServiceOptions;
  #isDraining = false;
  readonly #schedule: SnapshotSchedule | null;

  readonly handlers: IndexerHandlers;

  private constructor(options: IndexerServiceOptions, parts: IndexerParts) {
    this.#options = options;
    this.parts = parts;
    this.#schedule = this.#scheduleOf(options.snapshotIntervalMs ?? null);
    const { tasks, scheduler, keys, chats, aliases, watched, webhooks, fileChecks, cold } = parts;
    const { publish } = options;
    const publishChats = () => publish('stateChanged', { chats: chats.all() });
    const publishAliases = () => publish('stateChanged', { aliases: aliases.all });
    const publishKey = (key: ApiKey) => publish('keyPublished', key);
    this.handlers = {
      enqueue: (draft) => this.#enqueue(draft),
      listTasks: (query) => tasks.page(query),
      getTask: ({ uid }) => tasks.record(uid),
      waitForTask: ({ uid, waitMs }) => watched.taskEnd(tasks.row(uid), uid, waitMs),
      listBatches: (query) => tasks.batchPage(query, scheduler.current),
      getBatch: ({ uid }) => tasks.batch(uid, scheduler.current),
      getPayload: ({ uid }) => pendingPayload(tasks, uid),
      watchTasks: (query) => watched.tasks(query),
      watchBatches: (query) => watched.batches(query),
      instanceStats: () => this.#instanceStats(),
      indexingNow: () => ({ indexing: scheduler.indexing }),
      checkFirst: ({ indexId }) => {
        if (cold?.isLocal(indexId) === false) void cold.fetch(indexId);
        else fileChecks.checkFirst(indexId);
        return null;
      },
      compactTasks: () => this.#compactTasks(),
      updateFeatures: (change) => this.#updateFeatures(change),
      updateNetwork: (change) => this.#updateNetwork(change),
      updateChat: ({ uid, update }) => this.#announced(chats.update(uid, update), publishChats),
      resetChat: ({ uid }) => this.#announced(chats.reset(uid), publishChats),
      deleteChat: ({ uid }) => this.#announced(chats.delete(uid).then(nothing), publishChats),
      putAlias: ({ name, indexUid }) =>
        this.#announced(this.#putAlias(name, indexUid), publishAliases),
      deleteAlias: ({ name }) =>
        this.#announced(aliases.delete(name).then(nothing), publishAliases),
      createKey: (draft) => this.#announced(keys.create(draft), publishKey),
      updateKey: (change) => this.#announced(keys.update(change), publishKey),
      deleteKey: ({ uid }) =>
        this.#announced(keys.delete(uid).then(nothing), () => publish('keyRemoved', { uid })),
      rotateKey: (rotation) =>
        this.#announced(keys.rotate(rotation), (rotated) =>
          Object.values(rotated).forEach(publishKey),
        ),
      listWebhooks: () => webhooks.list(),
      getWebhook: ({ uuid }) => webhooks.get(uuid),
      getDeliveries: ({ uuid }) => webhooks.deliveries(uuid),
      createWebhook: (draft) => this.#orRestart(webhooks.create(draft)),
      updateWebhook: (change) => this.#orRestart(webhooks.update(change)),
      deleteWebhook: ({ uuid }) => this.#orRestart(webhooks.delete(uuid).then(nothing)),
    };
  }

  /** @throws a readable error if the folder is in use, of a newer format or not a data folder */
  static async open(options: IndexerServiceOptions): Promise<IndexerService> {
    return new IndexerService(options, await openParts(options));
  }

  start(): void {
    void this.#noteUpgrade();
    this.#schedule?.start();
    this.parts.housekeeping.start();
    this.parts.scheduler.start();
    this.parts.fileChecks.start();
    this.parts.webhooks.start();
  }

  /** @param url of this node; null without an object store */
  published(url: string | null): PublishedState {
    const { instanceState, keys, searchRules, catalog, fileChecks, cold } = this.parts;
    const absent = [...catalog.all()].filter(({ id }) => cold?.isLocal(id) === false);
    return {
      state: { writer: { isHere: true, url }, ...instanceState() },
      keys: keys.all(),
      searchRules: searchRules.all(),
      manifests: catalog.all(),
      checked: [...fileChecks.verdicts(), ...absent.map(({ id }) => checkedIndex(id, false))],
    };
  }

  /**
   * Ends the running batches and begins no more. New tasks are still accepted.
   * @param endThreads see `Scheduler.stop`
   */
  async stopBatches(endThreads: () => void): Promise<void> {
    this.parts.fileChecks.stop();
    await this.parts.scheduler.stop(endThreads);
  }

  /**
   * Refuses new tasks, ends the running batch and closes everything. Unprocessed tasks stay
   * enqueued.
   */
  async drain(): Promise<void> {
    const { housekeeping, scheduler, fileChecks, webhooks, store, stored, cold } = this.parts;
    this.#isDraining = true;
    this.#schedule?.stop();
    await scheduler.stop();
    fileChecks.stop();
    housekeeping.stop();
    cold?.close();
    await webhooks.stop();
    await store.close();
    stored?.close();
  }

  /**
   * Enqueues the task that reports the upgrade once; the note is deleted when the task is durable.
   */
  async #noteUpgrade(): Promise<void> {
    const { root } = this.parts.folder;
    const upgrade = readUpgradeNote(root);
    if (upgrade === null) return;
    try {
      await this.#enqueue({ type: 'upgradeDatabase', ...upgrade });
      removeUpgradeNote(root);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the task about the upgrade comes at the next start');
    }
  }

  /** The file of a refused payload is removed, because no task names it. */
  async #enqueue(draft: TaskDraft & EnqueueParameters): Promise<SummarizedTask> {
    try {
      return await this.#accept(draft);
    } catch (error) {
      if (error instanceof ApiError && 'payload' in draft && draft.payload.kind === 'file')
        this.parts.payloads.remove(draft.payload.name);
      throw error;
    }
  }

  async #accept(draft: TaskDraft & EnqueueParameters): Promise<SummarizedTask> {
    const { tasks, admission, scheduler, oldTasks, payloads, stored, clock, watched } = this.parts;
    if (this.#isDraining)
      throw new ApiError('indexer_unavailable', 'The indexer is stopping. Please retry later.');
    const kind = kindOf(draft.type);
    admission.check(kind.makesRoom === true);
    kind.check?.(draft, payloads);
    const task = toNewTask(draft, 'query' in draft ? tasks.select(draft.query) : []);
    const content = task.stored.work?.content;
    if (draft.isDryRun === true) {
      const uid = checkedTaskUid(draft, tasks.nextTaskUid);
      if (content?.kind === 'file') payloads.remove(content.name);
      return summaryOf({ ...task, uid, enqueuedAt: clock() }, draft);
    }
    if (content?.kind === 'file' && stored !== null) await keepPayload(stored, content.name);
    const row = await admission.during(task.contentBytes?.length ?? 0, () => {
      const uid = checkedTaskUid(draft, tasks.nextTaskUid);
      return this.#orRestart(tasks.enqueue(task, clock(), uid));
    });
    watched.taskChanged(row, task.stored);
    scheduler.abort(abortedBy(task.stored.work));
    scheduler.taskCame(row.indexUid);
    oldTasks.deleteIfMany();
    return summaryOf(row, draft);
  }

  #scheduleOf(intervalMs: number | null): SnapshotSchedule | null {
    const { backups, tasks, clock } = this.parts;
    if (intervalMs === null) return null;
    return new SnapshotSchedule({
      intervalMs,
      lastMs: () => backups.lastSnapshotMs(),
      enqueue: async () => {
        if (!tasks.pending.hasType('snapshotCreation'))
          await this.#enqueue({ type: 'snapshotCreation' });
      },
      nowMs: () => clock() / 1000,
      log: this.#options.log,
    });
  }

  async #updateFeatures(change: FeaturesUpdate): Promise<Features> {
    const features = await this.#orRestart(this.parts.features.update(change));
    this.#options.publish('stateChanged', { features });
    return features;
  }

  async #updateNetwork(change: NetworkUpdate): Promise<Changed<Network>> {
    const { network, clock } = this.parts;
    const version = (): string => v7({ msecs: Math.floor(clock() / 1000) });
    const update = network.change((before) => changedNetwork(before, change, version()));
    const changed = await this.#orRestart(update);
    this.#options.publish('stateChanged', { network: changed.value });
    return changed;
  }

  /** @throws ApiError `index_already_exists`, `index_not_found` */
  async #putAlias(name: string, indexUid: string): Promise<Alias> {
    const { aliases, catalog, clock } = this.parts;
    if (catalog.get(name) !== null) throw indexExists(name);
    if (catalog.get(indexUid) === null) throw indexNotFound(indexUid);
    return aliases.put(name, indexUid, formatDate(clock()));
  }

  /** Resolves when the change is durable and every connected front applies it. */
  async #announced<T>(change: Promise<T>, publish: (changed: T) => void): Promise<T> {
    const changed = await this.#orRestart(change);
    publish(changed);
    await this.#options.settled();
    return changed;
  }

  /**
   * Rejects and restarts the process after a failed write, because a store that failed once accepts
   * no further writes. The answer is sent first.
   */
  async #orRestart<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (!(error instanceof ApiError)) setTimeout(() => this.#options.onFatal(error), ANSWER_MS);
      throw error;
    }
  }

  async #compactTasks() {
    const { folder, store } = this.parts;
    const bytesBefore = await folderBytes(folder.rocksdb);
    await store.compact();
    return { bytesBefore, bytesAfter: await folderBytes(folder.rocksdb) };
  }

  async #instanceStats() {
    const { sizes, scheduler } = this.parts;
    const { all, used } = await sizes.databaseBytes();
    return {
      databaseSize: all,
      usedDatabaseSize: used,
      indexing: scheduler.indexing,
    };
  }
}

/** @throws ApiError `bad_request` for a uid that an earlier task may have */
function checkedTaskUid({ taskUid }: EnqueueParameters, next: number): number {
  if (taskUid === undefined) return next;
  if (taskUid >= next) return taskUid;
  throw new ApiError(
    'bad_request',
    `The header \`TaskId\` is ${taskUid}; the next task has a uid of at least ${next}.`,
  );
}

const summaryOf = (
  { uid, indexUid, type, enqueuedAt }: Pick<TaskRow, 'uid' | 'indexUid' | 'type' | 'enqueuedAt'>,
  { customMetadata }: TaskDraft,
): SummarizedTask => ({
  taskUid: uid,
  indexUid,
  status: 'enqueued',
  type,
  enqueuedAt: formatDate(enqueuedAt),
  ...(customMetadata !== undefined && { customMetadata }),
});

/** @throws ApiError if the object store does not have the payload; no task names it */
async function keepPayload(stored: StoredFiles, name: string): Promise<void> {
  try {
    await stored.keep([spoolKey(name)]);
  } catch (cause) {
    if (!(cause instanceof ObjectStoreError)) throw cause;
    throw new ApiError(
      'writer_unavailable',
      `The object store does not take the documents, and nothing was changed. Please retry later. (${cause.message})`,
      { cause },
    );
  }
}
