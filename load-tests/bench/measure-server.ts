/**
 * What a server does with a corpus: indexing, updates, disk, memory; latency and throughput of
 * searches at rest, while documents are updated, and while another index is imported. All over HTTP.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Corpus, renamed } from './corpus.ts';
import { LoadClient } from './load-client.ts';
import type { BenchServer } from './server.ts';
import { percentile } from './statistics.ts';
import { importCorpus, NDJSON, uploadLines } from './uploads.ts';

/** Of an upload into the second index. */
const BESIDE_DOCUMENTS = 20_000;
const UPDATE_DOCUMENTS = 100;
const UPDATES = 5;
const SMALL_UPDATE_DOCUMENTS = 5;
const SMALL_UPDATE_PAUSE_MS = 500;
const SLOWEST = 10;

export interface Latency {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
}

/** What some number of connections met. */
export interface LoadFigures {
  readonly queriesPerSecond: number;
  /** By category with the fewest connections, always of `all`. */
  readonly latency: Readonly<Record<string, Latency>>;
}

export interface SearchFigures {
  /** By number of connections. */
  readonly loads: Readonly<Record<string, LoadFigures>>;
  /** With the fewest connections. */
  readonly slowest: readonly { readonly body: string; readonly milliseconds: number }[];
}

export type Situation = 'at rest' | 'while updated' | 'while importing';

export interface SearchOptions {
  readonly rounds: number;
  /** The fewest first. */
  readonly connections: readonly number[];
}

export interface ServerFigures {
  readonly documents: number;
  readonly documentsPerSecond: number;
  /** Median over some updates of 100 documents, from sending to the finished task. */
  readonly updateMs: number;
  readonly diskOverRaw: number;
  readonly memoryAfterBytes: number;
  readonly memoryPeakBytes: number;
  readonly searches: Readonly<Record<Situation, SearchFigures>>;
}

export async function measureServer(
  server: BenchServer,
  corpus: Corpus,
  options: SearchOptions,
): Promise<ServerFigures> {
  const index = `bench_${corpus.name}`;
  const documents = corpus.lines.length * corpus.repeat;
  const seconds = await importCorpus(server, index, corpus);
  const { nowBytes, peakBytes } = server.memory();
  const updateMs = await measureUpdates(server, corpus, index);
  const diskOverRaw = server.diskBytes() / corpus.rawBytes;
  const searches = await measureSearches(server, corpus, index, options);
  return {
    documents,
    documentsPerSecond: documents / seconds,
    updateMs,
    diskOverRaw,
    memoryAfterBytes: nowBytes,
    memoryPeakBytes: peakBytes,
    searches,
  };
}

const bodyOf = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\n'));

async function measureUpdates(server: BenchServer, corpus: Corpus, index: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < UPDATES; i++) {
    const lines = corpus.lines.slice(i * UPDATE_DOCUMENTS, (i + 1) * UPDATE_DOCUMENTS);
    const start = performance.now();
    await server.settle('PUT', `/indexes/${index}/documents`, bodyOf(lines), NDJSON);
    times.push(performance.now() - start);
  }
  return percentile(times, 0.5);
}

async function measureSearches(
  server: BenchServer,
  corpus: Corpus,
  index: string,
  options: SearchOptions,
): Promise<Record<Situation, SearchFigures>> {
  const client = new LoadClient();
  const measure = () => measureSituation(client, server.port, corpus, index, options);
  try {
    await measure();
    return {
      'at rest': await measure(),
      'while updated': await meanwhile(measure, (round) => update(server, corpus, index, round)),
      'while importing': await meanwhile(measure, (round) => importMore(server, corpus, round)),
    };
  } finally {
    client.stop();
  }
}

/** Measures while something is done again and again. */
async function meanwhile<Figures>(
  measure: () => Promise<Figures>,
  act: (round: number) => Promise<void>,
): Promise<Figures> {
  let isDone = false;
  const acting = (async () => {
    for (let round = 1; !isDone; round++) await act(round);
  })();
  try {
    return await measure();
  } finally {
    isDone = true;
    await acting;
  }
}

async function update(
  server: BenchServer,
  corpus: Corpus,
  index: string,
  round: number,
): Promise<void> {
  const at = (round * SMALL_UPDATE_DOCUMENTS) % (corpus.lines.length - SMALL_UPDATE_DOCUMENTS);
  const lines = corpus.lines.slice(at, at + SMALL_UPDATE_DOCUMENTS);
  await server.call('PUT', `/indexes/${index}/documents`, bodyOf(lines), NDJSON);
  await sleep(SMALL_UPDATE_PAUSE_MS);
}

/** Into an index other than the searched one. */
async function importMore(server: BenchServer, corpus: Corpus, round: number): Promise<void> {
  const lines = corpus.lines.slice(0, BESIDE_DOCUMENTS);
  await uploadLines(
    server,
    'bench_beside',
    lines.map((line) => renamed(line, round)),
  );
}

/** The limit varies, so that a query that comes again is not the same request. */
async function measureSituation(
  client: LoadClient,
  port: number,
  corpus: Corpus,
  index: string,
  { rounds, connections }: SearchOptions,
): Promise<SearchFigures> {
  const path = `/indexes/${index}/search`;
  const asked = Array.from({ length: rounds }, (_, round) =>
    corpus.queries.map(({ category, body }) => ({
      category,
      path,
      body: JSON.stringify({ ...body, limit: Number(body['limit'] ?? 20) + (round % 5) }),
    })),
  ).flat();
  const requests = asked.map(({ body }) => ({ path, body }));
  const loads: Record<string, LoadFigures> = {};
  let slowest: SearchFigures['slowest'] = [];
  for (const count of connections) {
    const { times, seconds } = await client.pass({ port, requests, connections: count });
    const byCategory = new Map<string, number[]>([['all', [...times]]]);
    if (count === connections[0]) {
      for (const [i, { category }] of asked.entries())
        byCategory.set(category, [...(byCategory.get(category) ?? []), times[i] as number]);
      slowest = asked
        .map(({ body }, i) => ({ body, milliseconds: times[i] as number }))
        .sort((a, b) => b.milliseconds - a.milliseconds)
        .slice(0, SLOWEST);
    }
    loads[count] = {
      queriesPerSecond: requests.length / seconds,
      latency: Object.fromEntries([...byCategory].map(([name, all]) => [name, latencyOf(all)])),
    };
  }
  return { loads, slowest };
}

const latencyOf = (times: readonly number[]): Latency => ({
  p50Ms: percentile(times, 0.5),
  p90Ms: percentile(times, 0.9),
  p99Ms: percentile(times, 0.99),
});
