/** A file with the instance's UID, so that operators can look it up. */
import fs from 'node:fs';
import path from 'node:path';

const FILE = 'instance-uid';
const OWNER_ONLY = 0o600;

/**
 * The database is authoritative: a file with another UID, as in a copied folder, is overwritten.
 */
export function showInstanceUid(root: string, uid: string): void {
  const file = path.join(root, FILE);
  const text = `${uid}\n`;
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.writeFileSync(file, text, { mode: OWNER_ONLY });
}
