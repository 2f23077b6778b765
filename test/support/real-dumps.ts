/** Dumps of other servers, next to the project and not in it, so they may be missing. */
import fs from 'node:fs';
import path from 'node:path';

const FOLDERS = ['../shared/data/dumps', '../../shared/data/dumps'];
const ROOT = path.resolve(import.meta.dirname, '../..');

/** null where there are none. */
export const REAL_DUMPS: string | null =
  FOLDERS.map((folder) => path.resolve(ROOT, folder)).find((folder) => fs.existsSync(folder)) ??
  null;

/** For the titles of tests. */
export const WITHOUT_REAL_DUMPS =
  REAL_DUMPS === null ? ' (skipped: ../shared/data/dumps is missing)' : '';
