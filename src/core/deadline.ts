/**
 * Time budgets passed as arguments; the clock is an argument too, so that callers stay pure. A
 * `Deadline` cuts the ranking short; the end of a request stops all of its work.
 */
import { ApiError } from './errors.ts';

export class WorkEnd {
  readonly endMs: number;
  readonly #now: () => number;
  readonly #hasLeft: () => boolean;

  /**
   * @param endMs time on the monotonic clock `now`
   * @param hasLeft returns true when the client has closed the connection
   */
  constructor(endMs: number, now: () => number, hasLeft: () => boolean) {
    this.endMs = endMs;
    this.#now = now;
    this.#hasLeft = hasLeft;
  }

  get isCanceled(): boolean {
    return this.#hasLeft();
  }

  /** @throws WorkStopped */
  check(): void {
    if (this.#hasLeft()) throw new WorkStopped('clientLeft');
    if (this.#now() >= this.endMs) throw new WorkStopped('timeout');
  }
}

/** Not an `ApiError`: the parts of a search that report query errors rethrow it. */
export class WorkStopped extends Error {
  readonly reason: 'clientLeft' | 'timeout';
  constructor(reason: 'clientLeft' | 'timeout') {
    super(reason);
    this.reason = reason;
  }
  toApiError(): ApiError {
    return this.reason === 'clientLeft' ? clientLeft() : searchTimeout();
  }
}

export const clientLeft = (): ApiError =>
  new ApiError('internal', 'The client closed the connection.');

const searchTimeout = (): ApiError =>
  new ApiError(
    'search_timeout',
    'The request took longer than the option `--search-timeout-seconds` allows. Send fewer queries, names or hits in one request.',
  );

export class Deadline {
  readonly #endMs: number;
  readonly #now: () => number;
  readonly #end: WorkEnd | null;
  private constructor(endMs: number, now: () => number, end: WorkEnd | null) {
    this.#endMs = endMs;
    this.#now = now;
    this.#end = end;
  }
  /** A deadline `budgetMs` from now; `now` returns milliseconds of a monotonic clock. */
  static after(budgetMs: number, now: () => number): Deadline {
    return new Deadline(now() + budgetMs, now, null);
  }
  /** A deadline at `endMs` of the clock. @param end the end of the request; null = none */
  static at(endMs: number, now: () => number, end: WorkEnd | null): Deadline {
    return new Deadline(endMs, now, end);
  }
  static never(): Deadline {
    return new Deadline(Number.POSITIVE_INFINITY, () => 0, null);
  }
  /** A new budget from now on the same clock. */
  renewed(budgetMs: number): Deadline {
    const endMs = this.#endMs === Number.POSITIVE_INFINITY ? this.#endMs : this.#now() + budgetMs;
    return new Deadline(endMs, this.#now, this.#end);
  }
  /** For work that is not cut short: exceeded only at the end of the request. */
  withoutCutoff(): Deadline {
    return new Deadline(this.#end?.endMs ?? Number.POSITIVE_INFINITY, this.#now, this.#end);
  }
  get exceeded(): boolean {
    return this.#now() >= this.#endMs || this.#end?.isCanceled === true;
  }
  /**
   * For work that is not cut short. Call it every few tenths of a millisecond.
   * @throws WorkStopped at the end of the request
   */
  check(): void {
    this.#end?.check();
  }
  /** `check` for loops: reads the clock once in a fixed number of calls. */
  checkOnceIn(calls: number): () => void {
    if (this.#end === null) return () => undefined;
    let count = 0;
    return () => {
      if (++count % calls === 0) this.check();
    };
  }
}
