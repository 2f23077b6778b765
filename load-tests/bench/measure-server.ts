/**
 * What a server does with a corpus: indexing, updates, disk, memory, latency by category and
 * throughput, all over HTTP.
 */
import { type Corpus, renamed } from './corpus.ts';
import type { BenchServer } from './server.ts';
import { percentile } from './statistics.ts';

const CHUNK_DOCUMENTS = 20_000;
const UPDATE_DOCUMENTS = 100;
const UPDATES = 5;
const THROUGHPUT_MS = 3000;
const NDJSON = 'application/x-ndjson';

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ServerFigures {
  readonly documents: number;
  readonly documentsPerSecond: number;
  /** Median over some updates of 100 documents, from sending to the finished task. */
  readonly updateMs: number;
  readonly diskOverRaw: number;
  readonly memoryAfterBytes: number;
  readonly memoryPeakBytes: number;
  readonly latency: Readonly<Record<string, Latency>>;
  readonly queriesPerSecond: number;
}

export async function measureServer(
  server: BenchServer,
  corpus: Corpus,
  options: { readonly rounds: number; readonly clients: number },
): Promise<ServerFigures> {
  const index = `bench_${corpus.name}`;
  await server.settle('POST', '/indexes', { uid: index, primaryKey: 'id' });
  await server.settle('PATCH', `/indexes/${index}/settings`, corpus.settings);
  const documents = corpus.lines.length * corpus.repeat;
  const seconds = await indexAll(server, corpus, index);
  const { nowBytes, peakBytes } = server.memory();
  const updateMs = await measureUpdates(server, corpus, index);
  const diskOverRaw = server.diskBytes() / corpus.rawBytes;
  const latency = await measureLatency(server, corpus, index, options.rounds);
  const queriesPerSecond = await measureThroughput(server, corpus, index, options.clients);
  return {
    documents,
    documentsPerSecond: documents / seconds,
    updateMs,
    diskOverRaw,
    memoryAfterBytes: nowBytes,
    memoryPeakBytes: peakBytes,
    latency,
    queriesPerSecond,
  };
}

async function indexAll(server: BenchServer, corpus: Corpus, index: string): Promise<number> {
  const start = performance.now();
  for (let repetition = 0; repetition < corpus.repeat; repetition++) {
    for (let at = 0; at < corpus.lines.length; at += CHUNK_DOCUMENTS) {
      const lines = corpus.lines
        .slice(at, at + CHUNK_DOCUMENTS)
        .map((line) => renamed(line, repetition));
      const isLast =
        repetition === corpus.repeat - 1 && at + CHUNK_DOCUMENTS >= corpus.lines.length;
      const send = isLast ? server.settle : server.call;
      await send('POST', `/indexes/${index}/documents`, Buffer.from(lines.join('\n')), NDJSON);
    }
  }
  return (performance.now() - start) / 1000;
}

async function measureUpdates(server: BenchServer, corpus: Corpus, index: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < UPDATES; i++) {
    const lines = corpus.lines.slice(i * UPDATE_DOCUMENTS, (i + 1) * UPDATE_DOCUMENTS);
    const start = performance.now();
    await server.settle(
      'PUT',
      `/indexes/${index}/documents`,
      Buffer.from(lines.join('\n')),
      NDJSON,
    );
    times.push(performance.now() - start);
  }
  return percentile(times, 0.5);
}

/**
 * One at a time; the limit varies so that a repeated query is not the same request. The first round
 * warms up.
 */
async function measureLatency(
  server: BenchServer,
  corpus: Corpus,
  index: string,
  rounds: number,
): Promise<Record<string, Latency>> {
  const times = new Map<string, number[]>([['all', []]]);
  for (let round = 0; round <= rounds; round++) {
    for (const { category, body } of corpus.queries) {
      const start = performance.now();
      await server.call('POST', `/indexes/${index}/search`, {
        ...body,
        limit: Number(body['limit'] ?? 20) + (round % 5),
      });
      const ms = performance.now() - start;
      if (round === 0) continue;
      times.set(category, [...(times.get(category) ?? []), ms]);
      times.get('all')?.push(ms);
    }
  }
  return Object.fromEntries(
    [...times].map(([category, all]) => [
      category,
      { p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99) },
    ]),
  );
}

async function measureThroughput(
  server: BenchServer,
  corpus: Corpus,
  index: string,
  clients: number,
): Promise<number> {
  const end = performance.now() + THROUGHPUT_MS;
  let sent = 0;
  let answered = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const { body } = corpus.queries[sent % corpus.queries.length]!;
      const limit = Number(body['limit'] ?? 20) + (Math.floor(sent / corpus.queries.length) % 5);
      sent++;
      await server.call('POST', `/indexes/${index}/search`, { ...body, limit });
      answered++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answered / (THROUGHPUT_MS / 1000);
}
