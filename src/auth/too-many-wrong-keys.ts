/** The refusal of a wrong key from an address that has sent too many of them. */
import { TooManyRequests } from '../core/errors.ts';

export class TooManyWrongKeys extends TooManyRequests {
  constructor(retryAfterMs: number) {
    super(
      retryAfterMs,
      'The API key is invalid, and too many invalid API keys came from this address.',
    );
  }
}
