/**
 * Bounds the time that a filter of very many conditions takes; filters of few conditions are not
 * timed.
 */
import type { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

const BUDGET_MS = 1200;
const UNTIMED_CONDITIONS = 128;
const CONDITIONS_BETWEEN_LOOKS = 16;

export class FilterClock {
  readonly #end: Deadline;
  readonly #code: ErrorCode;
  #count = 0;

  /** @param clock any deadline on the clock to use */
  constructor(clock: Deadline, code: ErrorCode) {
    this.#end = clock.renewed(BUDGET_MS);
    this.#code = code;
  }

  /**
   * Call it for each condition and each value of a list. Throws `ApiError` when the time is over.
   */
  tick(): void {
    this.#count += 1;
    if (this.#count <= UNTIMED_CONDITIONS || this.#count % CONDITIONS_BETWEEN_LOOKS !== 0) return;
    if (!this.#end.exceeded) return;
    throw new ApiError(
      this.#code,
      `The filter has too many conditions: it took longer than ${BUDGET_MS} ms. Lists of values of one attribute are fastest as \`attribute IN [value, value]\`.`,
    );
  }
}
