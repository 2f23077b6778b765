/**
 * Many small indexes in one server: what it takes to make, open, list, search and watch them.
 *
 *   npm run build && node dist/load-tests/many-indexes.js [count …]
 *
 * MANY_DIST names another build than this one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { handlesOf, memoryOfFamily, processorMsOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile, timed } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';

const CLIENTS = 16;
const DOCUMENTS = 5;
const SEARCHES = 1000;
const LOOKS = 15;
const IDLE_MS = 20_000;

type Row = readonly [string, number];

const start = (folder: string): Promise<BenchServer> =>
  startServer(['--no-warm-up', '--experimental-enable-metrics'], {
    folder,
    build: process.env['MANY_DIST'],
  });

/** An answer that is not a refusal. */
async function call(server: BenchServer, method: string, path: string, body?: unknown) {
  const { status, text } = await server.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
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

/** Median time of a request, in milliseconds. */
async function medianOf(count: number, ask: (turn: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) times.push(await timed(() => ask(turn)));
  return percentile(times, 0.5);
}

async function made(server: BenchServer, count: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, write] of [
    [
      'empty index',
      (n: number) => call(server, 'POST', '/indexes', { uid: nameOf(n), primaryKey: 'id' }),
    ],
    [
      'first documents of an index',
      (n: number) =>
        call(
          server,
          'POST',
          `/indexes/${nameOf(n)}/documents`,
          Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `paper ${id} of ${n}` })),
        ),
    ],
  ] as const) {
    const cpuMs = processorMsOf(server.pid);
    let acceptedMs = 0;
    const allMs = await timed(async () => {
      acceptedMs = await timed(() => forAll(count, write));
      await server.untilIdle();
    });
    rows.push(
      [`${what}: acknowledged, ms`, acceptedMs / count],
      [`${what}: done, ms`, allMs / count],
      [`${what}: processor time, ms`, (processorMsOf(server.pid) - cpuMs) / count],
    );
  }
  return rows;
}

async function used(server: BenchServer, count: number): Promise<Row[]> {
  const search = (number: number) =>
    call(server, 'POST', `/indexes/${nameOf(number)}/search`, { q: 'paper' });
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
      await medianOf(LOOKS, () => call(server, 'GET', path)),
    ]);
  const cpuMs = processorMsOf(server.pid);
  await sleep(IDLE_MS);
  const idleMs = processorMsOf(server.pid) - cpuMs;
  rows.push(['processor time of an idle second, ms', (idleMs * 1000) / IDLE_MS]);
  for (const { pid, title, anonymousBytes, fileBytes } of memoryOfFamily(server.pid)) {
    const residentMib = (anonymousBytes + fileBytes) / 2 ** 20;
    rows.push([`${title}: resident, MiB`, residentMib], [`${title}: handles`, handlesOf(pid)]);
  }
  return rows;
}

async function measure(count: number): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'many-indexes-'));
  const folder = join(root, 'data.ms');
  try {
    const server = await start(folder);
    const rows = await made(server, count);
    rows.push(['end and start, ms', await timed(() => server.restart())]);
    rows.push(['start: processor time, ms', processorMsOf(server.pid)]);
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
  const names = [...(columns[0]?.keys() ?? [])];
  const rows = names.map((name) => [
    name,
    ...columns.map((column) => (column.get(name) ?? Number.NaN).toFixed(1)),
  ]);
  process.stdout.write(`${aligned([['figure', ...counts.map(String)], ...rows])}\n`);
}

await main(process.argv.slice(2));
