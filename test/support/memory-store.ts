/**
 * In-memory implementation of the key-value store for tests, with a hook before and after the
 * commit point. Each write copies the list of all entries.
 */
import { compareKeys } from '../../src/storage/database/key-encoding.ts';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  StoreView,
  WriteOperation,
} from '../../src/storage/database/key-value-store.ts';

export interface MemoryStoreOptions {
  /**
   * Called before and after each write takes effect. A hook that throws simulates a crash at this
   * point.
   */
  readonly onWrite?: (moment: 'before' | 'after', operations: readonly WriteOperation[]) => void;
}

/** State that survives a crash. Pass it to a second store to simulate a restart. */
export class MemoryDisk {
  entries: Entry[] = [];
}

export class MemoryStore implements KeyValueStore {
  readonly #disk: MemoryDisk;
  readonly #options: MemoryStoreOptions;
  #state: 'open' | 'broken' | 'closed' = 'open';

  constructor(disk: MemoryDisk = new MemoryDisk(), options: MemoryStoreOptions = {}) {
    this.#disk = disk;
    this.#options = options;
  }

  async get(key: Uint8Array): Promise<Uint8Array | null> {
    this.#mustBeOpen();
    return lookUp(this.#disk.entries, key);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    this.#mustBeOpen();
    const entries = this.#disk.entries;
    return keys.map((key) => lookUp(entries, key));
  }

  async *iterate(range: KeyRange): AsyncIterable<Entry> {
    this.#mustBeOpen();
    yield* within(this.#disk.entries, range);
  }

  view(): StoreView {
    this.#mustBeOpen();
    const { entries } = this.#disk;
    return {
      get: async (key) => lookUp(entries, key),
      getMany: async (keys) => keys.map((key) => lookUp(entries, key)),
      iterate: async function* (range) {
        yield* within(entries, range);
      },
      close: async () => undefined,
    };
  }

  async write(operations: readonly WriteOperation[]): Promise<void> {
    this.#mustBeOpen();
    if (this.#state === 'broken') throw new Error('the store failed before and must be reopened');
    try {
      this.#options.onWrite?.('before', operations);
      this.#apply(operations);
      this.#options.onWrite?.('after', operations);
    } catch (error) {
      this.#state = 'broken';
      throw error;
    }
  }

  /** Nothing to do: deleted entries take no space. */
  async compact(): Promise<void> {
    this.#mustBeOpen();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
  }

  /** A new array for each write, so that running iterations keep their snapshot. */
  #apply(operations: readonly WriteOperation[]): void {
    const entries = [...this.#disk.entries];
    for (const operation of operations) {
      const at = lowerBound(entries, operation.key);
      const found = entries[at];
      const present = found !== undefined && compareKeys(found.key, operation.key) === 0 ? 1 : 0;
      if (operation.kind === 'put')
        entries.splice(at, present, { key: operation.key.slice(), value: operation.value.slice() });
      else entries.splice(at, present);
    }
    this.#disk.entries = entries;
  }

  #mustBeOpen(): void {
    if (this.#state === 'closed') throw new Error('the store is closed');
  }
}

function within(all: readonly Entry[], range: KeyRange): Entry[] {
  const low = range.gte === undefined ? 0 : lowerBound(all, range.gte);
  const high = range.lt === undefined ? all.length : lowerBound(all, range.lt);
  const entries = all.slice(low, Math.max(low, high));
  if (range.reverse === true) entries.reverse();
  return entries.slice(0, range.limit ?? entries.length);
}

function lookUp(entries: readonly Entry[], key: Uint8Array): Uint8Array | null {
  const found = entries[lowerBound(entries, key)];
  return found !== undefined && compareKeys(found.key, key) === 0 ? found.value : null;
}

/** Index of the first entry whose key is ≥ `key`. */
function lowerBound(entries: readonly Entry[], key: Uint8Array): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((entries[middle] as Entry).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
