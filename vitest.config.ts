/**
 * One project for all kinds of tests: projects share no modules, so each would transform and load the
 * sources again. The kind of a test is its folder, which `vitest run test/KIND` names.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/until.ts';

/** For tests that wait for several conditions; only one that will never end comes near it. */
const TEST_MS = 5 * PATIENCE_MS;

export default defineConfig({
  test: {
    include: ['test/*/**/*.test.ts'],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: PATIENCE_MS, interval: 10 } },
    pool: 'forks',
    // A test waits for its servers most of the time, so there is one worker more than processors.
    maxWorkers: availableParallelism() + 1,
    // Files of one worker share its modules: loading them again for each file takes more processor
    // time than the tests. No test mocks modules; a test that changes the process restores it.
    isolate: false,
    passWithNoTests: true,
    globalSetup: ['test/support/temporary-directory.ts'],
    setupFiles: ['test/support/seed-properties.ts'],
  },
});
