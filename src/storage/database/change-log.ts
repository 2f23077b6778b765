/**
 * Log of changes in a database that other processes follow: each group of writes adds entries with the
 * keys that it changed, in the same transaction. A follower reads the entries after its position instead
 * of the whole database.
 *
 *   ("change", position) → JSON of `StateChange`; positions are consecutive, only the newest
 *   `ENTRIES_KEPT` exist
 *   ("meta", "writer")   → the process that writes (cluster/writer-note.ts)
 */

import { jsonBytes } from '../../core/json.ts';
import { GroupCommit, type GroupedWrite } from './group-commit.ts';
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
/** Beginnings of keys of kinds that followers do not hold in memory. */
const UNLOGGED = ['task', 'payload', 'batch', 'attempt'].map((kind) => encodeKey(kind));
const INDEX = [encodeKey('index')];

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

/**
 * Adds entries of the log to each group of writes, and hides the log from backups. Writes of a group
 * share an entry: each one takes a follower longer to read than the row of a task. A write that changes
 * an index has an entry of its own, because tasks show as finished with the indexes of their entry.
 */
export class LoggedStore implements KeyValueStore {
  readonly #store: KeyValueStore;
  readonly #commits: GroupCommit;
  readonly #entriesKept: number;
  #next: number;

  private constructor(store: KeyValueStore, next: number, entriesKept: number) {
    this.#store = store;
    this.#next = next;
    this.#entriesKept = entriesKept;
    this.#commits = new GroupCommit({
      apply: (group) => this.#apply(group),
      toError: (error) => error,
    });
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

  write(operations: readonly WriteOperation[], survival: Survival = 'power cut'): Promise<void> {
    return this.#commits.write(operations, survival);
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

  async close(): Promise<void> {
    await this.#commits.close();
    await this.#store.close();
  }

  async #apply(group: readonly GroupedWrite[]): Promise<void> {
    const operations = group.flatMap((write) => write.operations);
    for (const change of changesOf(group)) {
      const position = this.#next++;
      operations.push(put(changeKey(position), jsonBytes(change)));
      const oldest = position - this.#entriesKept;
      if (oldest >= 0) operations.push(del(changeKey(oldest)));
    }
    const isSynced = group.some(({ survival }) => survival === 'power cut');
    await this.#store.write(operations, isSynced ? 'power cut' : 'process');
  }
}

const blockUids = (block: number): number[] =>
  Array.from({ length: BLOCK_TASKS }, (_, i) => block * BLOCK_TASKS + i);

class CollectedChange {
  readonly #index = new Set<number>();
  readonly #row = new Set<number>();
  readonly #kinds = new Set<string>();

  add(key: Uint8Array): void {
    const [kind, second] = decodeKey(key) as [string, string | number | undefined];
    if (kind === 'index') this.#index.add(second as number);
    else if (kind === 'row') this.#row.add(second as number);
    else if (kind === 'rowBlock') for (const uid of blockUids(second as number)) this.#row.add(uid);
    else this.#kinds.add(kind === 'meta' ? `${kind} ${second}` : kind);
  }

  get isEmpty(): boolean {
    return this.#index.size + this.#row.size + this.#kinds.size === 0;
  }

  get change(): StateChange {
    return { index: [...this.#index], row: [...this.#row], kinds: [...this.#kinds] };
  }
}

/** What followers need to know of a group. */
function changesOf(group: readonly GroupedWrite[]): StateChange[] {
  const shared = new CollectedChange();
  const changes: CollectedChange[] = [];
  for (const { operations } of group) {
    const keys = operations.map(({ key }) => key).filter((key) => !beginsWithAny(key, UNLOGGED));
    const hasIndex = keys.some((key) => beginsWithAny(key, INDEX));
    const change = hasIndex ? new CollectedChange() : shared;
    if (hasIndex) changes.push(change);
    for (const key of keys) change.add(key);
  }
  return [shared, ...changes].filter(({ isEmpty }) => !isEmpty).map(({ change }) => change);
}

const beginsWithAny = (key: Uint8Array, prefixes: readonly Uint8Array[]): boolean =>
  prefixes.some((prefix) => prefix.every((byte, i) => key[i] === byte));

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
