/**
 * Note in a data folder: the URL of the object store that it caches. A folder is either a cache of
 * one store or has data of its own; opening it as the other would delete or hide data.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DATABASE } from '../data-folder/data-folder.ts';
import { DataFolderRefused } from '../data-folder/data-folder-check.ts';

const NOTE = 'object-store';

/** @param store null = the folder has data of its own. @throws DataFolderRefused */
export function checkStoreNote(root: string, store: string | null): void {
  const noted = read(root);
  if (noted !== null && noted !== store)
    throw new DataFolderRefused(
      `data folder ${root} is the cache of ${noted}: start with \`--store ${noted}\`, or choose another \`--db-path\``,
    );
  if (store !== null && noted === null && fs.existsSync(path.join(root, DATABASE, 'CURRENT')))
    throw new DataFolderRefused(
      `data folder ${root} has data of its own, which \`--store\` would hide: choose another \`--db-path\``,
    );
}

export function writeStoreNote(root: string, store: string): void {
  fs.writeFileSync(path.join(root, NOTE), `${store}\n`);
}

function read(root: string): string | null {
  const file = path.join(root, NOTE);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : null;
}
