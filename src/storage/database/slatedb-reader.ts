/**
 * A database on SlateDB that another process writes: reads what that process has committed, some
 * milliseconds later. Has no snapshots: a later read never shows an older state than an earlier one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, KeyRange, KeyValueStore, StoreView } from './key-value-store.ts';
import { loadSlateDb, type MetricsRecorder, type SlateReader } from './slatedb-library.ts';
import { readEntries, readValue, readValues, requestCounts } from './slatedb-reads.ts';
import type { SlateDbOptions } from './slatedb-store.ts';
import { STORE_VALUES } from './value-formats.ts';

/**
 * How long SlateDB keeps the tables that this reader uses; the library renews it while the process
 * lives.
 */
const CHECKPOINT_MS = 600_000;
const MEMTABLE_BYTES = 64 << 20;
/** Errors of the library that stay. `ErrorUnavailable` passes when the store answers again. */
const ENDED: ReadonlySet<string> = new Set(['ErrorData', 'ErrorClosed', 'ErrorInternal']);
/** Of each look, measured. */
const LISTS_PER_LOOK = 2;
/** Reads of an object of the log until a failure counts, and the time after the first one. */
const LOG_READS = 5;
const LOG_WAIT_MS = 100;

/** The reader has ended: each later read fails, too, and only a new one reads again. */
export class ReaderEnded extends Error {
  override readonly name = 'ReaderEnded';
}

/**
 * While a store is away for longer than `CHECKPOINT_MS`, the tables of the reader are released, and SlateDB
 * ends it (`checkpoint missing`).
 */
export function toReaderError(error: unknown): unknown {
  const { name, message } = error as Error;
  return ENDED.has(name) ? new ReaderEnded(message, { cause: error }) : error;
}

interface SlateDbReaderOptions extends Pick<SlateDbOptions, 'url' | 'path'> {
  /** Milliseconds between two looks for new commits. */
  readonly pollMs: number;
}

export class SlateDbReader implements KeyValueStore {
  readonly #recorder: MetricsRecorder;
  readonly #reader: SlateReader;
  readonly #pollMs: number;
  readonly #openedMs = performance.now();
  #isClosed = false;

  private constructor(reader: SlateReader, recorder: MetricsRecorder, pollMs: number) {
    this.#reader = reader;
    this.#recorder = recorder;
    this.#pollMs = pollMs;
  }

  /** null if the store has no database yet. */
  static async open({ url, path, pollMs }: SlateDbReaderOptions): Promise<SlateDbReader | null> {
    const { DbReaderBuilder, DefaultMetricsRecorder, ObjectStore } = await loadSlateDb();
    const store = ObjectStore.resolve(url);
    const builder = new DbReaderBuilder(path, store);
    try {
      builder.with_options({
        manifest_poll_interval_ms: pollMs,
        checkpoint_lifetime_ms: CHECKPOINT_MS,
        max_memtable_bytes: MEMTABLE_BYTES,
        skip_wal_replay: false,
      });
      const recorder = new DefaultMetricsRecorder();
      builder.with_metrics_recorder(recorder);
      return new SlateDbReader(await builder.build(), recorder, pollMs);
    } catch (cause) {
      const { message } = cause as Error;
      if (message.includes('failed to find latest')) return null;
      throw new Error(`cannot read the store ${url}: ${message}`, { cause });
    } finally {
      builder.dispose();
      store.dispose();
    }
  }

  /** Requests to the object store, by method. */
  requestCounts(): ReadonlyMap<string, number> {
    const looks = (performance.now() - this.#openedMs) / this.#pollMs;
    return requestCounts(this.#recorder, LISTS_PER_LOOK * looks);
  }

  async get(key: Uint8Array): Promise<Uint8Array | null> {
    this.#mustBeOpen();
    try {
      return await readValue(this.#reader, key, STORE_VALUES);
    } catch (error) {
      throw toReaderError(error);
    }
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    return readValues(keys, (key) => this.get(key));
  }

  async *iterate(range: KeyRange): AsyncIterable<Entry> {
    this.#mustBeOpen();
    try {
      yield* readEntries(this.#reader, range, STORE_VALUES);
    } catch (error) {
      throw toReaderError(error);
    }
  }

  view(): StoreView {
    return {
      get: (key) => this.get(key),
      getMany: (keys) => this.getMany(keys),
      iterate: (range) => this.iterate(range),
      close: async () => undefined,
    };
  }

  write(): Promise<void> {
    return Promise.reject(new Error('another process writes this store'));
  }

  compact(): Promise<void> {
    return this.write();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#reader.shutdown();
    this.#reader.dispose();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new Error('the store is closed');
  }
}

/**
 * True if an object of the log has no write. A process that opens the database for writing adds such an
 * object first, which stops every older writer, and then reads the log.
 * @param name ends in the number of the object and `.sst`
 */
export async function isFence(
  { url, path }: Pick<SlateDbOptions, 'url' | 'path'>,
  name: string,
): Promise<boolean> {
  const { ObjectStore, WalReader } = await loadSlateDb();
  const store = ObjectStore.resolve(url);
  const log = new WalReader(path, store);
  const file = log.get(Number(/(\d+)\.sst$/.exec(name)?.[1]));
  try {
    return await repeated(async () => {
      const writes = await file.iterator();
      try {
        return (await writes.next()) === undefined;
      } finally {
        writes.dispose();
      }
    });
  } finally {
    file.dispose();
    log.dispose();
    store.dispose();
  }
}

/** `WalReader` does not send a request again whose answer is lost, as the database and its reader do. */
async function repeated<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await read();
    } catch (error) {
      if (count === LOG_READS) throw error;
      await sleep(LOG_WAIT_MS * count);
    }
  }
}
