/** Limits the time of filters with very many conditions; short filters are not timed. */
import type { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

const BUDGET_MS = 1200;
const UNTIMED_CONDITIONS = 128;
const CONDITIONS_BETWEEN_LOOKS = 16;
const VALUES_BETWEEN_LOOKS = 512;

export class FilterClock {
  readonly #whole: Deadline;
  readonly #end: Deadline;
  readonly #code: ErrorCode;
  #count = 0;
  #valueCount = 0;

  /** @param whole deadline of the request, whose clock is used */
  constructor(whole: Deadline, code: ErrorCode) {
    this.#whole = whole;
    this.#end = whole.renewed(BUDGET_MS);
    this.#code = code;
  }

  /**
   * Must be called for each condition and each value of a list. Throws `ApiError` at the time
   * limit, `WorkStopped` at the end of the request.
   */
  tick(): void {
    this.#count += 1;
    const isOneOfFew = this.#count <= UNTIMED_CONDITIONS;
    if (!isOneOfFew && this.#count % CONDITIONS_BETWEEN_LOOKS !== 0) return;
    this.#whole.check();
    if (isOneOfFew || !this.#end.exceeded) return;
    throw new ApiError(
      this.#code,
      `The filter has too many conditions: it took longer than ${BUDGET_MS} ms. Lists of values of one attribute are fastest as \`attribute IN [value, value]\`.`,
    );
  }

  /** Must be called for each stored value that is compared. Throws `WorkStopped`. */
  tickValue(): void {
    if (++this.#valueCount % VALUES_BETWEEN_LOOKS === 0) this.#whole.check();
  }
}
