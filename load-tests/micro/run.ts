/**
 * npm run bench:micro [-- DATA_DIR]: runs each micro-benchmark of the hot modules as a process of
 * its own, on movies and wordnet of DATA_DIR.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const CORPORA = ['movies', 'wordnet'];

const dataDir = process.argv[2] ?? '../shared/data';
const files = CORPORA.map((name) => resolve(dataDir, 'corpora', `${name}.ndjson.gz`)).filter(
  (path) => existsSync(path),
);
if (files.length === 0)
  console.log(`no corpora in ${dataDir}: benchmarks that need them print nothing`);

for (const entry of readdirSync(import.meta.dirname).sort()) {
  if (!entry.endsWith('.bench.js')) continue;
  console.log(`\n== ${entry.replace('.bench.js', '')}`);
  const { status } = spawnSync(process.execPath, [resolve(import.meta.dirname, entry), ...files], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
