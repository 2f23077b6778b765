/** Opens the object store of `--store`: the database in it, and the files that the folder caches. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/load.ts';
import { WriterHeartbeat } from '../src/cluster/writer-heartbeat.ts';
import { EXIT_FENCED, EXIT_STORE_FAILED } from '../src/core/process-end.ts';
import type { StepTimes } from '../src/core/step-times.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { type DataFolder, openDataFolder } from '../src/storage/data-folder/data-folder.ts';
import { keepNodeId, writeStoreNote } from '../src/storage/data-folder/notes.ts';
import { type LoggedChange, LoggedStore } from '../src/storage/database/change-log.ts';
import { isFence, SlateDbReader } from '../src/storage/database/slatedb-reader.ts';
import { SlateDbStore } from '../src/storage/database/slatedb-store.ts';
import { CountedStore } from '../src/storage/object-store/counted-store.ts';
import type { ObjectStore } from '../src/storage/object-store/object-store.ts';
import { openObjectStore } from '../src/storage/object-store/open-store.ts';
import type { RequestCounts } from '../src/storage/object-store/request-price.ts';
import { SLATEDB_LOG, slateDbPlace } from '../src/storage/object-store/slatedb-place.ts';
import { keepStoreFormatOnceThere } from '../src/storage/object-store/store-format.ts';
import { StoredFiles } from '../src/storage/object-store/stored-files.ts';
import type { KnownState } from '../src/tasks/indexer-parts.ts';

/** Heartbeats within the time of a takeover. */
const BEATS = 4;
/** Longest time between two heartbeats: `WriteGuard` needs a write now and then. */
const BEAT_MS_MAX = 30_000;
const MS_PER_SECOND = 1000;
/** Time of the first call until the log says that the store is away. */
const FIRST_CALL_MS = 10_000;
/** From a call that the store did not answer to the next one. */
const AWAY_MS = 1000;

/** A store whose database is not open yet. */
export interface PreparedStore {
  readonly nodeId: string;
  /** URL at which other nodes reach this one. */
  readonly nodeUrl: string;
  readonly folder: DataFolder;
  readonly stored: StoredFiles;
  /** Requests to the object store. @param database of the database that this node uses */
  metrics(database: RequestCounts): Metric[];
  /** null if the store has no database yet. */
  openForReading(): Promise<SlateDbReader | null>;
  /** Key of the last object of the database's log; each commit adds one. */
  newestLogObject(): Promise<string>;
  /** A node opens the database for writing and has written nothing yet, or has ended before it did. */
  isBeingOpened(): Promise<boolean>;
  /**
   * Closes the database for every other node that writes. @throws StoreFenced if another node does the
   * same meanwhile
   */
  openForWriting(followed?: FollowedStore): Promise<OpenedStore>;
}

/** State that a node has read before it takes over. */
interface FollowedStore {
  /** Of the last commit. */
  readonly position: number;
  readonly steps: StepTimes;
}

export interface OpenedStore {
  readonly store: LoggedStore;
  /** Commits after the position of `FollowedStore`; null if the log lacks some, or there is none. */
  readonly changes: readonly LoggedChange[] | null;
  /** null or absent = nothing has been read. */
  readonly known?: KnownState | null;
  readonly stored: StoredFiles;
  readonly heartbeat: WriterHeartbeat;
  readonly nodeUrl: string;
  readonly metrics: () => Metric[];
}

/** @param signal aborts the wait for a store that is away */
export async function prepareStore(
  config: Config,
  url: string,
  log: ProcessLogger,
  signal: AbortSignal,
): Promise<PreparedStore> {
  const { env } = process;
  const options = { env, nowMs: Date.now, random: Math.random };
  const first = openObjectStore(url, { ...options, callMs: FIRST_CALL_MS });
  await keepStoreFormatOnceThere(first, url, {
    wait: () => sleep(AWAY_MS, undefined, { signal }),
    log,
  });
  first.close();
  const objects = new CountedStore(openObjectStore(url, options));
  const folder = await openDataFolder(config.dbPath);
  const { root, indexes, spool } = folder;
  writeStoreNote(root, url);
  const stored = new StoredFiles({ objects, indexes, spool, log });
  const nodeId = keepNodeId(root, randomUUID);
  const nodeUrl = nodeUrlOf(config);
  const place = slateDbPlace(url, env);
  const newestLogObject = newestLogObjectOf(objects);
  const metrics = (database: RequestCounts) => objects.metrics(database);
  const beginToWrite = async (database: SlateDbStore, followed?: FollowedStore) => {
    const steps = followed?.steps;
    const { store, changes } = followed
      ? await LoggedStore.openAfter(database, followed.position)
      : { store: await LoggedStore.open(database), changes: null };
    steps?.end('change log');
    const heartbeat = await WriterHeartbeat.start({
      store,
      nodeId,
      url: nodeUrl,
      everyMs: Math.min((config.takeoverSeconds * MS_PER_SECOND) / BEATS, BEAT_MS_MAX),
      onFailure: (error) => {
        log.error({ err: error }, 'the indexer failed and restarts');
        process.exit(EXIT_STORE_FAILED);
      },
    });
    steps?.end('heartbeat');
    return { store, changes, heartbeat };
  };
  return {
    nodeId,
    nodeUrl,
    folder,
    stored,
    metrics,
    openForReading: () => SlateDbReader.open({ ...place, pollMs: config.readerPollMs }),
    newestLogObject,
    async isBeingOpened() {
      const newest = await newestLogObject();
      return newest !== '' && (await isFence(place, newest));
    },
    async openForWriting(followed) {
      let isNoted = false;
      const onFenced = (error: Error): void => {
        if (!isNoted) return;
        log.error(error.message);
        process.exit(EXIT_FENCED);
      };
      const database = await SlateDbStore.open({ ...place, onFenced });
      followed?.steps.end('database');
      const begun = beginToWrite(database, followed);
      const { store, changes, heartbeat } = await begun.catch((error: unknown) => {
        // The caller may follow the store, so its process goes on. A store that is away holds up nothing.
        void database.close().catch(() => undefined);
        throw error;
      });
      isNoted = true;
      return {
        store,
        changes,
        stored,
        heartbeat,
        nodeUrl,
        metrics: () => metrics(database.requestCounts()),
      };
    },
  };
}

/** Names in the log are ascending, so a later call lists only newer objects. Calls may overlap. */
function newestLogObjectOf(objects: ObjectStore): () => Promise<string> {
  let newest = '';
  return async () => {
    for await (const { key } of objects.list(SLATEDB_LOG, { after: newest }))
      if (key > newest) newest = key;
    return newest;
  };
}

const EVERY_INTERFACE = new Set(['0.0.0.0', '::', '[::]', '']);

function nodeUrlOf({ nodeUrl, sslCertPath, http: { host, port } }: Config): string {
  if (nodeUrl !== null) return nodeUrl.replace(/\/+$/, '');
  const name = EVERY_INTERFACE.has(host) ? hostname() : host;
  return `${sslCertPath === null ? 'http' : 'https'}://${name}:${port}`;
}
