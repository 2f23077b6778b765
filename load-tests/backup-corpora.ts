/**
 * Backups of real corpora: indexes them, makes a dump and a snapshot, restores each into a fresh
 * server and compares the answers to 500 queries byte for byte. Documents are written meanwhile, to
 * see what a backup holds up.
 *
 *   npm run build && node dist/load-tests/backup-corpora.js [folder of shared data] [corpus …]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { freePort } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';

const QUERIES_MAX = 500;
const POLL_MS = 5;
const QUIET_MS = 5000;
const MAIN = resolve(import.meta.dirname, '../src/main.js');

interface Queries {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly queries: readonly { readonly params: object }[];
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

class Server {
  readonly #url: string;
  readonly #stop: () => Promise<unknown>;

  private constructor(url: string, stop: () => Promise<unknown>) {
    this.#url = url;
    this.#stop = stop;
  }

  static async start(folder: string, flags: readonly string[]): Promise<Server> {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const own = ['--db-path', join(folder, 'data.ms'), '--http-addr', address, '--no-warm-up'];
    const child = spawn(process.execPath, [MAIN, ...own, ...flags], { cwd: folder });
    const ended = new Promise((done) => child.once('exit', done));
    child.stderr.on('data', (chunk) => {
      if (/import/.test(String(chunk))) process.stderr.write(chunk);
    });
    const server = new Server(`http://${address}`, async () => {
      child.kill('SIGTERM');
      await ended;
    });
    while (!(await server.#isReady())) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await sleep(100);
    }
    return server;
  }

  async call(method: string, path: string, body?: string | Uint8Array, type?: string) {
    const answer = await fetch(this.#url + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': type ?? 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }

  async task(method: string, path: string, body?: string | Uint8Array, type?: string) {
    const { taskUid } = JSON.parse(await this.call(method, path, body, type));
    for (;;) {
      const task = JSON.parse(await this.call('GET', `/tasks/${taskUid}`));
      if (task.status === 'succeeded') return task;
      if (task.status === 'failed') throw new Error(JSON.stringify(task.error));
      await sleep(POLL_MS);
    }
  }

  stop(): Promise<unknown> {
    return this.#stop();
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.#url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

const unpacked = (file: string): Buffer => gunzipSync(readFileSync(file));

/** What differs by itself. */
const comparable = (answer: string): string =>
  answer
    .replace(/"processingTimeMs":\d+/, '"processingTimeMs":0')
    .replace(/"requestUid":"[^"]*"/, '"requestUid":""');

async function answersOf(
  server: Server,
  queries: readonly (readonly [string, object])[],
): Promise<string[]> {
  const answers: string[] = [];
  for (const [corpus, params] of queries) {
    const path = `/indexes/${corpus}/search`;
    answers.push(comparable(await server.call('POST', path, JSON.stringify(params))));
  }
  return answers;
}

/** One document after the other, each until it can be found; milliseconds of each. */
async function writeTimes(server: Server, until: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = until.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const startMs = performance.now();
    await server.task('POST', '/indexes/beside/documents', JSON.stringify([{ id: times.length }]));
    times.push(performance.now() - startMs);
    await sleep(POLL_MS);
  }
  await ended;
  return times;
}

const shownTimes = (times: readonly number[]): string =>
  `${times.length}, median ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`;

/** While documents are written all the time. */
async function backup(server: Server, kind: 'dump' | 'snapshot') {
  const made = server.task('POST', `/${kind}s`);
  const times = await writeTimes(server, made);
  const task = await made;
  say(`${kind} in ${task.duration}; writes meanwhile: ${shownTimes(times)}`);
  return task;
}

async function main([data = '../shared/data', ...named]: readonly string[]): Promise<void> {
  const files = readdirSync(join(data, 'queries')).filter((name) => name.endsWith('.json.gz'));
  const corpora = files
    .map((name) => name.slice(0, -'.json.gz'.length))
    .filter((name) => named.length === 0 || named.includes(name));
  const root = mkdtempSync(join(tmpdir(), 'backup-corpora-'));
  const folder = (name: string) => mkdtempSync(join(root, name));
  try {
    const made = folder('made-');
    const flags = ['--dump-dir', made, '--snapshot-dir', made];
    const first = await Server.start(folder('first-'), flags);
    const queries: (readonly [string, object])[] = [];
    const share = Math.ceil(QUERIES_MAX / corpora.length);
    for (const corpus of corpora) {
      const about = JSON.parse(
        unpacked(join(data, 'queries', `${corpus}.json.gz`)).toString(),
      ) as Queries;
      await first.task('PATCH', `/indexes/${corpus}/settings`, JSON.stringify(about.settings));
      const documents = unpacked(join(data, 'corpora', `${corpus}.ndjson.gz`));
      const path = `/indexes/${corpus}/documents?primaryKey=id`;
      const task = await first.task('POST', path, documents, 'application/x-ndjson');
      say(`${corpus}: ${task.details.indexedDocuments} documents in ${task.duration}`);
      const step = Math.max(1, Math.floor(about.queries.length / share));
      const chosen = about.queries.filter((_, i) => i % step === 0).slice(0, share);
      queries.push(...chosen.map(({ params }) => [corpus, params] as const));
    }
    const wanted = await answersOf(first, queries);
    const quiet = await writeTimes(first, sleep(QUIET_MS));
    say(`writes of one document: ${shownTimes(quiet)}`);
    const dump = await backup(first, 'dump');
    await backup(first, 'snapshot');
    say(`the snapshot has ${(statSync(join(made, 'data.ms.snapshot')).size / 1e6).toFixed(0)} MB`);
    await first.stop();
    for (const [kind, file] of [
      ['dump', `${dump.details.dumpUid}.dump`],
      ['snapshot', 'data.ms.snapshot'],
    ] as const) {
      const startMs = performance.now();
      const second = await Server.start(folder(`${kind}-`), [`--import-${kind}`, join(made, file)]);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const found = await answersOf(second, queries);
      const same = found.filter((answer, i) => answer === wanted[i]).length;
      say(`${kind}: restored in ${seconds} s, ${same} of ${wanted.length} answers are the same`);
      const at = found.findIndex((answer, i) => answer !== wanted[i]);
      if (at >= 0) {
        say(`first difference: ${JSON.stringify(queries[at])}`);
        say(`wanted ${wanted[at]?.slice(0, 2000)}\nfound  ${found[at]?.slice(0, 2000)}`);
        process.exitCode = 1;
      }
      await second.stop();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
