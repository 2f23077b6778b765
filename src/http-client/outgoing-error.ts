/** Errors of requests to other servers that ended without a response. */

/**
 * - refused: the address, scheme or redirect is not allowed; a retry fails too
 * - unreachable: name, connection or TLS failed, or the connection broke
 * - timeout: the response was incomplete after the timeout
 * - tooLarge: the response exceeds the caller's limit
 * - aborted: the caller's signal was aborted
 */
export type OutgoingFailure = 'refused' | 'unreachable' | 'timeout' | 'tooLarge' | 'aborted';

/**
 * The message for callers who may search but not read settings: without the host of the other
 * server, which may belong to a private network.
 */
export const withoutHosts = (message: string): string =>
  message
    .replace(/https?:\/\/[^\s`]+/g, 'its server')
    .replace(/`[^`]+`(?= has no public)/, 'its server');

/**
 * Messages contain at most scheme, host and port, because paths and queries may contain secrets.
 */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  readonly failure: OutgoingFailure;
  constructor(failure: OutgoingFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
