/** Headers of outgoing requests as answers show them: what commonly carries a secret is cut short. */
import { maskSecret } from '../core/mask-secret.ts';

/** In lower case. */
const SECRET_HEADERS = ['authorization', 'api-key', 'x-api-key'];

export const isSecretHeader = (name: string): boolean =>
  SECRET_HEADERS.includes(name.toLowerCase());

export const maskedHeader = (name: string, value: string): string =>
  isSecretHeader(name) ? maskSecret(value) : value;
