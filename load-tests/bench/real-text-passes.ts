/** Passes over searches of real text, on a server of this build and on a live peer by turns. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { LoadClient } from './load-client.ts';
import { busyCores, loadAverage } from './machine-load.ts';
import {
  missingRealText,
  queryTexts,
  type RealTextFiles,
  searchesOf,
  type TimedSearch,
} from './real-text.ts';
import { type ReachableServer, serverAt, startServer } from './server.ts';
import { percentile } from './statistics.ts';
import { aligned } from './table.ts';
import { NDJSON } from './uploads.ts';

const INDEX = 'wiki';
const UPLOAD_BYTES = 30_000_000;
const FIRST_LIMIT = 20;
const SLOWEST_SHOWN = 40;
const SETTINGS = { searchableAttributes: ['title', 'body'], sortableAttributes: ['id'] };
const MIB = 1 << 20;

export interface RealTextOptions extends RealTextFiles {
  /** URL on this machine; absent = no peer. */
  readonly peer?: string | undefined;
  readonly peerKey?: string | undefined;
  /** Data folder that keeps the imported corpus for the next run; absent = a fresh one. */
  readonly folder?: string | undefined;
  readonly flags: readonly string[];
  /** Passes with one client after the first one. */
  readonly warmPasses: number;
  readonly print: (line: string) => void;
}

/** A server under measurement. */
interface Side {
  readonly name: string;
  readonly port: number;
  readonly key?: string | undefined;
}

interface TimedPass {
  readonly times: readonly number[];
  readonly searchesPerSecond: number;
}

/** Prints all figures, or why there are none. */
export async function measureRealText(options: RealTextOptions): Promise<void> {
  const missing = missingRealText(options);
  if (missing !== null) {
    options.print(`real text: skipped, ${missing}`);
    return;
  }
  const server = await startServer(options.flags, { folder: options.folder });
  const client = new LoadClient();
  try {
    const peer = options.peer === undefined ? null : peerAt(options.peer, options.peerKey);
    await importInto(server, 'ours', options);
    await server.restart();
    options.print(`ours: ${(server.diskBytes() / MIB).toFixed(0)} MiB on disk`);
    const sides: Side[] = [{ name: 'ours', port: server.port }];
    if (peer !== null) {
      await importInto(peer, 'peer', options);
      sides.push({ name: 'peer', port: peer.port, key: options.peerKey });
    }
    await measurePasses(sides, client, options);
  } finally {
    client.stop();
    await server.stop();
  }
}

function peerAt(url: string, key: string | undefined): ReachableServer {
  const { hostname, port } = new URL(url);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost')
    throw new Error(`the peer runs on this machine, not on ${hostname}`);
  return serverAt(Number(port), key);
}

/** Fills the index unless it has documents. */
async function importInto(
  server: ReachableServer,
  name: string,
  { corpus, print }: RealTextOptions,
): Promise<void> {
  const { body } = await server.call('GET', `/indexes/${INDEX}/stats`);
  const stored = (body as { readonly numberOfDocuments?: number }).numberOfDocuments ?? 0;
  if (stored > 0) {
    print(`${name}: ${stored} documents found`);
    return;
  }
  await server.settle('POST', '/indexes', { uid: INDEX, primaryKey: 'id' });
  await server.settle('PATCH', `/indexes/${INDEX}/settings`, SETTINGS);
  const startMs = performance.now();
  let lastTask = -1;
  let count = 0;
  for await (const lines of uploadsOf(corpus)) {
    count += lines.length;
    const path = `/indexes/${INDEX}/documents`;
    lastTask = await server.enqueue('POST', path, Buffer.from(lines.join('\n')), NDJSON);
  }
  await server.settled(lastTask);
  const seconds = (performance.now() - startMs) / 1000;
  print(
    `${name}: ${count} documents in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(0)} documents/s)`,
  );
}

async function* uploadsOf(path: string): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lines.push(line);
    bytes += line.length;
    if (bytes < UPLOAD_BYTES) continue;
    yield lines;
    lines = [];
    bytes = 0;
  }
  if (lines.length > 0) yield lines;
}

async function measurePasses(
  sides: readonly Side[],
  client: LoadClient,
  options: RealTextOptions,
): Promise<void> {
  const texts = queryTexts(options);
  const warm = Array.from({ length: options.warmPasses }, (_, i) => `warm ${i + 1}, 1 client`);
  const passes = ['cold, 1 client', ...warm, 'warm, 8 clients'];
  for (const [number, name] of passes.entries()) {
    const searches = searchesOf(texts, FIRST_LIMIT + number);
    const timed: TimedPass[] = [];
    const head: string[] = [];
    for (const side of sides) {
      const cores = busyCores();
      const pass = await passOver(side, searches, name.endsWith('8 clients') ? 8 : 1, client);
      timed.push(pass);
      head.push(
        `${side.name} ${pass.searchesPerSecond.toFixed(0)} searches/s (${cores().toFixed(2)} cores of the machine busy)`,
      );
    }
    options.print(`\n${name}: ${head.join(', ')}; load average ${loadAverage()}`);
    options.print(figuresByKind(searches, timed));
    if (!name.endsWith('8 clients')) options.print(slowestOf(searches, timed));
  }
}

async function passOver(
  { port, key }: Side,
  searches: readonly TimedSearch[],
  connections: number,
  client: LoadClient,
): Promise<TimedPass> {
  const requests = searches.map(({ body }) => ({ path: `/indexes/${INDEX}/search`, body }));
  const load = { port, requests, connections, ...(key === undefined ? {} : { key }) };
  const { times, seconds } = await client.pass(load);
  return { times, searchesPerSecond: searches.length / seconds };
}

const SHARES = [0.5, 0.9, 0.99, 1];

function figuresByKind(searches: readonly TimedSearch[], passes: readonly TimedPass[]): string {
  const kinds = ['all', ...new Set(searches.map(({ kind }) => kind))];
  const sides = ['ours', 'peer'].slice(0, passes.length);
  const columns = ['p50', 'p90', 'p99', 'max'];
  const names = [...sides, ...(passes.length > 1 ? ['ratio'] : [])];
  const rows = [
    ['kind', 'searches', ...names.flatMap((side) => columns.map((c) => `${side} ${c}`))],
  ];
  for (const kind of kinds) {
    const isOfKind = (at: number): boolean => kind === 'all' || searches[at]!.kind === kind;
    const figures = passes.map(({ times }) => {
      const own = times.filter((_, at) => isOfKind(at));
      return SHARES.map((share) => percentile(own, share));
    });
    const [ours, peer] = figures;
    const ratios = peer?.map((value, column) => `${(ours![column]! / value).toFixed(2)}x`) ?? [];
    const count = searches.filter((_, at) => isOfKind(at)).length;
    rows.push([kind, String(count), ...figures.flat().map((value) => value.toFixed(2)), ...ratios]);
  }
  return aligned(rows);
}

function slowestOf(searches: readonly TimedSearch[], passes: readonly TimedPass[]): string {
  const [{ times }] = passes as [TimedPass];
  const slowest = [...times.keys()].sort((a, b) => times[b]! - times[a]!).slice(0, SLOWEST_SHOWN);
  const rows = slowest.map((at) => [
    ...passes.map((pass) => pass.times[at]!.toFixed(2)),
    searches[at]!.kind,
    searches[at]!.q,
  ]);
  const sides = ['ours ms', 'peer ms'].slice(0, passes.length);
  return `\n${aligned([[...sides, 'kind', 'query'], ...rows])}`;
}
