/**
 * Backups of real corpora: indexes them, makes a dump and a snapshot, restores each into a fresh
 * server and compares the answers to 500 queries byte for byte. Documents are written meanwhile, to
 * see what a backup holds up.
 *
 *   npm run build && node dist/load-tests/backup-corpora.js [folder of shared data] [corpus …]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCorpus } from './bench/corpus.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { importCorpus } from './bench/uploads.ts';

const QUERIES_MAX = 500;
const PAUSE_MS = 5;
const QUIET_MS = 5000;

/** An index and what it is asked. */
type Query = readonly [index: string, body: object];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What differs by itself. */
const comparable = (answer: string): string =>
  answer
    .replace(/"processingTimeMs":\d+/, '"processingTimeMs":0')
    .replace(/"requestUid":"[^"]*"/, '"requestUid":""');

async function answersOf(server: BenchServer, queries: readonly Query[]): Promise<string[]> {
  const answers: string[] = [];
  for (const [index, body] of queries) {
    const { text } = await server.call('POST', `/indexes/${index}/search`, body);
    answers.push(comparable(text));
  }
  return answers;
}

/** One document after the other, each until it can be found; milliseconds of each. */
async function writeTimes(server: BenchServer, until: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = until.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const startMs = performance.now();
    await server.settle('POST', '/indexes/beside/documents', [{ id: times.length }]);
    times.push(performance.now() - startMs);
    await sleep(PAUSE_MS);
  }
  await ended;
  return times;
}

const shownTimes = (times: readonly number[]): string =>
  `${times.length}, median ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`;

/** While documents are written all the time. */
async function backup(server: BenchServer, kind: 'dump' | 'snapshot') {
  const made = server.settle('POST', `/${kind}s`);
  const times = await writeTimes(server, made);
  const task = await made;
  say(`${kind} in ${task.duration}; writes meanwhile: ${shownTimes(times)}`);
  return task;
}

/** Indexes all of them; some queries of each. */
async function importAll(
  server: BenchServer,
  data: string,
  corpora: readonly string[],
): Promise<Query[]> {
  const share = Math.ceil(QUERIES_MAX / corpora.length);
  const queries: Query[] = [];
  for (const name of corpora) {
    const corpus = loadCorpus(data, name, 1);
    const seconds = await importCorpus(server, name, corpus);
    say(`${name}: ${corpus.lines.length} documents in ${seconds.toFixed(1)} s`);
    const step = Math.max(1, Math.floor(corpus.queries.length / share));
    const chosen = corpus.queries.filter((_, i) => i % step === 0).slice(0, share);
    queries.push(...chosen.map(({ body }): Query => [name, body]));
  }
  return queries;
}

/** Whether a server that begins with the backup answers as the other did. */
async function restores(
  [kind, file]: readonly [kind: 'dump' | 'snapshot', file: string],
  queries: readonly Query[],
  wanted: readonly string[],
): Promise<boolean> {
  const startMs = performance.now();
  const server = await startServer(['--no-warm-up', `--import-${kind}`, file]);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const found = await answersOf(server, queries);
  await server.stop();
  const same = found.filter((answer, i) => answer === wanted[i]).length;
  say(`${kind}: restored in ${seconds} s, ${same} of ${wanted.length} answers are the same`);
  const at = found.findIndex((answer, i) => answer !== wanted[i]);
  if (at < 0) return true;
  say(`first difference: ${JSON.stringify(queries[at])}`);
  say(`wanted ${wanted[at]?.slice(0, 2000)}\nfound  ${found[at]?.slice(0, 2000)}`);
  return false;
}

async function main([data = '../shared/data', ...named]: readonly string[]): Promise<void> {
  const corpora = readdirSync(join(data, 'queries'))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => name.slice(0, -'.json.gz'.length))
    .filter((name) => named.length === 0 || named.includes(name));
  const made = mkdtempSync(join(tmpdir(), 'backup-corpora-'));
  const server = await startServer(['--no-warm-up', '--dump-dir', made, '--snapshot-dir', made]);
  try {
    const queries = await importAll(server, data, corpora);
    const wanted = await answersOf(server, queries);
    const quiet = await writeTimes(server, sleep(QUIET_MS));
    say(`writes of one document: ${shownTimes(quiet)}`);
    const { dumpUid } = (await backup(server, 'dump')).details as { readonly dumpUid: string };
    await backup(server, 'snapshot');
    await server.stop();
    const [snapshot = ''] = readdirSync(made).filter((name) => name.endsWith('.snapshot'));
    say(`the snapshot has ${(statSync(join(made, snapshot)).size / 1e6).toFixed(0)} MB`);
    const backups = [
      ['dump', join(made, `${dumpUid}.dump`)],
      ['snapshot', join(made, snapshot)],
    ] as const;
    for (const each of backups) if (!(await restores(each, queries, wanted))) process.exitCode = 1;
  } finally {
    await server.stop();
    rmSync(made, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
