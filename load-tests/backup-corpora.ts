/**
 * Backups of real corpora: indexes them, makes a dump and a snapshot, restores each into a fresh
 * server and compares the answers to 500 queries byte for byte.
 *
 *   npm run build && node dist/load-tests/backup-corpora.js [folder of shared data] [corpus …]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

const QUERIES_MAX = 500;
const MAIN = resolve(import.meta.dirname, '../src/main.js');

interface Queries {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly queries: readonly { readonly params: object }[];
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

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
      await sleep(100);
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
    const dump = await first.task('POST', '/dumps');
    const snapshot = await first.task('POST', '/snapshots');
    say(`dump in ${dump.duration}, snapshot in ${snapshot.duration}`);
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
