/** Memory of the query cache of one thread. */
export interface CacheMemory {
  /** Bytes of the thread alone. */
  readonly ownBytes: number;
  /** Made by `SharedCache.memory`. */
  readonly shared: SharedArrayBuffer;
  /** Threads that share it. */
  readonly threads: number;
}
