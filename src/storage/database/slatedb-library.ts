/**
 * The library of SlateDB, loaded when a store is opened. It is not a dependency of the server,
 * because of its size; here are the types of the part that `slatedb-store.ts` and
 * `slatedb-reader.ts` use.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type StructCalls, withDirectBatches } from './slatedb-batches.ts';
import { withPollsElsewhere } from './slatedb-polls.ts';

export interface SlateIterator {
  next(): Promise<{ readonly key: Uint8Array; readonly value: Uint8Array } | undefined>;
  dispose(): void;
}

interface ScanRange {
  readonly start: Uint8Array | undefined;
  readonly start_inclusive: boolean;
  readonly end: Uint8Array | undefined;
  readonly end_inclusive: boolean;
}

interface ScanOptions {
  readonly durability_filter: 'Remote' | 'Memory';
  readonly dirty: boolean;
  readonly read_ahead_bytes: number;
  readonly cache_blocks: boolean;
  readonly max_fetch_tasks: number;
  readonly order: 'Ascending' | 'Descending';
}

export interface SlateReads {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  scan_with_options(range: ScanRange, options: ScanOptions): Promise<SlateIterator>;
  dispose(): void;
}

export interface WriteBatch {
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
  dispose(): void;
}

export interface SlateDb extends SlateReads {
  write_with_options(
    batch: WriteBatch,
    options: { readonly await_durable: boolean },
  ): Promise<unknown>;
  flush_with_options(options: { readonly flush_type: 'MemTable' | 'Wal' }): Promise<void>;
  snapshot(): Promise<SlateReads>;
  status(): { readonly close_reason: string | undefined };
  shutdown(): Promise<void>;
}

export interface SlateReader extends SlateReads {
  shutdown(): Promise<void>;
}

interface ReaderOptions {
  readonly manifest_poll_interval_ms: number;
  readonly checkpoint_lifetime_ms: number;
  readonly max_memtable_bytes: number;
  readonly skip_wal_replay: boolean;
}

export interface MetricsRecorder {
  metrics_by_name(name: string): readonly {
    readonly labels: readonly { readonly key: string; readonly value: string }[];
    readonly value: { readonly ''?: bigint | number };
  }[];
}

interface DbReaderBuilder {
  with_options(options: ReaderOptions): void;
  with_metrics_recorder(recorder: MetricsRecorder): void;
  build(): Promise<SlateReader>;
  dispose(): void;
}

interface WalFile {
  iterator(): Promise<{ next(): Promise<unknown>; dispose(): void }>;
  dispose(): void;
}

interface WalReader {
  get(id: number): WalFile;
  dispose(): void;
}

interface Settings {
  set(key: string, valueJson: string): void;
}

interface DbBuilder {
  with_settings(settings: Settings): void;
  with_metrics_recorder(recorder: MetricsRecorder): void;
  build(): Promise<SlateDb>;
  dispose(): void;
}

interface ObjectStoreHandle {
  dispose(): void;
}

export interface SlateLibrary {
  readonly DefaultMetricsRecorder: new () => MetricsRecorder;
  readonly DbBuilder: new (path: string, store: ObjectStoreHandle) => DbBuilder;
  readonly DbReaderBuilder: new (path: string, store: ObjectStoreHandle) => DbReaderBuilder;
  readonly ObjectStore: { resolve(url: string): ObjectStoreHandle };
  readonly Settings: { default(): Settings };
  readonly WalReader: new (path: string, store: ObjectStoreHandle) => WalReader;
  readonly WriteBatch: new () => WriteBatch;
}

const NAME = '@slatedb/uniffi';
/** As in the peer dependencies; another version may read and write other files. */
const VERSION = '0.12';

/** The library cannot be loaded; the message says how to install it. */
class SlateDbMissing extends Error {
  override readonly name = 'SlateDbMissing';
}

let loaded: Promise<SlateLibrary> | null = null;

/** @throws SlateDbMissing */
export function loadSlateDb(): Promise<SlateLibrary> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<SlateLibrary> {
  try {
    const calls = nativeCalls();
    const library = () => import(NAME) as Promise<SlateLibrary>;
    if (calls === null) return await library();
    return await withPollsElsewhere(calls, () => withDirectBatches(calls, library));
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' && message.includes(NAME);
    const problem = isAbsent
      ? `needs SlateDB, which is not installed; run \`npm install --no-save --save-prod ${NAME}@${VERSION}\``
      : `cannot load SlateDB: ${message}`;
    throw new SlateDbMissing(`an object store ${problem}`, { cause: error });
  }
}

/** The instance of `koffi` that the library imports; null if the library is not installed. */
function nativeCalls(): StructCalls | null {
  const folders = createRequire(import.meta.url).resolve.paths(NAME) ?? [];
  const folder = folders.map((parent) => path.join(parent, NAME)).find(fs.existsSync);
  if (folder === undefined) return null;
  return createRequire(path.join(fs.realpathSync(folder), 'index.js'))('koffi') as StructCalls;
}
