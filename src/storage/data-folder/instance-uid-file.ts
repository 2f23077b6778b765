/** The instance's UID where people find it, who may have to name the instance by it. */
import fs from 'node:fs';
import path from 'node:path';

const FILE = 'instance-uid';
const OWNER_ONLY = 0o600;

/** The database decides: a file that says something else, as in a copied folder, is replaced. */
export function showInstanceUid(root: string, uid: string): void {
  const file = path.join(root, FILE);
  const text = `${uid}\n`;
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.writeFileSync(file, text, { mode: OWNER_ONLY });
}
