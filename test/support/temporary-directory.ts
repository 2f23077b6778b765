/** What a run of the tests leaves in temporary folders goes when the run ends, with one folder. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from './until.ts';

/** Called before all tests, whose processes take over the variables. @returns what ends it */
export function setup(): () => Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gannet-'));
  process.env['TMPDIR'] = folder;
  return async () => {
    await until('the folder of the run is removed', () => isRemoved(folder));
  };
}

/** False while a browser that ends still writes into its profile. */
function isRemoved(folder: string): boolean {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    return false;
  }
}
