/**
 * Port: ordered byte keys with atomic, durable write batches. `rocksdb-store.ts` is the real one,
 * `memory-store.ts` its twin for tests.
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

/** What a write survives once it has resolved: the end of this process, or a power cut as well. */
export type Survival = 'process' | 'power cut';

export interface KeyValueReader {
  get(key: Uint8Array): Promise<Uint8Array | null>;
  /** Values in the order of `keys`; null where there is none. All are of one moment. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]>;
  /** Entries in key order (unsigned bytes), of the moment the iteration began. */
  iterate(range: KeyRange): AsyncIterable<Entry>;
}

/** Everything as it was at one moment. */
export interface StoreView extends KeyValueReader {
  /** To be called once, before the store is closed. */
  close(): Promise<void>;
}

export interface KeyValueStore extends KeyValueReader {
  /** What all writes that have resolved, and no later ones, have made. */
  view(): StoreView;
  /**
   * All operations or none, in their order (the last one on a key wins). Resolves when they survive
   * what they are to survive, a power cut if nothing is said; promises resolve in the order of the
   * calls. After a rejection the state on disk is unknown: the store refuses every later write and
   * must be reopened.
   */
  write(operations: readonly WriteOperation[], survival?: Survival): Promise<void>;
  /** Gives the space of what was deleted back; reads and writes go on meanwhile. */
  compact(): Promise<void>;
  /** Waits for writes under way. A later call of anything throws. */
  close(): Promise<void>;
}

export const put = (key: Uint8Array, value: Uint8Array): WriteOperation => ({
  kind: 'put',
  key,
  value,
});
export const del = (key: Uint8Array): WriteOperation => ({ kind: 'delete', key });
