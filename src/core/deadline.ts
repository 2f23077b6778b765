/**
 * Time budgets that are passed down by argument; the clock is an argument too, so pure code stays
 * pure. A deadline cuts the ranking short; the end of a request stops all work for it.
 */
import { ApiError } from './errors.ts';

/** Stops all work for one request. */
export class WorkEnd {
  readonly endMs: number;
  readonly #now: () => number;
  readonly #hasLeft: () => boolean;

  /**
   * @param endMs of the monotonic clock `now`
   * @param hasLeft whether the client has closed the connection
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

/** No `ApiError`: parts of a search that report the errors of a query pass it on. */
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
  /** A deadline at `endMs` of the clock. @param end of the whole request; null = none */
  static at(endMs: number, now: () => number, end: WorkEnd | null): Deadline {
    return new Deadline(endMs, now, end);
  }
  static never(): Deadline {
    return new Deadline(Number.POSITIVE_INFINITY, () => 0, null);
  }
  /** Another budget on the same clock, from now. */
  renewed(budgetMs: number): Deadline {
    const endMs = this.#endMs === Number.POSITIVE_INFINITY ? this.#endMs : this.#now() + budgetMs;
    return new Deadline(endMs, this.#now, this.#end);
  }
  /** For work that is not cut short: it is exceeded at the end of the request alone. */
  withoutCutoff(): Deadline {
    return new Deadline(this.#end?.endMs ?? Number.POSITIVE_INFINITY, this.#now, this.#end);
  }
  get exceeded(): boolean {
    return this.#now() >= this.#endMs || this.#end?.isCanceled === true;
  }
  /**
   * For work that is not cut short: to be called every few tenths of a millisecond or so.
   * @throws WorkStopped at the end of the request
   */
  check(): void {
    this.#end?.check();
  }
  /** `check` for the rounds of a loop: one call in so many looks. */
  checkOnceIn(calls: number): () => void {
    if (this.#end === null) return () => undefined;
    let count = 0;
    return () => {
      if (++count % calls === 0) this.check();
    };
  }
}
