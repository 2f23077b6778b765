/** Identifies the node of a data folder among the nodes of an object store, through restarts. */
import fs from 'node:fs';
import path from 'node:path';

const NOTE = 'node-id';

export function keepNodeId(root: string, createUid: () => string): string {
  const file = path.join(root, NOTE);
  const known = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
  if (known !== '') return known;
  const uid = createUid();
  fs.writeFileSync(file, `${uid}\n`);
  return uid;
}
