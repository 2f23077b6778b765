/** The committed kernels are what the compiler makes of their sources. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { compiledFile, compiledKernels, KERNEL_MODULES } from '../../../scripts/lib/kernels.mjs';

const ROOT = resolve(import.meta.dirname, '../../..');

it.each(KERNEL_MODULES)(
  'the compiled kernels of $folder are those of the sources (npm run build writes them)',
  async (module) => {
    const committed = readFileSync(resolve(ROOT, compiledFile(module)), 'utf8');
    expect(await compiledKernels(ROOT, module)).toBe(committed);
  },
);
