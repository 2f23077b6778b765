/**
 * Start here: a database whose rows an index follows. The stream of changes says only which keys have
 * changed; documents are always the rows of now. So it does not matter how often a change arrives,
 * and the last read of a key decides.
 */

import { isObject } from '../../core/json.ts';
import { parseDocument } from '../../model/document-fingerprint.ts';
import { CommandFailure } from '../command-failure.ts';
import type { SourceDocument } from '../documents/source-documents.ts';

/** The key of a row: the text of each key column. */
export type RowKey = readonly string[];

export interface SourceRow {
  readonly key: RowKey;
  /** JSON object, as the database writes it: numbers keep all digits. */
  readonly document: string;
}

export type SourceEvent =
  /** The row with this key of the table or view of an index has changed, or may have. */
  | { readonly kind: 'key'; readonly indexUid: string; readonly key: RowKey }
  /** A row of another table has changed, from whose values a query finds the keys. */
  | {
      readonly kind: 'related';
      readonly indexUid: string;
      readonly table: string;
      readonly value: string;
    }
  /** Any row may have changed: a table was emptied. */
  | { readonly kind: 'all'; readonly indexUid: string }
  /** All changes up to the position have been delivered. */
  | { readonly kind: 'position'; readonly position: bigint; readonly committedMs: number | null };

/** The source must be opened again; the position has not moved. */
export class SourceInterrupted extends Error {
  override readonly name = 'SourceInterrupted';
}

/** A transaction of any session that has written and not ended. */
export interface OpenTransaction {
  readonly id: string;
  /** Process of its session; null = prepared, so it belongs to no session. */
  readonly pid: number | null;
  /** As `pg_stat_activity` has it; null = hidden from this user. */
  readonly state: string | null;
  /** Since its begin; null = hidden from this user. */
  readonly seconds: number | null;
}

export interface SourceLag {
  /** Bytes of the log after the acknowledged position. */
  readonly bytes: number;
  /** Bytes of the log that the source retains for this feed. */
  readonly retainedBytes: number;
  /** Bytes that may still be added before the source drops the feed; null = unlimited. */
  readonly bytesLeft: number | null;
  /** The source retains the log since its begin, acknowledged or not. */
  readonly oldestTransaction: OpenTransaction | null;
}

export interface FollowedIndex {
  readonly uid: string;
  /** Field that holds the document id. */
  readonly primaryKey: string;
  readonly fields: readonly string[];
}

/** What an earlier run has left. */
export interface FeedState {
  /** False = changes before now are lost, so all indexes are copied. */
  readonly hasPosition: boolean;
  /** A copy was begun and not finished. */
  readonly isCopying: boolean;
  /** Identifies the position; it does not change during a copy. */
  readonly positionId: string;
}

export interface ChangeSource {
  readonly indexes: readonly FollowedIndex[];
  /** Connects, checks the tables, and makes the position from which changes are kept. */
  open(): Promise<FeedState>;
  /** Stores in the source that a copy is unfinished, or that all are finished. */
  markCopying(isCopying: boolean): Promise<void>;
  /** Resolves when reads show every change that the stream will not deliver. */
  awaitWriters(): Promise<void>;
  /** All rows in the order of their keys. @param after key of the last row that is not needed */
  rows(indexUid: string, after: RowKey | null): AsyncIterable<SourceRow>;
  /** The rows of now that have these keys, after all changes that have been delivered. */
  rowsOf(indexUid: string, keys: readonly RowKey[]): AsyncIterable<SourceRow>;
  /** Resolves when everything that was read survives a crash of the source. */
  awaitDurable(): Promise<void>;
  /** Keys of the rows that show values of another table. */
  relatedKeys(
    indexUid: string,
    table: string,
    values: readonly string[],
  ): AsyncIterable<readonly RowKey[]>;
  /** Begins the stream. @param onEnd called once, with the error that ended it */
  stream(onEvent: (event: SourceEvent) => void, onEnd: (error: Error) => void): Promise<void>;
  /** Stops or continues reading the stream. */
  setPaused(isPaused: boolean): void;
  /** The source may forget changes up to the position. */
  acknowledge(position: bigint): void;
  /** Position of the source's newest change. */
  newestPosition(): Promise<bigint>;
  /** Null = the source has dropped the feed. */
  lag(): Promise<SourceLag | null>;
  /** Indexes whose columns differ from those that `open` has found. */
  changedIndexes(): Promise<readonly string[]>;
  /** The error as `SourceInterrupted` or `CommandFailure`, if the source is its cause. */
  failure(error: unknown): unknown;
  close(): Promise<void>;
}

/** Ids of documents whose key has several columns have their values with this between them. */
const KEY_SEPARATOR = '-';

export const documentIdOf = (key: RowKey): string => key.join(KEY_SEPARATOR);

/** Rows as documents to compare an index with. */
export async function* rowDocuments(
  rows: AsyncIterable<SourceRow>,
): AsyncGenerator<SourceDocument> {
  for await (const { key, document: text } of rows) {
    const document = parseDocument(text);
    if (!isObject(document)) throw new CommandFailure(`not a JSON object: ${text.slice(0, 80)}`);
    yield { id: documentIdOf(key), document, part: 0 };
  }
}

export const isPostgresAddress = (source: string): boolean => /^postgres(ql)?:\/\//.test(source);

/** The address of a source, for messages. */
export const withoutPassword = (source: string): string =>
  source.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, '$1@');

/** The transaction, for messages. */
export function transactionName({ pid, state, seconds }: OpenTransaction): string {
  const age = seconds === null ? '' : `, open for ${Math.round(seconds)} s`;
  if (pid === null) return `a prepared transaction${age} (see pg_prepared_xacts)`;
  return `the transaction of pid ${pid}, ${state ?? 'state hidden (grant pg_read_all_stats)'}${age}`;
}
