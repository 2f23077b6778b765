/**
 * `npm run check:advisories`: queries the registry for known vulnerabilities of the packages in the
 * lockfile. Exit code 0 = none, 1 = some, 2 = the registry does not answer such requests.
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
