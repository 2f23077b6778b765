/**
 * One project for all kinds of tests: projects share no modules, so each would transform and load the
 * sources again. The kind of a test is its folder, which `vitest run test/KIND` names.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiledSources, DIST_MODULES } from './test/support/compiled-sources.ts';
import { PATIENCE_MS } from './test/support/until.ts';

/** For tests that wait for several conditions; only one that will never end comes near it. */
const TEST_MS = 5 * PATIENCE_MS;

const startsProcesses = ({ moduleId }: TestSpecification): boolean =>
  /\/test\/(e2e|crash)\//.test(moduleId);

/**
 * Vitest begins with large files, or with those that took long. The last files must be short, and
 * files that start processes may be small and take long.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const others = sorted.filter((file) => !startsProcesses(file));
    return [...sorted.filter(startsProcesses), ...others];
  }
}

export default defineConfig({
  plugins: [compiledSources],
  test: {
    server: { deps: { external: [DIST_MODULES] } },
    sequence: { sequencer: ProcessesFirst },
    include: ['test/*/**/*.test.ts'],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: PATIENCE_MS, interval: 25 } },
    pool: 'forks',
    // Helper threads of V8, for garbage and compilation, take processor time from the other workers.
    execArgv: ['--single-threaded'],
    // A test waits for its servers most of the time, so there is one worker more than processors.
    maxWorkers: availableParallelism() + 1,
    // Files of one worker share its modules: loading them again for each file takes more processor
    // time than the tests. No test mocks modules; a test that changes the process restores it.
    isolate: false,
    passWithNoTests: true,
    globalSetup: [
      'test/support/clean-environment.ts',
      'test/support/compiled-sources.ts',
      'test/support/temporary-directory.ts',
    ],
    setupFiles: ['test/support/seed-properties.ts'],
  },
});
