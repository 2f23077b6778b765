/** Decides whether a request may do what its route asks for: (header, action) → nothing, or an `ApiError`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import type { Action } from './actions.ts';
import { bearerToken } from './bearer.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export type Authorize = (header: string, action: Action) => void;

/**
 * With a master key only that key passes; without one everything does, apart from a malformed header.
 * Keys are compared by digest, so neither length nor content shows in the time it takes.
 */
export function createAuthorize(masterKey: string | null): Authorize {
  if (masterKey === null) return (header) => void bearerToken(header);
  const expected = digest(masterKey);
  return (header, action) => {
    const token = bearerToken(header);
    if (token === null) {
      throw new ApiError(
        'missing_authorization_header',
        'This route needs the header `Authorization: Bearer <key>`, which the request lacks.',
      );
    }
    if (!timingSafeEqual(digest(token), expected)) {
      throw new ApiError(
        'invalid_api_key',
        `The given key is not known here or does not hold the action \`${action}\`.`,
      );
    }
  };
}
