/** One project per kind of test; the kind is the folder, the project's name and the npm script. */
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/until.ts';

/** For tests that wait for several conditions; only one that will never end comes near it. */
const TEST_MS = 5 * PATIENCE_MS;

/** Their files start no processes and take one processor each: all processors are used. */
const SMALL_KINDS = ['unit', 'property', 'contract', 'integration'];
/** They come afterwards, with a processor left for what they start. */
const LARGE_KINDS = ['e2e', 'crash', 'meta'];

const project = (kind: string) => ({
  extends: true as const,
  test: {
    name: kind,
    ...(SMALL_KINDS.includes(kind) && { maxWorkers: '100%' }),
    // Small files of one worker share its modules: loading them again for each takes twice the time of
    // the tests. No test mocks modules, and state of the process is put back by the test that changes it.
    isolate: !SMALL_KINDS.includes(kind),
    sequence: { groupOrder: SMALL_KINDS.includes(kind) ? 0 : 1 },
    include: [`test/${kind}/**/*.test.ts`],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: PATIENCE_MS, interval: 10 } },
  },
});

export default defineConfig({
  test: {
    pool: 'forks',
    passWithNoTests: true,
    globalSetup: ['test/support/temporary-directory.ts'],
    setupFiles: ['test/support/seed-properties.ts'],
    projects: [...SMALL_KINDS, ...LARGE_KINDS].map(project),
  },
});
