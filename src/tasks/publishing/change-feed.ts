/**
 * The latest changes for watchers: the newest records in a bounded list, kept only while a watcher
 * asks for them.
 */
import { ApiError } from '../../core/errors.ts';
import { Waiters } from '../../core/waiters.ts';
import type { Changes } from '../../model/task.ts';

/**
 * A watcher that is more records, or UTF-16 units of JSON, behind misses the oldest of them: a task may
 * hold settings of 10 MB.
 */
const RECORDS_MAX = 20_000;
const LENGTH_MAX = 32 << 20;
const REPLY_RECORDS_MAX = 1000;
/** A longer record is alone in its reply. */
const REPLY_LENGTH_MAX = 8 << 20;
/** A feed without requests for this many milliseconds has no watcher. */
const WATCHED_MS = 30_000;
/** A request is answered after this many milliseconds, with or without changes. */
const WAIT_MS = 5000;
const WAITING_MAX = 1000;

interface Kept<T> {
  readonly record: T;
  /** Of its JSON. */
  readonly length: number;
}

export class ChangeFeed<T> {
  readonly #nowMs: () => number;
  readonly #records: Kept<T>[] = [];
  /** Of all records. */
  #length = 0;
  /** Position of the oldest kept record; a record keeps its position. */
  #first = 0;
  #askedMs = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Waiters();
  #isWaking = false;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Changes without a watcher are not recorded. */
  get isWatched(): boolean {
    return this.#nowMs() - this.#askedMs < WATCHED_MS;
  }

  add(record: T): void {
    if (!this.isWatched) {
      this.#drop(this.#records.length);
      return;
    }
    const { length } = JSON.stringify(record);
    this.#records.push({ record, length });
    this.#length += length;
    if (this.#records.length > RECORDS_MAX * 2 || this.#length > LENGTH_MAX * 2) this.#shorten();
    this.#wakeSoon();
  }

  /**
   * Resolves when there is a matching record after `after`, or after `WAIT_MS` without one. @throws
   * ApiError when too many requests wait
   */
  async changes(
    after: number | null,
    matches: (record: T) => boolean,
    waitMs = WAIT_MS,
  ): Promise<Changes<T>> {
    if (this.#waiting.size >= WAITING_MAX)
      throw new ApiError(
        'too_many_search_requests',
        `${WAITING_MAX} clients watch tasks or batches already. Try again later.`,
      );
    this.#askedMs = this.#nowMs();
    if (after === null) return { records: [], next: this.#end };
    const endMs = this.#askedMs + waitMs;
    let next = after;
    for (;;) {
      const read = this.#read(next, matches);
      next = read.next;
      const leftMs = endMs - this.#nowMs();
      if (read.records.length > 0 || leftMs <= 0) return read;
      await this.#waiting.wait(leftMs);
      this.#askedMs = this.#nowMs();
    }
  }

  get #end(): number {
    return this.#first + this.#records.length;
  }

  /** Keeps at least the newest record. */
  #shorten(): void {
    let left = this.#length;
    let count = Math.max(0, this.#records.length - RECORDS_MAX);
    for (const { length } of this.#records.slice(0, count)) left -= length;
    for (; left > LENGTH_MAX && count < this.#records.length - 1; count++)
      left -= this.#records[count]?.length ?? 0;
    this.#drop(count);
  }

  #drop(count: number): void {
    for (const { length } of this.#records.splice(0, count)) this.#length -= length;
    this.#first += count;
  }

  #read(after: number, matches: (record: T) => boolean): Changes<T> {
    const records: T[] = [];
    let replyLength = 0;
    let next = Math.min(Math.max(after, this.#first), this.#end);
    for (; next < this.#end && records.length < REPLY_RECORDS_MAX; next++) {
      const { record, length } = this.#records[next - this.#first] as Kept<T>;
      if (!matches(record)) continue;
      if (records.length > 0 && replyLength + length > REPLY_LENGTH_MAX) break;
      records.push(record);
      replyLength += length;
    }
    return { records, next };
  }

  /** Wakes waiting requests once for all records of this turn of the event loop. */
  #wakeSoon(): void {
    if (this.#isWaking || this.#waiting.size === 0) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#waiting.end();
    });
  }
}
