/** Headers of outgoing requests as answers show them: what commonly carries a secret is cut short. */
import { maskSecret } from '../core/mask-secret.ts';

/** Ends of their names in lower case, such as that of `x-goog-api-key` or `private-token`. */
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
