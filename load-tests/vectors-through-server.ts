/**
 * npm run bench:vectors-http -- [--vectors 50000] [--dimensions 768] [--queries 100] [--part 10000]
 * [--flags "--query-threads 2"]
 *
 * Made vectors through a real server: uploaded as NDJSON in parts that a process of its own makes on
 * the way, searched by one client right after the last task and once merges are done, without a
 * filter and with filters of 10, 1 and .1 %, then by a server that was just started. Recall@10 is
 * that of exact answers, which another process works out before. Memory is the largest sum over all
 * processes of the server that was sampled, of anonymous pages and of all (pages of mapped files
 * count in each process that has them). Processor times are of all processes of the server.
 */
import { fork } from 'node:child_process';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOfFamily, processorMsOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import {
  groupOf,
  lineBytesMax,
  STEPS,
  SteppedVectors,
  writeLine,
} from './bench/stepped-vectors.ts';
import { aligned } from './bench/table.ts';

const K = 10;
/** Shares of the documents that filters leave, in thousandths. */
const SHARES = [1_000, 100, 10, 1];
const SEED = 1;
const QUERY_SEED = 2;
const CHUNK_BYTES = 1 << 20;
const SAMPLE_MS = 500;
/** The server is idle when it has used less than this share of a core for this time. */
const REST_SHARE = 0.05;
const REST_MS = 8_000;
const SETTLED_MS_MAX = 1_800_000;
const MIB = 1 << 20;

const { values: options } = parseArgs({
  options: {
    vectors: { type: 'string', default: '50000' },
    dimensions: { type: 'string', default: '768' },
    queries: { type: 'string', default: '100' },
    part: { type: 'string', default: '10000' },
    flags: { type: 'string', default: '' },
    /** What the process does: `upload` to `url`, or find the `truth`. */
    role: { type: 'string' },
    url: { type: 'string' },
  },
});
const count = Number(options.vectors);
const dimensions = Number(options.dimensions);
const part = Number(options.part);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Ids of the documents nearest to each query, by share. */
type Truth = readonly (readonly (readonly number[])[])[];

function queriesMade(): Float32Array[] {
  const vectors = new SteppedVectors(dimensions, QUERY_SEED);
  return Array.from({ length: Number(options.queries) }, () =>
    Float32Array.from(vectors.make(), (step) => step / STEPS),
  );
}

function cosine(query: Float32Array, steps: Int32Array): number {
  let product = 0;
  let square = 0;
  for (let d = 0; d < steps.length; d++) {
    product += query[d]! * steps[d]!;
    square += steps[d]! * steps[d]!;
  }
  return product / Math.sqrt(square);
}

interface Near {
  readonly id: number;
  readonly similarity: number;
}

/** Keeps the `K` nearest, best first. */
function offer(best: Near[], near: Near): void {
  if (best.length === K && best[K - 1]!.similarity >= near.similarity) return;
  const place = best.findIndex(({ similarity }) => similarity < near.similarity);
  best.splice(place < 0 ? best.length : place, 0, near);
  best.length = Math.min(best.length, K);
}

function findTruth(): Truth {
  const queries = queriesMade();
  const best = SHARES.map(() => queries.map((): Near[] => []));
  const vectors = new SteppedVectors(dimensions, SEED);
  for (let id = 0; id < count; id++) {
    const steps = vectors.make();
    const group = groupOf(id);
    for (const [q, query] of queries.entries()) {
      const near = { id, similarity: cosine(query, steps) };
      for (const [s, share] of SHARES.entries()) if (group < share) offer(best[s]![q]!, near);
    }
  }
  return best.map((lists) => lists.map((list) => list.map(({ id }) => id)));
}

/** @returns number of the task */
function uploadPart(url: string, vectors: SteppedVectors, first: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      `${url}/indexes/vectors/documents?primaryKey=id`,
      { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          const { taskUid } = JSON.parse(text) as { taskUid?: number };
          if (taskUid === undefined) reject(new Error(text));
          else resolve(taskUid);
        });
      },
    );
    sent.on('error', reject);
    void writeDocuments(sent, vectors, first);
  });
}

async function writeDocuments(
  sent: http.ClientRequest,
  vectors: SteppedVectors,
  first: number,
): Promise<void> {
  const end = Math.min(count, first + part);
  let id = first;
  while (id < end) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let length = 0;
    for (; id < end && length + lineBytesMax(dimensions) <= CHUNK_BYTES; id++)
      length = writeLine(chunk, length, id, vectors.make());
    if (!sent.write(chunk.subarray(0, length)))
      await new Promise<void>((resolve) => sent.once('drain', () => resolve()));
  }
  sent.end();
}

async function upload(url: string): Promise<void> {
  const vectors = new SteppedVectors(dimensions, SEED);
  for (let first = 0; first < count; first += part) await uploadPart(url, vectors, first);
}

/** What another process of this script says in the end. */
function ofChild(role: string, ...more: readonly string[]): Promise<unknown> {
  const { vectors, queries } = options;
  const same = ['--vectors', vectors, '--dimensions', String(dimensions), '--queries', queries];
  const args = [...same, '--part', String(part), '--role', role, ...more];
  return new Promise((resolve, reject) => {
    const child = fork(process.argv[1]!, args);
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${role} ended with ${code}`)));
  });
}

/** The largest sums over all processes, in bytes. */
class MemoryPeaks {
  anonymousBytes = 0;
  allBytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(server: BenchServer) {
    this.#timer = setInterval(() => this.#sample(server.pid), SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(pid: number): void {
    let anonymous = 0;
    let files = 0;
    for (const { anonymousBytes, fileBytes } of memoryOfFamily(pid)) {
      anonymous += anonymousBytes;
      files += fileBytes;
    }
    this.anonymousBytes = Math.max(this.anonymousBytes, anonymous);
    this.allBytes = Math.max(this.allBytes, anonymous + files);
  }

  toString(): string {
    const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
    return `${mib(this.anonymousBytes)} MiB anonymous, ${mib(this.allBytes)} MiB with mapped files at the most`;
  }
}

async function untilAtRest(server: BenchServer): Promise<void> {
  const end = performance.now() + SETTLED_MS_MAX;
  for (;;) {
    const before = processorMsOf(server.pid);
    await sleep(REST_MS);
    if (processorMsOf(server.pid) - before < REST_MS * REST_SHARE) return;
    if (performance.now() > end) throw new Error('the server has not come to rest');
  }
}

interface Hits {
  readonly hits: readonly { readonly id: number }[];
}

async function search(
  server: BenchServer,
  query: Float32Array,
  share: number,
  limit: number,
): Promise<readonly number[]> {
  const { status, body } = await server.call('POST', '/indexes/vectors/search', {
    vector: Array.from(query),
    hybrid: { embedder: 'v', semanticRatio: 1 },
    attributesToRetrieve: ['id'],
    limit,
    ...(share < 1_000 ? { filter: `group < ${share}` } : {}),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return (body as Hits).hits.slice(0, K).map(({ id }) => id);
}

async function reportSearches(server: BenchServer, truth: Truth): Promise<void> {
  const rows = [['filter', 'recall@10', 'p50 ms', 'p99 ms', 'processor ms']];
  const queries = queriesMade();
  for (const [s, share] of SHARES.entries()) {
    // Another limit, so that no answer is one that was kept.
    for (const query of queries) await search(server, query, share, K + 1);
    const times: number[] = [];
    let right = 0;
    let wanted = 0;
    const before = processorMsOf(server.pid);
    for (const [q, query] of queries.entries()) {
      const start = performance.now();
      const found = new Set(await search(server, query, share, K));
      times.push(performance.now() - start);
      right += truth[s]![q]!.filter((id) => found.has(id)).length;
      wanted += truth[s]![q]!.length;
    }
    const processorMs = (processorMsOf(server.pid) - before) / queries.length;
    rows.push([
      share === 1_000 ? 'none' : `${share / 10} %`,
      (right / wanted).toFixed(4),
      percentile(times, 0.5).toFixed(2),
      percentile(times, 0.99).toFixed(2),
      processorMs.toFixed(2),
    ]);
  }
  print(aligned(rows));
}

async function reportColdStart(server: BenchServer): Promise<void> {
  const [query] = queriesMade();
  const start = performance.now();
  await server.restart();
  const healthy = performance.now();
  await search(server, query!, 1_000, K);
  const answered = performance.now();
  print(
    `restart: healthy after ${(healthy - start).toFixed(0)} ms, first search ${(answered - healthy).toFixed(0)} ms after that`,
  );
}

async function run(): Promise<void> {
  const truth = (await ofChild('truth')) as Truth;
  const server = await startServer(options.flags.split(' ').filter(Boolean));
  try {
    await server.settle('POST', '/indexes', { uid: 'vectors', primaryKey: 'id' });
    await server.settle('PATCH', '/indexes/vectors/settings', {
      filterableAttributes: ['group'],
      searchableAttributes: ['none'],
      embedders: { v: { source: 'userProvided', dimensions } },
    });
    const peaks = new MemoryPeaks(server);
    const start = performance.now();
    const clientMs = (await ofChild('upload', '--url', server.url)) as number;
    const uploadedMs = performance.now() - start;
    await server.untilIdle();
    const doneMs = performance.now() - start;
    const processorMs = processorMsOf(server.pid);
    print(
      `${count} x ${dimensions}: uploaded after ${(uploadedMs / 1e3).toFixed(1)} s, searchable after ${(doneMs / 1e3).toFixed(1)} s (${((count / doneMs) * 1e3).toFixed(0)} vectors/s)`,
    );
    print(
      `processor time: server ${(processorMs / 1e3).toFixed(1)} s (${((processorMs / count) * 1e3).toFixed(0)} us a vector), client ${(clientMs / 1e3).toFixed(1)} s; ${peaks}`,
    );
    await reportSearches(server, truth);
    await untilAtRest(server);
    print(
      `at rest after ${((performance.now() - start) / 1e3).toFixed(0)} s, processor time ${(processorMsOf(server.pid) / 1e3).toFixed(1)} s; ${peaks}; disk ${(server.diskBytes() / (count * dimensions * 4)).toFixed(2)} x the raw vectors`,
    );
    await reportSearches(server, truth);
    peaks.stop();
    await reportColdStart(server);
  } finally {
    await server.stop();
  }
}

const { role, url } = options;
if (role === 'truth') process.send?.(findTruth());
else if (role === 'upload' && url !== undefined) {
  await upload(url);
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1e3);
} else await run();
