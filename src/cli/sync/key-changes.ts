/** From messages of the stream to the keys of changed documents. Pure. */
import type { RowKey, SourceEvent } from './change-source.ts';
import type { Message } from './pgoutput.ts';

/** How rows of a table change documents of an index. */
export interface Watch {
  readonly indexUid: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** True if the columns are not the key, but a query finds it. */
  readonly isRelated: boolean;
}

export type WatchesByTable = ReadonlyMap<number, readonly Watch[]>;

/** The events of one message. Old and new row each give a key, which are equal in most updates. */
export function* eventsOf(message: Message, watches: WatchesByTable): Generator<SourceEvent> {
  if (message.kind === 'commit')
    yield { kind: 'position', position: message.end, committedMs: message.committedMs };
  if (message.kind === 'truncate') {
    const emptied = message.tables.flatMap((table) => watches.get(table) ?? []);
    for (const indexUid of new Set(emptied.map((watch) => watch.indexUid)))
      yield { kind: 'all', indexUid };
  }
  if (message.kind !== 'row') return;
  for (const { indexUid, table, columns, isRelated } of watches.get(message.table) ?? [])
    for (const key of keysOf(message.tuples, columns))
      yield isRelated
        ? { kind: 'related', indexUid, table, value: key[0] ?? '' }
        : { kind: 'key', indexUid, key };
}

/** Keys with NULL belong to no document. */
function keysOf(
  tuples: Extract<Message, { kind: 'row' }>['tuples'],
  columns: readonly string[],
): readonly RowKey[] {
  const keys: RowKey[] = [];
  for (const tuple of tuples) {
    // A large value that did not change is sent with the old row only, which comes first.
    const key = columns.map((column) => tuple.get(column) ?? tuples[0]?.get(column) ?? null);
    if (key.every((value) => value !== null)) keys.push(key);
  }
  return keys;
}
