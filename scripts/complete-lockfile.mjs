/**
 * Adds to the lockfile the platform builds that npm left out because the registry in use did not
 * have them; without an entry for each, `npm ci` refuses the lockfile everywhere. To be run after a
 * dependency was added or updated.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/fresh.mjs';
import { missingOptional } from './lib/lockfile.mjs';

const path = join(ROOT, 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const missing = missingOptional(lock.packages);
const packages = { ...lock.packages, ...missing };
const sorted = Object.fromEntries(
  Object.keys(packages)
    .sort()
    .map((key) => [key, packages[key]]),
);
writeFileSync(path, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(`${Object.keys(missing).length} platform builds added to package-lock.json`);
