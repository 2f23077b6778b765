/**
 * `npm run check:advisories`: asks the registry for known vulnerabilities of the packages in the
 * lockfile. Ends with 0 when there are none, 1 when there are some, 2 when the registry in use does
 * not answer such requests.
 */
import { spawnSync } from 'node:child_process';
import { verdictOf } from './lib/advisories.mjs';
import { ROOT } from './lib/fresh.mjs';

const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
  cwd: ROOT,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const { code, lines } = verdictOf(stdout);
for (const line of lines) console.log(line);
process.exitCode = code;
