/** Types of the part of rocksdb-native that `rocksdb-store.ts` uses; the package ships none. */
declare module 'rocksdb-native' {
  interface ReadBatch {
    get(key: Uint8Array): Promise<Uint8Array | null>;
    tryFlush(): void;
  }
  interface WriteBatch {
    tryPut(key: Uint8Array, value: Uint8Array): void;
    tryDelete(key: Uint8Array): void;
    flush(): Promise<void>;
  }
  interface Options {
    writeBufferSize?: number;
    maxBackgroundJobs?: number;
    readOnly?: boolean;
    createIfMissing?: boolean;
  }
  class RocksDB {
    constructor(path: string, options?: Options);
    ready(): Promise<void>;
    close(): Promise<void>;
    compact(): Promise<void>;
    snapshot(): RocksDB;
    read(options: { capacity: number; autoDestroy: true }): ReadBatch;
    write(options: { capacity: number; autoDestroy: true }): WriteBatch;
    iterator(
      range: { gte?: Uint8Array; lt?: Uint8Array },
      options: { reverse: boolean; limit: number; capacity: number },
    ): AsyncIterable<{ key: Uint8Array; value: Uint8Array }>;
  }
  export = RocksDB;
}
