/**
 * The secret that authenticates fronts and the indexer of one data folder to each other: a file
 * that only its owner can read.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../files/sync-folder.ts';

const FILE = 'indexer.secret';
const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/** null until an indexer has created the file. */
export function readIndexerSecret(root: string): string | null {
  const file = path.join(root, FILE);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : null;
}

/**
 * Returns the folder's secret, creating it when missing. Call only in the process that holds the
 * folder's lock.
 */
export async function keepIndexerSecret(root: string): Promise<string> {
  const file = path.join(root, FILE);
  const known = readIndexerSecret(root);
  if (known !== null && known !== '') {
    fs.chmodSync(file, OWNER_ONLY);
    return known;
  }
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await replaceFile(root, FILE, `${secret}\n`, OWNER_ONLY);
  return secret;
}
