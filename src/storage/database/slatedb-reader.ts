/**
 * A database on SlateDB that another process writes: reads what that process has committed, some
 * milliseconds later. Has no snapshots: a later read never shows an older state than an earlier one.
 */
import type { Entry, KeyRange, KeyValueStore, StoreView } from './key-value-store.ts';
import { loadSlateDb, type SlateReader } from './slatedb-library.ts';
import { readEntries, readValue, readValues } from './slatedb-reads.ts';
import { SlateDbRequests } from './slatedb-requests.ts';
import type { SlateDbOptions } from './slatedb-store.ts';
import { STORE_VALUES } from './value-formats.ts';

/**
 * How long SlateDB keeps the tables that this reader uses; the library renews it while the process
 * lives.
 */
const CHECKPOINT_MS = 600_000;
const MEMTABLE_BYTES = 64 << 20;

export interface SlateDbReaderOptions extends Pick<SlateDbOptions, 'url' | 'path'> {
  /** Milliseconds between two looks for new commits. */
  readonly pollMs: number;
}

export class SlateDbReader implements KeyValueStore {
  readonly requests: SlateDbRequests;
  readonly #reader: SlateReader;
  #isClosed = false;

  private constructor(reader: SlateReader, requests: SlateDbRequests) {
    this.#reader = reader;
    this.requests = requests;
  }

  /** null if the store has no database yet. */
  static async open({ url, path, pollMs }: SlateDbReaderOptions): Promise<SlateDbReader | null> {
    const library = await loadSlateDb();
    const { DbReaderBuilder, ObjectStore } = library;
    const store = ObjectStore.resolve(url);
    const builder = new DbReaderBuilder(path, store);
    try {
      builder.with_options({
        manifest_poll_interval_ms: pollMs,
        checkpoint_lifetime_ms: CHECKPOINT_MS,
        max_memtable_bytes: MEMTABLE_BYTES,
        skip_wal_replay: false,
      });
      const requests = new SlateDbRequests(library);
      builder.with_metrics_recorder(requests.recorder);
      return new SlateDbReader(await builder.build(), requests);
    } catch (cause) {
      const { message } = cause as Error;
      if (message.includes('failed to find latest')) return null;
      throw new Error(`cannot read the store ${url}: ${message}`, { cause });
    } finally {
      builder.dispose();
      store.dispose();
    }
  }

  async get(key: Uint8Array): Promise<Uint8Array | null> {
    this.#mustBeOpen();
    return readValue(this.#reader, key, STORE_VALUES);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    return readValues(keys, (key) => this.get(key));
  }

  async *iterate(range: KeyRange): AsyncIterable<Entry> {
    this.#mustBeOpen();
    yield* readEntries(this.#reader, range, STORE_VALUES);
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
