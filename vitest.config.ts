/** One project per kind of test; the kind is the folder, the project's name and the npm script. */
import { defineConfig } from 'vitest/config';

const project = (kind: string, timeoutMs: number) => ({
  extends: true as const,
  test: {
    name: kind,
    include: [`test/${kind}/**/*.test.ts`],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
});

export default defineConfig({
  test: {
    pool: 'forks',
    passWithNoTests: true,
    globalSetup: ['test/support/temporary-directory.ts'],
    setupFiles: ['test/support/seed-properties.ts'],
    projects: [
      project('unit', 10_000),
      project('property', 30_000),
      project('contract', 30_000),
      project('integration', 60_000),
      project('e2e', 90_000),
      project('crash', 400_000),
      project('meta', 60_000),
    ],
  },
});
