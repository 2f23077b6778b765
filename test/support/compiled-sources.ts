/**
 * Tests import sources as modules of dist, which Node loads: it takes less processor time than a
 * transform by vitest, and their imports of each other cost nothing when they run. Vitest transforms
 * sources that have no module there, such as the pages for browsers.
 */
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { isCompiled } from '../../scripts/lib/bundles.mjs';
import { ensureCompiled, modulePath, ROOT, SOURCE_FOLDERS } from '../../scripts/lib/fresh.mjs';

export const DIST_MODULES = /\/dist\/(?:src|workers|config|scripts|load-tests)\//;

export const compiledSources: Plugin = {
  name: 'compiled sources',
  enforce: 'pre',
  resolveId(path, importer) {
    if (importer === undefined || !/^\.\.?\//.test(path)) return null;
    const source = relative(ROOT, resolve(dirname(importer), path));
    const [folder = ''] = source.split(sep);
    if (!SOURCE_FOLDERS.includes(folder) || !isCompiled(source)) return null;
    return join(ROOT, modulePath(source));
  },
};

/** Called before all tests. */
export const setup = ensureCompiled;
