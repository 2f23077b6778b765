/** Bundling leaves no process: `npm start` bundles in the process that then is the server. */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleTypebox } from '../../../scripts/lib/bundles.mjs';
import { ROOT } from '../../../scripts/lib/fresh.mjs';
import { processesOf } from '../../support/processes.ts';

const bundlers = (): readonly string[] =>
  processesOf(process.pid)
    .map(({ title }) => title)
    .filter((title) => title.includes('esbuild'));

it('ends the bundler with its work', async () => {
  const root = mkdtempSync(join(tmpdir(), 'gannet-bundles-'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await bundleTypebox(root);
  expect(existsSync(join(root, 'dist/node_modules/typebox/index.mjs'))).toBe(true);
  await expect.poll(bundlers).toEqual([]);
  rmSync(root, { recursive: true });
});
