/** Why a request to another server came to nothing before there was an answer to look at. */

/**
 * - refused: the address, scheme or redirect is not allowed; asking again changes nothing
 * - unreachable: name, connection or TLS failed, or the connection broke
 * - timeout: the answer was not complete in time
 * - tooLarge: the answer is longer than the caller takes
 * - aborted: the caller's signal said stop
 */
export type OutgoingFailure = 'refused' | 'unreachable' | 'timeout' | 'tooLarge' | 'aborted';

/** Messages name scheme, host and port at most: paths and queries may hold secrets. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly failure: OutgoingFailure;
  constructor(failure: OutgoingFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
