/** Servers for tests of applications; `test/e2e/runtime.test.ts` starts real ones. */
import { expect, it } from 'vitest';
import { createServer } from '../../../src/runtime/create-server.ts';

it('reports that the system cannot start the process', async () => {
  const { execPath } = process;
  process.execPath = '/missing/node';
  try {
    await expect(createServer()).rejects.toThrow(
      'the server did not start: spawn /missing/node ENOENT',
    );
  } finally {
    process.execPath = execPath;
  }
});
