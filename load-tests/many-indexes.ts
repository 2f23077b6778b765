/**
 * Many small indexes in one server: what it takes to make, open, list, search and watch them.
 *
 *   npm run build && node dist/load-tests/many-indexes.js [count …]
 *
 * MANY_DIST names another build than this one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';

const MAIN = resolve(process.env['MANY_DIST'] ?? resolve(import.meta.dirname, '..'), 'src/main.js');
const CLIENTS = 16;
const DOCUMENTS = 5;
const SEARCHES = 1000;
const LOOKS = 15;
const IDLE_MS = 20_000;
const TICKS_PER_SECOND = 100;
const ROLES = ['supervisor', 'indexer', 'front'] as const;

type Row = readonly [string, number];

interface ProcessFigures {
  readonly residentBytes: number;
  readonly handles: number;
  readonly cpuMs: number;
}

/** Of a server's processes, by role. */
function processesOf({ pid }: ChildProcess): Map<string, ProcessFigures> {
  const found = new Map<string, ProcessFigures>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${entry}/status`, 'utf8');
      const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
      if (Number(entry) !== pid && parent !== pid) continue;
      const title = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const role = ROLES.find((name) => title.includes(`gannet ${name}`));
      const times = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      if (role === undefined) continue;
      found.set(role, {
        residentBytes: Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) * 1024,
        handles: readdirSync(`/proc/${entry}/fd`).length,
        cpuMs: ((Number(times[11]) + Number(times[12])) * 1000) / TICKS_PER_SECOND,
      });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

class Server {
  readonly child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.#url = url;
  }

  static async start(folder: string): Promise<Server> {
    const address = `127.0.0.1:${await freePort()}`;
    const flags = ['--db-path', folder, '--http-addr', address, '--no-warm-up'];
    const more = ['--experimental-enable-metrics', '--log-level', 'WARN'];
    const child = spawn(process.execPath, [MAIN, ...flags, ...more], { stdio: 'inherit' });
    const server = new Server(child, `http://${address}`);
    while (
      !(await fetch(`${server.#url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await sleep(20);
    }
    return server;
  }

  async call(method: string, path: string, body?: unknown): Promise<string> {
    const answer = await fetch(this.#url + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return text;
  }

  /** Until no task waits. */
  async settled(): Promise<void> {
    const path = '/tasks?statuses=enqueued,processing&limit=1';
    while (JSON.parse(await this.call('GET', path)).total > 0) await sleep(50);
  }

  cpuMs(): number {
    return [...processesOf(this.child).values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGTERM');
    await ended;
  }
}

const nameOf = (number: number): string => `tenant-${number}`;

/** By some clients at once. */
async function forAll(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Median time of a request, in milliseconds. */
async function medianOf(count: number, ask: (turn: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) times.push(await timed(() => ask(turn)));
  return percentile(times, 0.5);
}

async function made(server: Server, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, write] of [
    [
      'empty index',
      (n: number) => server.call('POST', '/indexes', { uid: nameOf(n), primaryKey: 'id' }),
    ],
    [
      'first documents of an index',
      (n: number) =>
        server.call(
          'POST',
          `/indexes/${nameOf(n)}/documents`,
          Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `paper ${id} of ${n}` })),
        ),
    ],
  ] as const) {
    const cpuMs = server.cpuMs();
    let acceptedMs = 0;
    const allMs = await timed(async () => {
      acceptedMs = await timed(() => forAll(count, write));
      await server.settled();
    });
    rows.push(
      [`${what}: acknowledged, ms`, acceptedMs / count],
      [`${what}: done, ms`, allMs / count],
      [`${what}: processor time, ms`, (server.cpuMs() - cpuMs) / count],
    );
  }
  return rows;
}

async function used(server: Server, count: number): Promise<Row[]> {
  const search = (number: number) =>
    server.call('POST', `/indexes/${nameOf(number)}/search`, { q: 'paper' });
  const rows: Row[] = [['first search, ms', await timed(() => search(count - 1))]];
  const random = () => Math.floor(Math.random() * count);
  rows.push(['search of random indexes p50, ms', await medianOf(SEARCHES, () => search(random()))]);
  for (const path of [
    '/indexes?limit=20',
    `/indexes?limit=20&offset=${count - 20}`,
    '/stats',
    '/metrics',
  ])
    rows.push([
      `GET ${path.replace(/\d{3,}/, 'end')} p50, ms`,
      await medianOf(LOOKS, () => server.call('GET', path)),
    ]);
  const cpuMs = server.cpuMs();
  await sleep(IDLE_MS);
  rows.push(['processor time of an idle second, ms', ((server.cpuMs() - cpuMs) * 1000) / IDLE_MS]);
  for (const [role, { residentBytes, handles }] of processesOf(server.child))
    rows.push([`${role}: resident, MiB`, residentBytes / 2 ** 20], [`${role}: handles`, handles]);
  return rows;
}

async function measure(count: number): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'many-indexes-'));
  const folder = join(root, 'data.ms');
  try {
    const first = await Server.start(folder);
    const rows = await made(first, count);
    await first.stop();
    let second: Server | null = null;
    rows.push(['start, ms', await timed(async () => (second = await Server.start(folder)))]);
    const server = second as unknown as Server;
    rows.push(['start: processor time, ms', server.cpuMs()]);
    rows.push(...(await used(server, count)));
    await server.stop();
    return rows;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function main(args: readonly string[]): Promise<void> {
  const counts = args.length > 0 ? args.map(Number) : [1000, 10_000];
  const columns: Map<string, number>[] = [];
  for (const count of counts) columns.push(new Map(await measure(count)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  let text = line(['figure', ...counts.map(String)]) + line(['---', ...counts.map(() => '---')]);
  for (const name of columns[0]?.keys() ?? [])
    text += line([name, ...columns.map((column) => (column.get(name) ?? Number.NaN).toFixed(1))]);
  process.stdout.write(text);
}

await main(process.argv.slice(2));
