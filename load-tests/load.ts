/**
 * npm run load -- [typing mixed facets hybrid import soak] [--corpus FILE.ndjson[.gz]]
 * [--background FILE.ndjson[.gz]] [--target URL] [--query-threads 2] [--set RATE=20] …
 *
 * Runs the k6 scripts of load-tests/k6, by default all but soak, against a server of this build with
 * the corpus in the index `load`, or against TARGET as it is. `--background` imports another corpus again
 * and again meanwhile. Without a corpus, the library that the build makes is taken.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { linesOf } from './bench/data-files.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { uploadLines } from './bench/uploads.ts';

const FOLDER = resolve('load-tests/k6');
const SCRIPTS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length));
const INDEX = 'load';
const UPLOAD_DOCUMENTS = 10_000;
/** Values of an attribute that make it worth filtering by: few, each of several documents. */
const FILTER_VALUES_MAX = 500;
const LOOKED_AT = 2000;
/** k6 ends so when a threshold was crossed. */
const THRESHOLDS_CROSSED = 99;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string' },
    background: { type: 'string' },
    target: { type: 'string' },
    'query-threads': { type: 'string', default: '2' },
    set: { type: 'string', multiple: true, default: [] },
  },
});

/** The program, from `K6`, the path or where Go puts it. */
function findK6(): string | null {
  const candidates = [process.env['K6'], 'k6', join(homedir(), 'go/bin/k6')];
  return (
    candidates.find(
      (candidate) =>
        candidate !== undefined && spawnSync(candidate, ['version']).error === undefined,
    ) ?? null
  );
}

type Document = Readonly<Record<string, unknown>>;

/** Attributes with few values can be filtered by, those with numbers sorted by. */
function settingsFor(lines: readonly string[]): object {
  const documents = lines.slice(0, LOOKED_AT).map((line) => JSON.parse(line) as Document);
  const names = [...new Set(documents.flatMap((document) => Object.keys(document)))];
  const valuesOf = (name: string) => documents.flatMap((document) => document[name] ?? []);
  const filterableAttributes = names.filter((name) => {
    const distinct = new Set(valuesOf(name).filter((value) => typeof value !== 'object'));
    return distinct.size > 1 && distinct.size < Math.min(FILTER_VALUES_MAX, documents.length / 2);
  });
  const sortableAttributes = names.filter(
    (name) => name !== 'id' && valuesOf(name).some((value) => typeof value === 'number'),
  );
  return { filterableAttributes, sortableAttributes };
}

async function importLines(
  server: BenchServer,
  index: string,
  lines: readonly string[],
  isWanted = () => true,
): Promise<number> {
  let sent = 0;
  for (let from = 0; from < lines.length && isWanted(); from += UPLOAD_DOCUMENTS) {
    const part = lines.slice(from, from + UPLOAD_DOCUMENTS);
    await uploadLines(server, index, part);
    sent += part.length;
  }
  return sent;
}

function run(k6: string, script: string, target: string): Promise<number> {
  const set = [`TARGET=${target}`, `INDEX=${INDEX}`, ...options.set].flatMap((pair) => [
    '-e',
    pair,
  ]);
  const file = join(FOLDER, `${script}.js`);
  const args = ['run', '--quiet', '--no-usage-report', '--address', '', ...set, file];
  const child = spawn(k6, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => done(code ?? 1));
  });
}

async function runAll(k6: string, scripts: readonly string[], target: string): Promise<boolean> {
  let isWithin = true;
  for (const script of scripts) {
    console.log(`\n== ${script}`);
    const code = await run(k6, script, target);
    if (code !== 0 && code !== THRESHOLDS_CROSSED)
      throw new Error(`${script} ended with code ${code}`);
    isWithin &&= code === 0;
  }
  return isWithin;
}

/** Imports the corpus during the tests; resolves with its figures. */
async function importInBackground(
  server: BenchServer,
  file: string,
  done: AbortSignal,
): Promise<string> {
  const lines = linesOf(file);
  const startMs = performance.now();
  let documents = 0;
  for (let round = 0; !done.aborted; round++)
    documents += await importLines(server, `background-${round}`, lines, () => !done.aborted);
  const seconds = (performance.now() - startMs) / 1000;
  return `${documents} documents were imported meanwhile, ${Math.round(documents / seconds)} a second`;
}

async function runHere(k6: string, scripts: readonly string[]): Promise<boolean> {
  const file = options.corpus ?? resolve('dist/warm-up/documents.ndjson');
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  const lines = linesOf(file);
  const server = await startServer(['--query-threads', options['query-threads']]);
  const importDone = new AbortController();
  try {
    await server.settle('PATCH', `/indexes/${INDEX}/settings`, settingsFor(lines));
    const startMs = performance.now();
    await importLines(server, INDEX, lines);
    const seconds = (performance.now() - startMs) / 1000;
    console.log(`${lines.length} documents of ${file} in ${seconds.toFixed(1)} s`);
    // Merges are over by then, and what is new has been looked at once.
    await sleep(5000);
    const imported =
      options.background === undefined
        ? null
        : importInBackground(server, options.background, importDone.signal);
    const isWithin = await runAll(k6, scripts, server.url);
    importDone.abort();
    if (imported !== null) console.log(await imported);
    return isWithin;
  } finally {
    await server.stop();
  }
}

const scripts = positionals.length > 0 ? positionals : SCRIPTS.filter((name) => name !== 'soak');
const unknown = scripts.filter((name) => !SCRIPTS.includes(name));
if (unknown.length > 0) {
  console.error(`there is no load test ${unknown.join(', ')}; there are ${SCRIPTS.join(', ')}`);
  process.exit(2);
}
const k6 = findK6();
if (k6 === null) {
  console.error(
    'k6 is not installed: `go install go.k6.io/k6@latest` makes it in ~/go/bin (or name it by the variable K6)',
  );
  process.exit(2);
}
const isWithin =
  options.target === undefined
    ? await runHere(k6, scripts)
    : await runAll(k6, scripts, options.target);
console.log(isWithin ? '\nall within their thresholds' : '\nthresholds were crossed: see above');
process.exitCode = isWithin ? 0 : 1;
