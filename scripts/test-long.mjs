/**
 * `npm run test:long`: the long forms of the tests of faults and properties, and every attack with
 * its bounds of time and memory. Takes an hour or more on a quiet machine, which the bounds need.
 */
import { ensureBuilt, ensureInstalled, run } from './lib/fresh.mjs';

const LONG_KINDS = ['crash', 'property', 'integration'];

ensureInstalled();
await ensureBuilt();
process.env.LONG_TESTS = '1';
const projects = LONG_KINDS.flatMap((kind) => ['--project', kind]);
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...projects]);
run(process.execPath, ['dist/load-tests/run-attacks.js']);
