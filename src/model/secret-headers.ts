/** Masks headers of outgoing requests in answers if they commonly contain secrets. */
import { maskSecret } from '../core/mask-secret.ts';

/** Suffixes of such names in lower case, for example of `x-goog-api-key` or `private-token`. */
const SECRET_ENDS = [
  'authorization',
  'api-key',
  'apikey',
  'access-key',
  'functions-key',
  'subscription-key',
  'auth-token',
  'cookie',
  'private-token',
];

export const isSecretHeader = (name: string): boolean =>
  SECRET_ENDS.some((end) => name.toLowerCase().endsWith(end));

export const maskedHeader = (name: string, value: string): string =>
  isSecretHeader(name) ? maskSecret(value) : value;
