/** Counts the bytes that query threads have written for one request: all parts of its answer. */
import type { Requester } from '../../core/caller.ts';
import { responseTooLarge } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { ApiConfig } from '../contract/context.ts';

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
    if (this.#bytes > limits.countedAnswerBytesMin) this.#caller.holdsAnswer?.(this.#bytes);
  }
}
