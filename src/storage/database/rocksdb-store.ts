/**
 * The key-value store on RocksDB; no other file imports the library. Concurrent writers share an
 * fsync (group-commit.ts). Only one process at a time can open a folder.
 */

import fs from 'node:fs';
import type RocksDB from 'rocksdb-native';
import { ApiError } from '../../core/errors.ts';
import { TimeSlices } from '../../core/time-slices.ts';
import { DISK_FULL, toStorageError } from '../files/io-errors.ts';
import { GroupCommit, type GroupedWrite, groupedOperations } from './group-commit.ts';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  StoreView,
  Survival,
  WriteOperation,
} from './key-value-store.ts';
import { STATE_VALUES, type ValueFormats } from './value-formats.ts';
import { WalSync } from './wal-sync.ts';

/** Has the process that holds the lock, for the error message of the next process. */
const holderFileOf = (folder: string): string => `${folder}.pid`;

/** Process id; null if there is no record or the process has ended. */
function holderOf(folder: string): number | null {
  const file = holderFileOf(folder);
  if (!fs.existsSync(file)) return null;
  const pid = Number(fs.readFileSync(file, 'utf8'));
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Memtable size in bytes. Two memtables may exist, and the write-ahead log takes the same amount of
 * disk. Records are small and soon overwritten or deleted, so larger memtables would only take more
 * memory and disk.
 */
const WRITE_BUFFER_BYTES = 512 << 10;
const ITERATOR_CAPACITY = 512;

export interface OpenOptions {
  /** Default: a missing database is created. */
  readonly mustExist?: boolean;
  /** null: values are read and written as stored bytes. Default: the formats of `rocksdb/`. */
  readonly values?: ValueFormats | null;
}

export class RocksDbStore implements KeyValueStore {
  readonly #folder: string;
  readonly #db: RocksDB;
  readonly #wal: WalSync;
  readonly #values: ValueFormats | null;
  readonly #commits: GroupCommit;
  #closed = false;

  private constructor(folder: string, db: RocksDB, wal: WalSync, values: ValueFormats | null) {
    this.#folder = folder;
    this.#db = db;
    this.#wal = wal;
    this.#values = values;
    this.#commits = new GroupCommit({
      apply: (group) => this.#apply(group),
      toError: toWriteError,
    });
  }

  /**
   * Throws an error for the user when another process has the database open, or when it must exist
   * and does not.
   */
  static async open(folder: string, options: OpenOptions = {}): Promise<RocksDbStore> {
    const { values = STATE_VALUES } = options;
    const Database = await loadLibrary();
    const db = new Database(folder, {
      writeBufferSize: WRITE_BUFFER_BYTES,
      maxBackgroundJobs: 2,
      createIfMissing: options.mustExist !== true,
    });
    try {
      await db.ready();
    } catch (error) {
      throw openError(folder, error);
    }
    try {
      fs.writeFileSync(holderFileOf(folder), `${process.pid}\n`);
      return new RocksDbStore(folder, db, new WalSync(folder), values);
    } catch (error) {
      await db.close();
      throw toStorageError(error);
    }
  }

  async get(key: Uint8Array): Promise<Uint8Array | null> {
    const [value] = await this.getMany([key]);
    return value ?? null;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    this.#mustBeOpen();
    return readMany(this.#db, keys, this.#values);
  }

  async *iterate(range: KeyRange): AsyncIterable<Entry> {
    this.#mustBeOpen();
    yield* entriesOf(this.#db, range, this.#values);
  }

  view(): StoreView {
    this.#mustBeOpen();
    const db = this.#db.snapshot();
    const values = this.#values;
    return {
      get: async (key) => (await readMany(db, [key], values))[0] ?? null,
      getMany: (keys) => readMany(db, keys, values),
      iterate: (range) => entriesOf(db, range, values),
      close: () => db.close(),
    };
  }

  write(operations: readonly WriteOperation[], survival: Survival = 'power cut'): Promise<void> {
    return this.#commits.write(operations, survival);
  }

  async compact(): Promise<void> {
    this.#mustBeOpen();
    await this.#db.compact();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#commits.close();
    this.#wal.close();
    fs.rmSync(holderFileOf(this.#folder), { force: true });
    await this.#db.close();
  }

  async #apply(group: readonly GroupedWrite[]): Promise<void> {
    const capacity = group.reduce((sum, { operations }) => sum + operations.length, 0);
    const batch = this.#db.write({ capacity, autoDestroy: true });
    const slices = new TimeSlices(() => performance.now());
    for (const operation of groupedOperations(group)) {
      const { key } = operation;
      if (operation.kind === 'delete') batch.tryDelete(key);
      else batch.tryPut(key, this.#values?.encode(key, operation.value) ?? operation.value);
      if (slices.isOver) await slices.next();
    }
    await batch.flush();
    if (group.some(({ survival }) => survival === 'power cut')) await this.#wal.sync();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new Error('the store is closed');
  }
}

async function readMany(
  db: RocksDB,
  keys: readonly Uint8Array[],
  values: ValueFormats | null,
): Promise<(Uint8Array | null)[]> {
  if (keys.length === 0) return [];
  const batch = db.read({ capacity: keys.length, autoDestroy: true });
  const reads = keys.map((key) => batch.get(key));
  batch.tryFlush();
  const stored = await Promise.all(reads);
  if (values === null) return stored;
  return stored.map((value, i) => (value ? values.decode(keys[i] as Uint8Array, value) : null));
}

async function* entriesOf(
  db: RocksDB,
  range: KeyRange,
  values: ValueFormats | null,
): AsyncIterable<Entry> {
  const limit = range.limit ?? Number.POSITIVE_INFINITY;
  if (limit === 0) return;
  const bounds = { ...(range.gte && { gte: range.gte }), ...(range.lt && { lt: range.lt }) };
  const capacity = Math.min(limit, ITERATOR_CAPACITY);
  const entries = db.iterator(bounds, { reverse: range.reverse === true, limit, capacity });
  if (values === null) yield* entries;
  else for await (const { key, value } of entries) yield { key, value: values.decode(key, value) };
}

function toWriteError(error: unknown): unknown {
  return isDiskFull(error)
    ? new ApiError('no_space_left_on_device', `${DISK_FULL}.`, { cause: error })
    : toStorageError(error);
}

/** The library reports errors as text only. */
function isDiskFull(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return /no space left/i.test(String(cause));
}

/** A missing system library is an error that the user can fix, not a bug. */
async function loadLibrary(): Promise<typeof RocksDB> {
  try {
    return (await import('rocksdb-native')).default;
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    const cure = reason.includes('libatomic')
      ? '; on Debian and Ubuntu install it with `apt-get install libatomic1`'
      : '';
    throw new Error(`RocksDB cannot be loaded: ${reason}${cure}`, { cause: error });
  }
}

function openError(folder: string, error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  if (/lock/i.test(text)) {
    const pid = holderOf(folder);
    const holder = pid === null ? 'another process' : `process ${pid}`;
    return new Error(
      `${folder} is already in use by ${holder}: stop it, or choose another data folder`,
      { cause: error },
    );
  }
  return new Error(`cannot open the database ${folder}: ${text}`, { cause: error });
}
