/**
 * Start here, on the side of the indexer: keeps what fronts send, deletes what is old or too much,
 * and follows the deletion and renaming of indexes. Users are stored as hashes with a random salt
 * that is never stored: a new one each day and at each start.
 */
import { hash, randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, utcDay } from '../core/calendar-day.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { AnalyticsBatch, EventRow, SearchRow } from '../model/analytics.ts';
import { gauge, type Metric } from '../observability/metric.ts';
import type { AnalyticsFiles } from '../storage/analytics-files.ts';

const HASH_CHARACTERS = 16;
const SALT_BYTES = 16;
/** The largest batch of a front. */
const ROWS_PER_LINE_MAX = 1000;

type Row = SearchRow | EventRow;

const newSalt = (): string => randomBytes(SALT_BYTES).toString('base64url');

export interface AnalyticsKeeperOptions {
  readonly files: AnalyticsFiles;
  readonly days: number;
  readonly bytesMax: number;
  readonly indexExists: (uid: string) => boolean;
  /** null = there is no index with this id. */
  readonly nameOfIndex: (id: number) => string | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: { warn(facts: object, message: string): void };
}

export class AnalyticsKeeper {
  readonly #options: AnalyticsKeeperOptions;
  readonly #work = new SerialQueue();
  /** Renamed and deleted indexes whose rows are still stored; null = deleted. */
  #changed = new Map<string, { readonly to: string | null; readonly beforeMs: number }>();
  #salt = { day: '', text: newSalt() };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnalyticsKeeperOptions) {
    this.#options = options;
  }

  /** Deletes what an earlier process left of indexes that do not exist. */
  start(): void {
    void this.#work.run(() => this.#clean(true));
    this.#timer = setInterval(() => void this.#work.run(() => this.#removeOld()), HOUR_MS).unref();
  }

  /** Resolves when the work begun has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work.run(() => undefined);
  }

  /** Resolves when the rows survive the end of this process. */
  add({ searches, events }: AnalyticsBatch): Promise<null> {
    return this.#work.run(() => {
      this.#append('searches', searches);
      this.#append('events', events);
      this.#removeExcess();
      return null;
    });
  }

  /** The index with this id lost its name: it was deleted, or has another one. */
  indexGone({ uid, indexId }: { readonly uid: string; readonly indexId: number }): void {
    const { nameOfIndex, now } = this.#options;
    this.#changed.set(uid, { to: nameOfIndex(indexId), beforeMs: now() });
    void this.#work.run(() => this.#clean(false));
  }

  metrics(): Metric[] {
    const bytes = this.#options.files.list().reduce((sum, file) => sum + file.bytes, 0);
    return [gauge('gannet_analytics_bytes', 'Size of the files of search analytics', bytes)];
  }

  #append(kind: string, rows: readonly Row[]): void {
    const { files, indexExists, now } = this.#options;
    const day = utcDay(now());
    const kept = rows.filter(({ index }) => indexExists(index));
    for (let i = 0; i < kept.length; i += ROWS_PER_LINE_MAX) {
      const some = kept.slice(i, i + ROWS_PER_LINE_MAX);
      files.append(
        kind,
        day,
        some.map((row) => this.#withoutUser(row, day)),
      );
    }
  }

  #withoutUser(row: Row, day: string): Row {
    if (row.user === undefined) return row;
    if (this.#salt.day !== day) this.#salt = { day, text: newSalt() };
    // One call takes half the time of `createHash` with its object.
    const user = hash('sha256', this.#salt.text + row.user, 'base64url');
    return { ...row, user: user.slice(0, HASH_CHARACTERS) };
  }

  /** After a failure the next hour tries again. */
  #removeOld(): void {
    const { files, days, now, log } = this.#options;
    const first = utcDay(now() - days * DAY_MS);
    try {
      for (const { name, day } of files.list()) if (day <= first) files.remove(name);
    } catch (error) {
      log.warn({ err: error }, 'old analytics could not be deleted');
    }
  }

  #removeExcess(): void {
    const { files, bytesMax } = this.#options;
    const list = files.list();
    let bytes = list.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of list) {
      if (bytes <= bytesMax) return;
      files.remove(file.name);
      bytes -= file.bytes;
    }
  }

  /** A failure leaves rows of deleted indexes until the next start. @param isStart looks at all rows */
  async #clean(isStart: boolean): Promise<void> {
    const { files, indexExists, log } = this.#options;
    this.#removeOld();
    const changed = this.#changed;
    this.#changed = new Map();
    const names = [...changed.keys()].map((uid) => `"index":"${uid}"`);
    try {
      await files.edit(
        (stored) => {
          const row = stored as Row;
          const change = changed.get(row.index);
          const index = change !== undefined && row.at <= change.beforeMs ? change.to : row.index;
          if (index === null || !indexExists(index)) return null;
          return index === row.index ? row : { ...row, index };
        },
        (content) => isStart || names.some((name) => content.includes(name)),
      );
    } catch (error) {
      log.warn({ err: error }, 'analytics of deleted indexes could not be deleted');
    }
  }
}
