/**
 * The secret that authenticates fronts and the indexer of one data folder to each other: a file
 * that only its owner can read.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../files/sync-folder.ts';

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
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, `${secret}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true });
  fs.renameSync(draft, file);
  await syncFolder(root);
  return secret;
}
