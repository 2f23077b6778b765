/**
 * `npm run test:long`: the long forms of the tests, and every attack with its time and memory limits.
 * Takes some hours. Needs an otherwise idle machine, because of the limits.
 */
import { ensureBuilt, ensureInstalled, run } from './lib/fresh.mjs';

const LONG_KINDS = ['crash', 'e2e', 'property', 'contract', 'integration', 'unit'];

ensureInstalled();
await ensureBuilt();
process.env.LONG_TESTS = '1';
const folders = LONG_KINDS.map((kind) => `test/${kind}/`);
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...folders]);
run(process.execPath, ['dist/load-tests/run-attacks.js']);
