/**
 * Digests of secrets under a per-process key, so that the time of comparisons and look-ups
 * of digests reveals nothing about the secrets.
 */
import { hash, randomBytes } from 'node:crypto';

/** One block of SHA-256. */
const PROCESS_KEY = randomBytes(32).toString('hex');

/** In Base64. */
export const secretDigest = (secret: string): string =>
  hash('sha256', PROCESS_KEY + secret, 'base64');
