/** What a run of the tests leaves in temporary folders goes when the run ends, with one folder. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Called once before all tests, whose processes take over the variable. @returns what ends it */
export function setup(): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gannet-'));
  process.env['TMPDIR'] = folder;
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
