/** The committed kernels are what the compiler makes of their sources. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compiledFile,
  compiledKernels,
  isCompiled,
  KERNEL_MODULES,
} from '../../../scripts/lib/kernels.mjs';
import { isLongRun } from '../../support/run-length.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe.each(KERNEL_MODULES)('the compiled kernels of $folder', (module) => {
  it('name the digest of the sources (npm run build writes them)', () => {
    expect(isCompiled(ROOT, module)).toBe(true);
  });

  it.runIf(isLongRun)('are those of the sources', async () => {
    const committed = readFileSync(resolve(ROOT, compiledFile(module)), 'utf8');
    expect(await compiledKernels(ROOT, module)).toBe(committed);
  });
});
