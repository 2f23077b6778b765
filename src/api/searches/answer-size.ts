/** Counts the bytes that query threads have written for one request: all parts of its answer. */
import type { Requester } from '../../core/caller.ts';
import { responseTooLarge } from '../../core/errors.ts';
import type { ApiConfig } from '../contract/context.ts';

/** Shorter answers are not counted against the budget of all large answers. */
const COUNTED_BYTES_MIN = 1 << 20;

export class AnswerSize {
  readonly #bytesMax: number;
  readonly #caller: Requester;
  #bytes = 0;

  constructor({ answerBytesMax }: Pick<ApiConfig, 'answerBytesMax'>, caller: Requester) {
    this.#bytesMax = answerBytesMax;
    this.#caller = caller;
  }

  /** @throws ApiError `response_too_large`, or that of `holdsAnswer` */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) throw responseTooLarge(this.#bytesMax);
    if (this.#bytes > COUNTED_BYTES_MIN) this.#caller.holdsAnswer?.(this.#bytes);
  }
}
