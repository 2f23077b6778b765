/**
 * The key-value store on SlateDB, whose data is in an object store. One process at a time can write:
 * opening the store fences every older writer, whose next write fails with `StoreFenced`.
 *
 * A group of writes (group-commit.ts) is one object of the write-ahead log, flushed at once, so a
 * lone writer waits for one upload and no timer. Opening reads the log object by object; the
 * memtable is flushed every `LOG_OBJECTS_MAX` groups to keep it short.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toStorageError } from '../files/io-errors.ts';
import { GroupCommit, type GroupedWrite, groupedOperations } from './group-commit.ts';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  StoreView,
  Survival,
  WriteOperation,
} from './key-value-store.ts';
import {
  loadSlateDb,
  type MetricsRecorder,
  type SlateDb,
  type SlateLibrary,
  type SlateReads,
  type WriteBatch,
} from './slatedb-library.ts';
import { readEntries, readValue, readValues, requestCounts } from './slatedb-reads.ts';
import { STORE_VALUES, type ValueFormats } from './value-formats.ts';
import { type Clocks, WriteGuard } from './write-guard.ts';

const LOG_OBJECTS_MAX = 16;
/** Of the manifest, each second, and for the deletion of old objects; measured. */
const LISTS_PER_MS = 0.0017;
/** Milliseconds between two looks for a newer writer while nothing is written. */
const FENCE_CHECK_MS = 1000;
/**
 * Age at which SlateDB deletes log objects. Each look of a reader and each opening lists all of them.
 * The default of 300 s makes that a thousand objects for each three writes a second.
 */
const LOG_AGE_MS = 120_000;
/** Time for which a large group holds up the event loop: an operation takes 6 to 30 µs. */
const TURN_MS_MAX = 10;
/** Time for which it holds up the log. */
const FILL_MS_MAX = 200;
/** Half of `LOG_AGE_MS`; the other half is for clocks that differ from that of the object store. */
const WRITE_MS_MAX = LOG_AGE_MS / 2;
/** A key that no entry has. */
const NO_KEY = new Uint8Array([0]);
const SETTINGS = {
  // Groups are flushed explicitly; the timer of the library only finds an empty log.
  flush_interval: '"10s"',
  manifest_poll_interval: '"1s"',
  'garbage_collector_options.wal_options.min_age': `"${LOG_AGE_MS}ms"`,
  // A process that collects for the first time only after a minute may be replaced before.
  'garbage_collector_options.wal_options.interval': '"20s"',
};

/** Another process has opened the store for writing. */
export class StoreFenced extends Error {
  override readonly name = 'StoreFenced';
}

export interface SlateDbOptions {
  /** URL of the object store: `file:///path` or `s3://bucket`. */
  readonly url: string;
  /** Folder of the database in the object store. */
  readonly path: string;
  /** null: values are read and written as stored bytes. */
  readonly values?: ValueFormats | null;
  /** Called when a newer writer has fenced this one: by a check, or by a write or read that fails. */
  readonly onFenced?: (error: StoreFenced) => void;
}

export class SlateDbStore implements KeyValueStore {
  readonly #recorder: MetricsRecorder;
  readonly #library: SlateLibrary;
  readonly #db: SlateDb;
  readonly #values: ValueFormats | null;
  readonly #commits: GroupCommit;
  readonly #onFenced: (error: StoreFenced) => void;
  /** Snapshots that are being taken: later writes wait for them. */
  readonly #snapshots = new Set<Promise<unknown>>();
  #logObjects = 0;
  #memtableFlush: Promise<void> | null = null;
  readonly #fenceCheck: NodeJS.Timeout;
  #isClosed = false;

  readonly #guard: WriteGuard;
  readonly #openedMs = performance.now();

  private constructor(
    library: SlateLibrary,
    db: SlateDb,
    options: SlateDbOptions,
    { opened, recorder }: { readonly opened: Clocks; readonly recorder: MetricsRecorder },
  ) {
    this.#recorder = recorder;
    this.#guard = new WriteGuard(WRITE_MS_MAX, opened);
    this.#library = library;
    this.#db = db;
    this.#values = options.values === undefined ? STORE_VALUES : options.values;
    this.#commits = new GroupCommit({
      apply: (group) => this.#apply(group),
      toError: (cause) => this.#noteFence(toStoreError(cause)),
    });
    this.#onFenced = (error) => {
      clearInterval(this.#fenceCheck);
      options.onFenced?.(error);
    };
    this.#fenceCheck = setInterval(() => {
      const { close_reason: reason } = db.status();
      if (reason === 'Fenced') this.#onFenced(fenced());
    }, FENCE_CHECK_MS).unref();
  }

  /** Fences every older writer of the store. @throws StoreFenced if a newer one opens it meanwhile */
  static async open(options: SlateDbOptions): Promise<SlateDbStore> {
    const opened = clocks();
    const library = await loadSlateDb();
    const { DbBuilder, ObjectStore, Settings } = library;
    const store = ObjectStore.resolve(options.url);
    const builder = new DbBuilder(options.path, store);
    try {
      const settings = Settings.default();
      for (const [name, value] of Object.entries(SETTINGS)) settings.set(name, value);
      builder.with_settings(settings);
      const recorder = new library.DefaultMetricsRecorder();
      builder.with_metrics_recorder(recorder);
      return new SlateDbStore(library, await builder.build(), options, { opened, recorder });
    } catch (cause) {
      const { message } = cause as Error;
      if (isFence(cause) || message.includes(OPENED_TOGETHER)) throw fenced(cause);
      throw new Error(`cannot open the store ${options.url}: ${message}`, { cause });
    } finally {
      builder.dispose();
      store.dispose();
    }
  }

  /** Requests to the object store, by method. */
  requestCounts(): ReadonlyMap<string, number> {
    return requestCounts(this.#recorder, LISTS_PER_MS * (performance.now() - this.#openedMs));
  }

  async get(key: Uint8Array): Promise<Uint8Array | null> {
    this.#mustBeOpen();
    return this.#read(readValue(this.#db, key, this.#values));
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    this.#mustBeOpen();
    if (keys.length === 0) return [];
    const view = this.view();
    try {
      return await view.getMany(keys);
    } finally {
      await view.close();
    }
  }

  async *iterate(range: KeyRange): AsyncIterable<Entry> {
    this.#mustBeOpen();
    yield* this.#entries(this.#db, range);
  }

  view(): StoreView {
    this.#mustBeOpen();
    const taken = this.#read(this.#db.snapshot());
    const pending = taken.catch(() => undefined).finally(() => this.#snapshots.delete(pending));
    this.#snapshots.add(pending);
    const get = async (key: Uint8Array) => this.#read(readValue(await taken, key, this.#values));
    return {
      get,
      getMany: (keys) => readValues(keys, get),
      iterate: (range) => this.#entries(taken, range),
      close: async () => (await taken).dispose(),
    };
  }

  /** Every write survives a power cut of this machine. */
  write(operations: readonly WriteOperation[], survival: Survival = 'power cut'): Promise<void> {
    return this.#commits.write(operations, survival);
  }

  /** Moves the log into a table; SlateDB compacts tables by itself. */
  async compact(): Promise<void> {
    this.#mustBeOpen();
    await this.#flushMemtable();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#fenceCheck);
    await this.#commits.close();
    await this.#memtableFlush;
    try {
      await this.#db.flush_with_options({ flush_type: 'MemTable' });
      await this.#db.shutdown();
    } catch (error) {
      if (!isFence(error)) throw error;
    } finally {
      this.#db.dispose();
    }
  }

  async #read<Value>(read: Promise<Value>): Promise<Value> {
    try {
      return await read;
    } catch (error) {
      throw this.#noteFence(toStoreError(error));
    }
  }

  async *#entries(reads: SlateReads | Promise<SlateReads>, range: KeyRange): AsyncIterable<Entry> {
    try {
      yield* readEntries(reads, range, this.#values);
    } catch (error) {
      throw this.#noteFence(toStoreError(error));
    }
  }

  #noteFence(error: unknown): unknown {
    if (error instanceof StoreFenced) this.#onFenced(error);
    return error;
  }

  async #apply(group: readonly GroupedWrite[]): Promise<void> {
    const batch = new this.#library.WriteBatch();
    try {
      let beganMs = performance.now();
      let turnedMs = beganMs;
      for (const operation of groupedOperations(group)) {
        const { key } = operation;
        if (operation.kind === 'delete') batch.delete(key);
        else batch.put(key, this.#values?.encode(key, operation.value) ?? operation.value);
        const nowMs = performance.now();
        if (nowMs - turnedMs < TURN_MS_MAX) continue;
        if (nowMs - beganMs < FILL_MS_MAX) {
          await nextTurn();
        } else {
          await this.#showLife();
          beganMs = performance.now();
        }
        turnedMs = performance.now();
      }
      await this.#write(batch);
    } finally {
      batch.dispose();
    }
  }

  /**
   * Adds an object to the log that changes nothing, before a large group: other nodes replace a writer
   * whose log does not grow.
   */
  async #showLife(): Promise<void> {
    const batch = new this.#library.WriteBatch();
    try {
      batch.delete(NO_KEY);
      await this.#write(batch);
    } finally {
      batch.dispose();
    }
  }

  async #write(batch: WriteBatch): Promise<void> {
    await Promise.all(this.#snapshots);
    const began = clocks();
    await this.#db.write_with_options(batch, { await_durable: false });
    await this.#db.flush_with_options({ flush_type: 'Wal' });
    if (!this.#guard.mayAcknowledge(began, clocks()))
      throw new Error('this process was paused: the log of its writes may be deleted');
    this.#logObjects++;
    if (this.#logObjects < LOG_OBJECTS_MAX || this.#memtableFlush !== null) return;
    // A failure shows in the next write.
    this.#memtableFlush = this.#flushMemtable()
      .catch(() => undefined)
      .finally(() => {
        this.#memtableFlush = null;
      });
  }

  async #flushMemtable(): Promise<void> {
    this.#logObjects = 0;
    await this.#db.flush_with_options({ flush_type: 'MemTable' });
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new Error('the store is closed');
  }
}

const clocks = (): Clocks => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** Part of the library's message when another server has created the same new store meanwhile. */
const OPENED_TOGETHER = 'version already exists';

/** The library reports the reason as a member. */
const isFence = (error: unknown): boolean =>
  (error as { readonly reason?: unknown }).reason === 'Fenced';

const toStoreError = (error: unknown): unknown =>
  isFence(error) ? fenced(error) : toStorageError(error);

const fenced = (cause?: unknown): StoreFenced =>
  new StoreFenced(
    'another server has opened this object store for writing, so this server cannot write any more',
    { cause },
  );
