/**
 * Limits the time of filters with very many conditions, or areas with very many corners; short filters
 * are not timed.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

const BUDGET_MS = 1200;
/** Of a filter in a task, which holds an indexing thread. */
export const TASK_FILTER_BUDGET_MS = 60_000;
const UNTIMED_CONDITIONS = 128;
const CONDITIONS_BETWEEN_LOOKS = 16;
const VALUES_BETWEEN_LOOKS = 512;
/** Comparisons of line segments: this many take a millisecond. */
const PAIRS_BETWEEN_LOOKS = 100_000;

export class FilterClock {
  readonly #whole: Deadline;
  readonly #end: Deadline;
  readonly #code: ErrorCode;
  readonly #budgetMs: number;
  #count = 0;
  #valueCount = 0;
  #pairCount = 0;

  /** @param whole deadline of the request, whose clock is used */
  constructor(whole: Deadline, code: ErrorCode, budgetMs = BUDGET_MS) {
    this.#whole = whole;
    this.#end = whole.renewed(budgetMs);
    this.#code = code;
    this.#budgetMs = budgetMs;
  }

  /**
   * Must be called for each condition, each value of a list and each corner of an area. Throws
   * `ApiError` at the time limit, `WorkStopped` at the end of the request.
   */
  tick(): void {
    this.#count += 1;
    const isOneOfFew = this.#count <= UNTIMED_CONDITIONS;
    if (!isOneOfFew && this.#count % CONDITIONS_BETWEEN_LOOKS !== 0) return;
    this.#whole.check();
    if (!isOneOfFew) this.#checkBudget();
  }

  /** Must be called for each stored value that is compared. Throws `WorkStopped`. */
  tickValue(): void {
    if (++this.#valueCount % VALUES_BETWEEN_LOOKS === 0) this.#whole.check();
  }

  /** Must be called with each number of pairs of line segments that are compared. Throws as `tick`. */
  tickPairs(count: number): void {
    this.#pairCount += count;
    if (this.#pairCount < PAIRS_BETWEEN_LOOKS) return;
    this.#pairCount = 0;
    this.#whole.check();
    this.#checkBudget();
  }

  #checkBudget(): void {
    if (!this.#end.exceeded) return;
    throw new ApiError(
      this.#code,
      `The filter has too many conditions or corners: it took longer than ${this.#budgetMs} ms. Lists of values of one attribute are fastest as \`attribute IN [value, value]\`.`,
    );
  }
}
