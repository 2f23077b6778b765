/**
 * Digests of secrets under a key of this process: to compare or look them up shows nothing of the
 * secret by the time it takes.
 */
import { createHmac, randomBytes } from 'node:crypto';

const PROCESS_KEY = randomBytes(32);

export const secretDigest = (secret: string): Buffer =>
  createHmac('sha256', PROCESS_KEY).update(secret).digest();
