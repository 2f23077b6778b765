/**
 * Completes the lockfile after a dependency was added or updated. Adds the platform builds that npm
 * omits for other platforms: without an entry for each, `npm ci` refuses the lockfile on these
 * platforms. Fetches missing checksums from the registry.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/fresh.mjs';
import { missingOptional, packageName, withoutIntegrity } from './lib/lockfile.mjs';

const integrityOf = (nameAndVersion) =>
  execFileSync('npm', ['view', nameAndVersion, 'dist.integrity'], { encoding: 'utf8' }).trim();

const path = join(ROOT, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const missing = missingOptional(lock.packages);
const packages = { ...lock.packages, ...missing };
const lacking = withoutIntegrity(packages);
for (const key of lacking) {
  const { version, ...rest } = packages[key];
  const integrity = integrityOf(`${packageName(key, rest.name)}@${version}`);
  if (integrity === '') throw new Error(`the registry has no checksum of ${key}`);
  packages[key] = { version, integrity, ...rest };
}
const sorted = Object.fromEntries(
  Object.keys(packages)
    .sort()
    .map((key) => [key, packages[key]]),
);
writeFileSync(path, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(
  `${Object.keys(missing).length} platform builds and ${lacking.length} checksums added to package-lock.json`,
);
