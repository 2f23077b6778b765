/**
 * Port: ordered byte keys with atomic, durable write batches. Implemented by `rocksdb-store.ts`
 * and `slatedb-store.ts`.
 */

export type WriteOperation =
  | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'delete'; readonly key: Uint8Array };

export interface KeyRange {
  /** Inclusive lower bound; absent = from the first key. */
  readonly gte?: Uint8Array;
  /** Exclusive upper bound; absent = to the last key. */
  readonly lt?: Uint8Array;
  /** Descending order. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Durability of a resolved write: survives the end of the process, or also a power cut. */
export type Survival = 'process' | 'power cut';

export interface KeyValueReader {
  get(key: Uint8Array): Promise<Uint8Array | null>;
  /** Values in the order of `keys`; null for missing keys. One consistent snapshot. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]>;
  /** Entries in key order (unsigned bytes), of the snapshot taken when the iteration began. */
  iterate(range: KeyRange): AsyncIterable<Entry>;
}

export interface StoreView extends KeyValueReader {
  /** Call once, before the store is closed. */
  close(): Promise<void>;
}

export interface KeyValueStore extends KeyValueReader {
  /** Takes a snapshot with all writes that have resolved and no later ones. */
  view(): StoreView;
  /**
   * Applies all operations or none, in order (the last operation on a key wins). Resolves when the
   * write has the requested durability (default: survives a power cut). Promises resolve in the
   * order of the calls. After a rejection the state on disk is unknown: the store refuses every
   * later write and must be reopened.
   */
  write(operations: readonly WriteOperation[], survival?: Survival): Promise<void>;
  /**
   * Compacts the database to free the space of deleted entries. Reads and writes continue
   * meanwhile.
   */
  compact(): Promise<void>;
  /** Waits for pending writes. Every later call throws. */
  close(): Promise<void>;
}

export async function entriesIn(store: KeyValueReader, range: KeyRange): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of store.iterate(range)) entries.push(entry);
  return entries;
}

export const put = (key: Uint8Array, value: Uint8Array): WriteOperation => ({
  kind: 'put',
  key,
  value,
});
export const del = (key: Uint8Array): WriteOperation => ({ kind: 'delete', key });
