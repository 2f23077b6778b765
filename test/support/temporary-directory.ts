/** What a run of the tests leaves in temporary folders goes when the run ends, with one folder. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Set while a run has its folder: every project of the run calls `setup`. */
const FOLDER_VARIABLE = 'GANNET_TEST_FOLDER';

/** Called before all tests, whose processes take over the variables. @returns what ends it */
export function setup(): () => void {
  if (process.env[FOLDER_VARIABLE] !== undefined) return () => undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gannet-'));
  process.env[FOLDER_VARIABLE] = folder;
  process.env['TMPDIR'] = folder;
  // Helper processes of a killed browser may still write into its profile.
  return () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
