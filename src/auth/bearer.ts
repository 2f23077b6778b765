/**
 * Reads the `Authorization` header: the scheme is exactly `Bearer`, the token is everything after
 * the first space.
 */
import { ApiError } from '../core/errors.ts';

const SCHEME = 'Bearer';

/**
 * The token, or null when the header is absent (empty). Throws `missing_authorization_header` or
 * `invalid_api_key`.
 */
export function bearerToken(header: string): string | null {
  if (header === '') return null;
  const space = header.indexOf(' ');
  const scheme = space < 0 ? header : header.slice(0, space);
  if (scheme !== SCHEME) {
    throw new ApiError(
      'missing_authorization_header',
      'The `Authorization` header uses another scheme than the only one accepted: `Bearer <key>`.',
    );
  }
  const token = space < 0 ? '' : header.slice(space + 1);
  if (token === '')
    throw new ApiError(
      'invalid_api_key',
      'The `Authorization` header names no key after `Bearer`.',
    );
  return token;
}
