/**
 * A copy of the entries of which a database on SlateDB has thousands: rows of tasks and states of
 * indexes. SlateDB returns entries one by one, so a process that starts reads the copy, which is one
 * object, and from the database only what the log of changes names after it.
 *
 *   entries (rows-file.ts): uid of the instance, newest entry of the log, rows of tasks, states of indexes
 *
 * The database decides: a copy that does not fit is not used, and none is needed.
 */
import { changesAfter, lastPosition, loggedPosition, NEWEST_CHANGE } from './change-log.ts';
import { compareKeys, encodeKey, keyRange } from './key-encoding.ts';
import { type Entry, entriesIn, type KeyValueReader } from './key-value-store.ts';
import { decodeRows, encodeRows } from './rows-file.ts';
import { STORE_VALUES } from './value-formats.ts';

const UID_KEY = encodeKey('meta', 'instanceUid');

/** Tasks before indexes, which are then never older than a task that shows as finished. */
const KINDS = ['row', 'index'] as const;

/** Entries of the database, in the order of their keys. */
export type CopiedState = Readonly<Record<(typeof KINDS)[number], AsyncIterable<Entry>>>;

/** Differs between formats of the values, so that no process reads a copy of another format. */
export const COPY_NAME = KINDS.map((kind) => {
  const [version] = STORE_VALUES.encode(encodeKey(kind, 0), new Uint8Array());
  return `${kind}${version}`;
}).join('-');

interface Changed {
  readonly key: Uint8Array;
  /** null = deleted. */
  readonly value: Uint8Array | null;
}

/**
 * The state of the database, or a newer one of entries that the log names later. null if the copy is of
 * another database or a later position, or the log has no longer all changes after it.
 */
export async function stateAfter(
  store: KeyValueReader,
  copy: Uint8Array,
): Promise<CopiedState | null> {
  const [uid, newest] = await headOf(copy);
  const stored = await store.get(UID_KEY);
  if (!uid || !newest || !stored || compareKeys(uid.value, stored) !== 0) return null;
  const position = loggedPosition(newest.key);
  if ((await lastPosition(store)) < position) return null;
  const changes = await changesAfter(store, position);
  if (changes === null) return null;
  const state = {} as Record<keyof CopiedState, AsyncIterable<Entry>>;
  for (const kind of KINDS) {
    const numbers = [...new Set(changes.flatMap((change) => change[kind]))].sort((a, b) => a - b);
    const keys = numbers.map((number) => encodeKey(kind, number));
    const values = await store.getMany(keys);
    const changed = keys.map((key, i) => ({ key, value: values[i] ?? null }));
    state[kind] = { [Symbol.asyncIterator]: () => merged(entriesOf(copy, kind), changed) };
  }
  return state;
}

/**
 * The entries of a view; null if nothing was logged. The view may have a write that its database refuses later:
 * use the copy only after a later write was accepted.
 * @param older an earlier copy, which saves reads
 * @throws when the signal is aborted
 */
export async function copyState(
  view: KeyValueReader,
  older: Uint8Array | null,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const uid = await view.get(UID_KEY);
  const [newest] = await entriesIn(view, NEWEST_CHANGE);
  if (uid === null || newest === undefined) return null;
  const known = older === null ? null : await stateAfter(view, older);
  async function* all(head: readonly Entry[]): AsyncGenerator<Entry> {
    yield* head;
    for (const kind of KINDS) yield* known?.[kind] ?? view.iterate(keyRange(kind));
  }
  const chunks: Uint8Array[] = [];
  const entries = all([{ key: UID_KEY, value: uid }, newest]);
  for await (const chunk of encodeRows(entries, () => signal.throwIfAborted())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Position of the newest change that the copy has. */
export async function copiedPosition(copy: Uint8Array): Promise<number> {
  const [, newest] = await headOf(copy);
  return newest === undefined ? -1 : loggedPosition(newest.key);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function headOf(copy: Uint8Array): Promise<Entry[]> {
  const head: Entry[] = [];
  for await (const entry of decodeRows(once(copy))) {
    head.push(entry);
    if (head.length === 2) break;
  }
  return head;
}

async function* entriesOf(copy: Uint8Array, kind: keyof CopiedState): AsyncGenerator<Entry> {
  const { gte, lt } = keyRange(kind);
  for await (const entry of decodeRows(once(copy)))
    if (compareKeys(entry.key, gte) >= 0 && compareKeys(entry.key, lt) < 0) yield entry;
}

/** @param changed in the order of their keys; they replace, add and remove entries */
async function* merged(
  entries: AsyncIterable<Entry>,
  changed: readonly Changed[],
): AsyncGenerator<Entry> {
  let at = 0;
  const changedTo = function* (key: Uint8Array | null): Generator<Entry> {
    for (; at < changed.length; at++) {
      const { key: next, value } = changed[at] as Changed;
      if (key !== null && compareKeys(next, key) > 0) return;
      if (value !== null) yield { key: next, value };
    }
  };
  for await (const entry of entries) {
    const before = at;
    yield* changedTo(entry.key);
    const last = changed[at - 1];
    const isReplaced = at > before && last && compareKeys(last.key, entry.key) === 0;
    if (!isReplaced) yield entry;
  }
  yield* changedTo(null);
}
