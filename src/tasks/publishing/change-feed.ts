/**
 * The latest changes for watchers: the newest records in a bounded list, kept only while a watcher
 * asks for them.
 */
import { ApiError } from '../../core/errors.ts';
import { Waiters } from '../../core/waiters.ts';
import type { Changes } from '../../model/task.ts';

/** A watcher that is more records behind misses the oldest of them. */
const RECORDS_MAX = 20_000;
const REPLY_RECORDS_MAX = 1000;
/** A feed without requests for this many milliseconds has no watcher. */
const WATCHED_MS = 30_000;
/** A request is answered after this many milliseconds, with or without changes. */
const WAIT_MS = 5000;
const WAITING_MAX = 1000;

export class ChangeFeed<T> {
  readonly #nowMs: () => number;
  #records: T[] = [];
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
    this.#records.push(record);
    if (this.#records.length > RECORDS_MAX * 2) this.#drop(this.#records.length - RECORDS_MAX);
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

  #drop(count: number): void {
    this.#records.splice(0, count);
    this.#first += count;
  }

  #read(after: number, matches: (record: T) => boolean): Changes<T> {
    const records: T[] = [];
    let next = Math.min(Math.max(after, this.#first), this.#end);
    for (; next < this.#end && records.length < REPLY_RECORDS_MAX; next++) {
      const record = this.#records[next - this.#first] as T;
      if (matches(record)) records.push(record);
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
