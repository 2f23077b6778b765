/**
 * Digests of secrets under a per-process key, so that comparisons and look-ups take the same time
 * for all secrets.
 */
import { createHmac, randomBytes } from 'node:crypto';

const PROCESS_KEY = randomBytes(32);

export const secretDigest = (secret: string): Buffer =>
  createHmac('sha256', PROCESS_KEY).update(secret).digest();
