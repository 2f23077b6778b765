/** The committed kernels are what the compiler makes of their sources. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compiledKernels } from '../../../scripts/lib/kernels.mjs';

const ROOT = resolve(import.meta.dirname, '../../..');

it('the compiled kernels are those of the sources (npm run build writes them)', async () => {
  const committed = readFileSync(resolve(ROOT, 'src/engine/vectors/compiled-kernels.ts'), 'utf8');
  expect(await compiledKernels(ROOT)).toBe(committed);
});
