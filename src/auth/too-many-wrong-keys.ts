/** The error for an invalid key from an address that sent too many invalid keys. */
import { TooManyRequests } from '../core/errors.ts';

export class TooManyWrongKeys extends TooManyRequests {
  constructor(retryAfterMs: number) {
    super(
      retryAfterMs,
      'The API key is invalid, and too many invalid API keys came from this address.',
    );
  }
}
