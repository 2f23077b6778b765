/**
 * What the start script takes for stale: dependencies against the lockfile, dist against its
 * sources.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, isBuilt, isInstalled } from '../../../scripts/lib/fresh.mjs';

let root: string;
const put = (path: string, content: string | object): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gannet-fresh-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('isInstalled', () => {
  const lock = (version: string) => ({
    packages: {
      '': { name: 'gannet' },
      'node_modules/a': { version },
      'node_modules/b-mac': { version: '1.0.0', optional: true },
    },
  });

  it('is false without node_modules', () => {
    put('package-lock.json', lock('1.0.0'));
    expect(isInstalled(root)).toBe(false);
  });

  it('is true when every package that is not optional is there in its version', () => {
    put('package-lock.json', lock('1.0.0'));
    put('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1.0.0' } },
    });
    expect(isInstalled(root)).toBe(true);
  });

  it('is false when the lockfile asks for another version or one more package', () => {
    put('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1.0.0' } },
    });
    put('package-lock.json', lock('1.0.1'));
    expect(isInstalled(root)).toBe(false);
    put('package-lock.json', {
      packages: { ...lock('1.0.0').packages, 'node_modules/c': { version: '2.0.0' } },
    });
    expect(isInstalled(root)).toBe(false);
  });
});

describe('isBuilt', () => {
  beforeEach(() => {
    put('src/core/ids.ts', 'export const a = 1;');
    put('workers/front.ts', 'export const b = 1;');
    put('package-lock.json', {});
    put('dist/.stamp', fingerprint(root));
  });

  it('is true while nothing changed', () => {
    expect(isBuilt(root)).toBe(true);
    put('README.md', 'words');
    put('test/unit/a.test.ts', 'words');
    expect(isBuilt(root)).toBe(true);
  });

  it('is false without a build', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(isBuilt(root)).toBe(false);
  });

  it.each([
    ['a source is added', () => put('src/core/more.ts', '')],
    ['a source is removed', () => rmSync(join(root, 'workers/front.ts'))],
    ['a source has another size', () => put('src/core/ids.ts', 'export const a = 11;')],
    ['a source has another time', () => utimesSync(join(root, 'src/core/ids.ts'), 1, 1)],
    ['the compiler options change', () => put('tsconfig.json', '{}')],
    ['the dependencies change', () => put('package-lock.json', { packages: {} })],
  ])('is false when %s', (_, change) => {
    change();
    expect(isBuilt(root)).toBe(false);
  });
});
