/**
 * Log of changes in a database that other processes follow: each write adds an entry with the keys
 * that it changed, in the same transaction. A follower reads the entries after its position instead
 * of the whole database.
 *
 *   ("change", position) → JSON of `StateChange`; positions are consecutive, only the newest
 *   `ENTRIES_KEPT` exist
 *   ("meta", "writer")   → the process that writes (cluster/writer-note.ts)
 */

import { jsonBytes } from '../../core/json.ts';
import { compareKeys, decodeKey, encodeKey, keyRange } from './key-encoding.ts';
import {
  del,
  type Entry,
  type KeyRange,
  type KeyValueReader,
  type KeyValueStore,
  put,
  type StoreView,
  type Survival,
  type WriteOperation,
} from './key-value-store.ts';

const CHANGE = 'change';
export const WRITER_KEY = encodeKey('meta', 'writer');
const ENTRIES_KEPT = 20_000;
/** Tasks whose rows share a key of kind `rowBlock` (tasks/store/task-blocks.ts). */
export const BLOCK_TASKS = 1024;
/** Kinds that followers do not hold in memory. */
const UNLOGGED: ReadonlySet<string> = new Set(['task', 'payload', 'batch', 'attempt']);

interface StateChange {
  /** Ids of the indexes with a new state. */
  readonly index: readonly number[];
  /** Uids of the tasks with a new row, and of all others of their blocks of rows. */
  readonly row: readonly number[];
  /** Other kinds of keys that changed. */
  readonly kinds: readonly string[];
}

export interface LoggedChange extends StateChange {
  readonly position: number;
}

const changeKey = (position: number): Uint8Array => encodeKey(CHANGE, position);

/** Position of the newest entry; −1 if there is none. */
export async function lastPosition(store: KeyValueReader): Promise<number> {
  for await (const { key } of store.iterate({ ...keyRange(CHANGE), reverse: true, limit: 1 }))
    return positionOf(key);
  return -1;
}

/**
 * Changes after a position, in their order; null if entries after it are deleted, so that everything
 * must be read.
 */
export async function changesAfter(
  store: KeyValueReader,
  position: number,
): Promise<LoggedChange[] | null> {
  const changes: LoggedChange[] = [];
  for await (const { key, value } of store.iterate({
    ...keyRange(CHANGE),
    gte: changeKey(position + 1),
  })) {
    const at = positionOf(key);
    if (at !== position + changes.length + 1) return null;
    const change = JSON.parse(new TextDecoder().decode(value)) as StateChange;
    changes.push({ position: at, ...change });
  }
  return changes;
}

/** Adds an entry of the log to each write, and hides the log from backups. */
export class LoggedStore implements KeyValueStore {
  readonly #store: KeyValueStore;
  readonly #entriesKept: number;
  #next: number;

  private constructor(store: KeyValueStore, next: number, entriesKept: number) {
    this.#store = store;
    this.#next = next;
    this.#entriesKept = entriesKept;
  }

  /** @param store opened for writing */
  static async open(store: KeyValueStore, entriesKept = ENTRIES_KEPT): Promise<LoggedStore> {
    return new LoggedStore(store, (await lastPosition(store)) + 1, entriesKept);
  }

  /** As `open`, with the changes after a position; null if entries after it are deleted. */
  static async openAfter(
    store: KeyValueStore,
    position: number,
    entriesKept = ENTRIES_KEPT,
  ): Promise<{ readonly store: LoggedStore; readonly changes: LoggedChange[] | null }> {
    const changes = await changesAfter(store, position);
    if (changes === null) return { store: await LoggedStore.open(store, entriesKept), changes };
    const next = position + changes.length + 1;
    return { store: new LoggedStore(store, next, entriesKept), changes };
  }

  write(operations: readonly WriteOperation[], survival?: Survival): Promise<void> {
    const change = changeOf(operations);
    if (change === null) return this.#store.write(operations, survival);
    const position = this.#next++;
    const entry = put(changeKey(position), jsonBytes(change));
    const oldest = position - this.#entriesKept;
    const expired = oldest < 0 ? [] : [del(changeKey(oldest))];
    return this.#store.write([...operations, entry, ...expired], survival);
  }

  get(key: Uint8Array): Promise<Uint8Array | null> {
    return this.#store.get(key);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    return this.#store.getMany(keys);
  }

  iterate(range: KeyRange): AsyncIterable<Entry> {
    return withoutLog(this.#store.iterate(range));
  }

  view(): StoreView {
    const view = this.#store.view();
    return { ...view, iterate: (range) => withoutLog(view.iterate(range)) };
  }

  compact(): Promise<void> {
    return this.#store.compact();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

const blockUids = (block: number): number[] =>
  Array.from({ length: BLOCK_TASKS }, (_, i) => block * BLOCK_TASKS + i);

/** null if followers need not know. */
function changeOf(operations: readonly WriteOperation[]): StateChange | null {
  const index = new Set<number>();
  const row = new Set<number>();
  const blocks = new Set<number>();
  const kinds = new Set<string>();
  for (const { key } of operations) {
    const [kind, second] = decodeKey(key) as [string, string | number | undefined];
    if (UNLOGGED.has(kind)) continue;
    if (kind === 'index') index.add(second as number);
    else if (kind === 'row') row.add(second as number);
    else if (kind === 'rowBlock') blocks.add(second as number);
    else kinds.add(kind === 'meta' ? `${kind} ${second}` : kind);
  }
  for (const uid of [...blocks].flatMap(blockUids)) row.add(uid);
  if (index.size + row.size + kinds.size === 0) return null;
  return { index: [...index], row: [...row], kinds: [...kinds] };
}

/** The entries that are not about the log or the process that writes. */
export async function* withoutLog(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) if (!isOfLog(entry.key)) yield entry;
}

const LOG_RANGE = keyRange(CHANGE);
const isOfLog = (key: Uint8Array): boolean =>
  (compareKeys(key, LOG_RANGE.gte) >= 0 && compareKeys(key, LOG_RANGE.lt) < 0) ||
  compareKeys(key, WRITER_KEY) === 0;

function positionOf(key: Uint8Array): number {
  const position = decodeKey(key)[1];
  if (typeof position !== 'number') throw new Error('an entry of the change log without a number');
  return position;
}
