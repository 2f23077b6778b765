/** Bytes that query threads have written for one request: all parts of its answer together. */
import { responseTooLarge } from '../../core/errors.ts';
import type { ApiConfig } from '../contract/context.ts';

export class AnswerSize {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor({ answerBytesMax }: Pick<ApiConfig, 'answerBytesMax'>) {
    this.#bytesMax = answerBytesMax;
  }

  /** @throws ApiError `response_too_large` */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) throw responseTooLarge(this.#bytesMax);
  }
}
