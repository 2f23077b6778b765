/** Writes of many entries: in groups, and into a new database. */
import fs from 'node:fs';
import { syncFolder } from '../files/sync-folder.ts';
import { valueBytes } from './group-commit.ts';
import { type Entry, type KeyValueStore, put, type WriteOperation } from './key-value-store.ts';
import { type OpenOptions, RocksDbStore } from './rocksdb-store.ts';

/** Most operations, and most bytes of values, of one write; a single call of `add` may exceed them. */
const GROUP_OPERATIONS = 1000;
const GROUP_BYTES = 4 << 20;

/** Collects operations, so that many share one write. Call `end` once, at the end. */
export class BulkWrites {
  readonly #store: Pick<KeyValueStore, 'write'>;
  #group: WriteOperation[] = [];
  #bytes = 0;

  constructor(store: Pick<KeyValueStore, 'write'>) {
    this.#store = store;
  }

  async add(...operations: readonly WriteOperation[]): Promise<void> {
    // An empty last write would sync nothing.
    if (operations.length === 0) return;
    if (this.#group.length >= GROUP_OPERATIONS || this.#bytes >= GROUP_BYTES) {
      await this.#store.write(this.#group, 'process');
      this.#group = [];
      this.#bytes = 0;
    }
    this.#group.push(...operations);
    this.#bytes += valueBytes(operations);
  }

  /** Resolves when all operations survive a power cut: the last write makes the earlier ones durable. */
  async end(): Promise<void> {
    await this.#store.write(this.#group);
  }
}

/**
 * Creates a database with these entries, and first removes the output of an interrupted call. Resolves
 * with the number of entries when they survive a power cut.
 */
export async function createDatabase(
  folder: string,
  entries: AsyncIterable<Entry>,
  options?: OpenOptions,
): Promise<number> {
  fs.rmSync(folder, { recursive: true, force: true });
  const store = await RocksDbStore.open(folder, options);
  let count = 0;
  try {
    const writes = new BulkWrites(store);
    for await (const { key, value } of entries) {
      await writes.add(put(key, value));
      count += 1;
    }
    await writes.end();
  } finally {
    await store.close();
  }
  await syncFolder(folder);
  return count;
}
