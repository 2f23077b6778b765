/**
 * `npm test`: installs, builds, checks types, style, import directions and dead code, then runs
 * every kind of test.
 */
import { ensureBuilt, ensureInstalled, run } from './lib/fresh.mjs';

const startedAt = Date.now();
ensureInstalled();
await ensureBuilt();
run('npm', ['run', '--silent', 'check']);
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
console.log(`npm test: all green in ${Math.round((Date.now() - startedAt) / 1000)} s`);
