/**
 * PostgreSQL as a source of changes: a publication names the tables, a replication slot holds the
 * position and keeps the log after it, the plugin `pgoutput` sends the keys of changed rows.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CommandFailure } from '../command-failure.ts';
import {
  type ChangeSource,
  type FeedState,
  type FollowedIndex,
  type RowKey,
  type SourceEvent,
  SourceInterrupted,
  type SourceLag,
  type SourceRow,
  transactionName,
} from './change-source.ts';
import { arrayOf, keyArrays, quoted } from './document-query.ts';
import { eventsOf, type Watch, type WatchesByTable } from './key-changes.ts';
import type { IndexMapping } from './mapping.ts';
import { PgoutputReader, readFrame, statusOf } from './pgoutput.ts';
import {
  createMarker,
  createSlot,
  type DescribedIndex,
  describeIndex,
  dropSlot,
  ensurePublication,
  oldestTransaction,
  signatureOf,
  slotNamed,
} from './postgres-catalog.ts';
import { PostgresSession } from './postgres-session.ts';
import { isVisible } from './visibility.ts';

interface PostgresOptions {
  readonly address: string;
  readonly slot: string;
  readonly publication: string;
  readonly mappings: readonly IndexMapping[];
  /** Prints a line for people. */
  readonly note: (line: string) => void;
}

/** Rows that are fetched at once. */
const FETCHED_ROWS = 100;
const FETCHED_KEYS = 5000;
const VISIBLE_POLL_MS = 5;
const WRITERS_POLL_MS = 100;
/** The oldest transaction is named after this time, and whenever the time has doubled. */
const WRITERS_NOTED_MS = 5000;
const FLUSH_POLL_MS = 20;
const FLUSH_DELAYS = 3;
/** PostgreSQL ends a stream that is silent for `wal_sender_timeout`, 60 s by default. */
const STATUS_EVERY_MS = 10_000;

/** SQLSTATE: without connection, rolled back, out of resources, slot in use, shut down. */
const TEMPORARY = /^(08|40|53|55|57)/;
/** A column or table that was there is gone: its index is copied again. */
const SCHEMA_CHANGED = /^42(703|P01)$/;
/** Codes of Node that are no matter of sockets and TLS. */
const MISTAKE = /^ERR_(?!STREAM|SOCKET|SSL|TLS)/;
/** Errors of the client, which have no code. */
const CONNECTION_LOST = /^(Connection terminated|Client (has|was)|timeout expired)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** `json` columns keep their line breaks, which strings in JSON never contain. */
const oneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');

export class PostgresSource implements ChangeSource {
  readonly #options: PostgresOptions;
  readonly #marker: string;
  readonly #session: PostgresSession;
  #indexes: readonly DescribedIndex[] = [];
  #statusTimer: NodeJS.Timeout | null = null;
  #acknowledged = 0n;
  /** Delivered transactions that no read has seen. */
  readonly #delivered = new Set<number>();
  #onEnd: (error: Error) => void = () => undefined;
  #isOpen = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#marker = `${options.slot}_copy`;
    this.#session = new PostgresSession(options.address, (error) => this.#onEnd(error));
  }

  get indexes(): readonly FollowedIndex[] {
    return this.#indexes.map(({ uid, documents: { primaryKey, fields } }) => {
      return { uid, primaryKey, fields };
    });
  }

  async open(): Promise<FeedState> {
    const { slot, publication } = this.#options;
    const { query } = this.#session;
    await this.describe();
    const [level] = await query<{ wal_level: string }>('SHOW wal_level');
    if (level?.wal_level !== 'logical')
      throw new CommandFailure(
        `PostgreSQL has wal_level = ${level?.wal_level}: set wal_level = logical in postgresql.conf and restart it`,
      );
    await this.#lock();
    await ensurePublication(query, publication, this.#indexes);
    let found = await slotNamed(query, slot);
    const hasPosition = found?.isUsable === true;
    if (!hasPosition) {
      await this.markCopying(true);
      if (found !== null) await dropSlot(query, slot);
      await this.#namingWriters(createSlot(query, slot));
      found = await slotNamed(query, slot);
    }
    const isCopying = (await slotNamed(query, this.#marker)) !== null;
    this.#isOpen = true;
    return { hasPosition, isCopying, positionId: found?.confirmed ?? '' };
  }

  /** Connects and reads tables and columns; all that `rows` needs. */
  async describe(): Promise<void> {
    await this.#session.connect();
    const described: DescribedIndex[] = [];
    for (const mapping of this.#options.mappings)
      described.push(await describeIndex(this.#session.query, mapping));
    this.#indexes = described;
  }

  /** One process follows a slot, also while it copies. The lock ends with its connection. */
  async #lock(): Promise<void> {
    const [lock] = await this.#session.query<{ isFree: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isFree"',
      [`gannet sync ${this.#options.slot}`],
    );
    if (lock?.isFree === true) return;
    throw new SourceInterrupted(`another gannet sync uses the slot ${this.#options.slot}`);
  }

  async markCopying(isCopying: boolean): Promise<void> {
    const isMarked = (await slotNamed(this.#session.query, this.#marker)) !== null;
    if (isMarked && !isCopying) await dropSlot(this.#session.query, this.#marker);
    if (!isMarked && isCopying) await createMarker(this.#session.query, this.#marker);
  }

  /**
   * Waits for the transactions that write now. The slot does not send a transaction that committed
   * before it was made, and a copy would miss it if other sessions do not see it yet.
   */
  async awaitWriters(): Promise<void> {
    await this.#namingWriters(this.#writersEnded());
  }

  async #writersEnded(): Promise<void> {
    const { next } = await this.#snapshot();
    while ((await this.#snapshot()).oldest < next) await wait(WRITERS_POLL_MS);
  }

  /** Names the oldest transaction while the work waits for the end of all that write. */
  async #namingWriters(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | null = null;
    const nameAfter = (ms: number): void => {
      timer = setTimeout(() => {
        void this.#nameOldest().catch(() => undefined);
        nameAfter(2 * ms);
      }, ms);
    };
    nameAfter(WRITERS_NOTED_MS);
    await work.finally(() => timer !== null && clearTimeout(timer));
  }

  async #nameOldest(): Promise<void> {
    const oldest = await oldestTransaction(this.#session.secondQuery);
    if (oldest !== null)
      this.#options.note(`the copy waits for the end of ${transactionName(oldest)}`);
  }

  /**
   * A commit with `synchronous_commit = off` is visible before it is flushed. A crash before that takes
   * it back, so its document must be read again: positions are acknowledged after the flush, which takes
   * at most three times `wal_writer_delay`.
   */
  async awaitDurable(): Promise<void> {
    const [now] = await this.#session.query<{ inserted: string; delayMs: number }>(
      `SELECT pg_current_wal_insert_lsn()::text AS inserted,
        (SELECT setting::int FROM pg_settings WHERE name = 'wal_writer_delay') AS "delayMs"`,
    );
    const { inserted = '0/0', delayMs = 0 } = now ?? {};
    const endMs = performance.now() + FLUSH_DELAYS * delayMs;
    for (; performance.now() < endMs; await wait(FLUSH_POLL_MS)) {
      const [state] = await this.#session.query<{ isFlushed: boolean }>(
        'SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS "isFlushed"',
        [inserted],
      );
      if (state?.isFlushed === true) return;
    }
  }

  rows(indexUid: string, after: RowKey | null): AsyncIterable<SourceRow> {
    const { documents } = this.#index(indexUid);
    return this.#read(indexUid, after === null ? documents.all : documents.after, after ?? []);
  }

  async *rowsOf(indexUid: string, keys: readonly RowKey[]): AsyncGenerator<SourceRow> {
    await this.#seeDelivered();
    yield* this.#read(indexUid, this.#index(indexUid).documents.byKeys, keyArrays(keys));
  }

  async *relatedKeys(
    indexUid: string,
    table: string,
    values: readonly string[],
  ): AsyncGenerator<readonly RowKey[]> {
    await this.#seeDelivered();
    const query = this.#index(indexUid).keysQueries.get(table) ?? '';
    for await (const part of this.#session.readAround(query, [arrayOf(values)], FETCHED_KEYS))
      yield part.map((row) => row.map(String));
  }

  async *#read(
    indexUid: string,
    query: string,
    values: readonly string[],
  ): AsyncGenerator<SourceRow> {
    const { isAmbiguous } = this.#index(indexUid).documents;
    for await (const part of this.#session.read(query, values, FETCHED_ROWS))
      for (const row of part) {
        const key = row.slice(0, -1).map(String);
        if (isAmbiguous(key))
          throw new CommandFailure(
            `index \`${indexUid}\`: the key (${key.join(', ')}) has a \`-\` in it, so another key may have the same document id; map one unique column as \`key\``,
          );
        yield { key, document: oneLine(String(row.at(-1))) };
      }
  }

  #index(uid: string): DescribedIndex {
    const index = this.#indexes.find((described) => described.uid === uid);
    if (index === undefined) throw new Error(`the index ${uid} is not mapped`);
    return index;
  }

  async #seeDelivered(): Promise<void> {
    for (; this.#delivered.size > 0; await wait(VISIBLE_POLL_MS)) {
      const { text } = await this.#snapshot();
      for (const transaction of this.#delivered)
        if (isVisible(transaction, text)) this.#delivered.delete(transaction);
    }
  }

  /** The snapshot of now: every transaction before `oldest` has ended, none from `next` on has begun. */
  async #snapshot(): Promise<{ text: string; oldest: bigint; next: bigint }> {
    const [now] = await this.#session.query<{ text: string }>(
      'SELECT pg_current_snapshot()::text AS text',
    );
    const text = now?.text ?? '';
    const [oldest = 0n, next = 0n] = text.split(':', 2).map(BigInt);
    return { text, oldest, next };
  }

  async stream(
    onEvent: (event: SourceEvent) => void,
    onEnd: (error: Error) => void,
  ): Promise<void> {
    this.#onEnd = onEnd;
    const { slot, publication } = this.#options;
    const watches = new Map<number, Watch[]>();
    for (const watch of this.#indexes.flatMap((index) => index.watches))
      watches.set(watch.relation.oid, [...(watches.get(watch.relation.oid) ?? []), watch]);
    const reader = new PgoutputReader((table, column) =>
      (watches.get(table) ?? []).some(({ columns }) => columns.includes(column)),
    );
    const options = `proto_version '1', publication_names '${quoted(publication).replaceAll("'", "''")}'`;
    await this.#session.replicate(
      `START_REPLICATION SLOT ${quoted(slot)} LOGICAL 0/0 (${options})`,
      (frame) => {
        for (const event of this.#eventsOf(frame, reader, watches)) onEvent(event);
      },
    );
    this.#statusTimer = setInterval(() => this.#sendStatus(), STATUS_EVERY_MS);
  }

  *#eventsOf(
    bytes: Buffer,
    reader: PgoutputReader,
    watches: WatchesByTable,
  ): Generator<SourceEvent> {
    const frame = readFrame(bytes);
    if (frame === null) return;
    if (frame.kind === 'keepalive') {
      yield { kind: 'position', position: frame.end, committedMs: null };
      if (frame.wantsReply) this.#sendStatus();
      return;
    }
    const message = reader.read(frame.message);
    if (message === null) return;
    if (message.kind === 'begin') this.#delivered.add(message.transaction);
    yield* eventsOf(message, watches);
  }

  setPaused(isPaused: boolean): void {
    this.#session.setPaused(isPaused);
  }

  acknowledge(position: bigint): void {
    if (position <= this.#acknowledged) return;
    this.#acknowledged = position;
    this.#sendStatus();
  }

  #sendStatus(): void {
    this.#session.send(statusOf(this.#acknowledged, Date.now()));
  }

  async newestPosition(): Promise<bigint> {
    const [now] = await this.#session.query<{ position: string }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS position`,
    );
    return BigInt(now?.position ?? 0);
  }

  async lag(): Promise<SourceLag | null> {
    const found = await slotNamed(this.#session.query, this.#options.slot);
    if (found?.isUsable !== true) return null;
    const { lagBytes, retainedBytes, bytesLeft } = found;
    return {
      bytes: Number(lagBytes),
      retainedBytes: Number(retainedBytes),
      bytesLeft: bytesLeft === null ? null : Number(bytesLeft),
      oldestTransaction: await oldestTransaction(this.#session.query),
    };
  }

  async changedIndexes(): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const mapping of this.#options.mappings) {
      const now = await describeIndex(this.#session.query, mapping);
      if (signatureOf(this.#index(mapping.uid)) !== signatureOf(now)) changed.push(mapping.uid);
    }
    return changed;
  }

  failure(error: unknown): unknown {
    const { code, message } = error as { code?: unknown; message?: string };
    if (error instanceof CommandFailure || error instanceof SourceInterrupted) return error;
    const text = `PostgreSQL: ${message || String(code)}`;
    if (typeof code !== 'string')
      return CONNECTION_LOST.test(message ?? '') ? new SourceInterrupted(text) : error;
    if (!SQLSTATE.test(code)) return MISTAKE.test(code) ? error : new SourceInterrupted(text);
    return TEMPORARY.test(code) || (this.#isOpen && SCHEMA_CHANGED.test(code))
      ? new SourceInterrupted(text)
      : new CommandFailure(`${text} (${code})`);
  }

  async close(): Promise<void> {
    if (this.#statusTimer !== null) clearInterval(this.#statusTimer);
    await this.#session.close();
  }
}
