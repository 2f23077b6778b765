/**
 * The lockfile works everywhere: every platform build has an entry, and no address of a registry is
 * in it.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type LockEntry, missingOptional, withoutIntegrity } from '../../scripts/lib/lockfile.mjs';

const text = readFileSync('package-lock.json', 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, LockEntry> };

it('names every optional build that a package asks for, so that `npm ci` takes it', () => {
  expect(missingOptional(packages)).toEqual({});
});

it('holds no resolved address', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

it('holds the checksum of every package', () => {
  expect(withoutIntegrity(packages)).toEqual([]);
  expect(withoutIntegrity({ '': {}, 'node_modules/a': { version: '1.0.0' } })).toEqual([
    'node_modules/a',
  ]);
});

it('has install scripts only in the packages that docs/security.md names', () => {
  const found = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
  const names = found.map((path) => path.replace('node_modules/', ''));
  expect(names).toEqual(['esbuild', 'koffi', 'protobufjs']);
  const page = readFileSync('docs/security.md', 'utf8');
  for (const name of names) expect(page).toContain(`\`${name}\``);
});

it('gives a version for every package', () => {
  const nameless = Object.entries(packages).filter(
    ([path, { version }]) => path !== '' && version === undefined,
  );
  expect(nameless).toEqual([]);
});

it('recognises a build that is missing, nested ones apart', () => {
  const optionalDependencies = { '@a/linux-x64-musl': '1.0.0', '@a/win32-ia32': '1.0.0' };
  const found = missingOptional({
    'node_modules/a': { version: '1.0.0', dev: true, optionalDependencies },
    'node_modules/a/node_modules/@a/win32-ia32': { version: '1.0.0' },
  });
  expect(found).toEqual({
    'node_modules/@a/linux-x64-musl': {
      version: '1.0.0',
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
      dev: true,
      optional: true,
    },
  });
});
