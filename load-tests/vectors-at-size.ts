/**
 * npm run bench:vectors -- [--vectors 100000] [--dimensions 768] [--queries 200] [--threads 2]
 *
 * Made vectors in the engine, in files as the server has them: built in parts by several threads,
 * searched together, merged to one file, searched again; recall@10 against exact search, without a
 * filter and with filters of 10, 1 and .1 %. Build times are of the slowest thread, searches are
 * processor time of one; a cold start is a new process over files that the page cache has. Memory of
 * the process is counted without mapped files, with the made vectors of each part under way.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writevSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { makeBitset, setBit } from '../src/engine/sets/bitset.ts';
import { mergeVectors } from '../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../src/engine/vectors/nearest-in-files.ts';
import type { VectorSpace } from '../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../src/engine/vectors/vectors-writer.ts';
import { mapFile } from '../src/storage/files/file-mapping.ts';
import { madeVectors } from './bench/made-vectors.ts';
import { percentile } from './bench/statistics.ts';

const PART = 25_000;
const K = 10;
const SHARES = [1, 0.1, 0.01, 0.001];
const QUERY_SEED = 1_000_003;
const MIB = 1 << 20;

/** What a thread is to build. */
interface Share {
  readonly folder: string;
  readonly vectors: number;
  readonly dimensions: number;
  /** Numbers of the parts. */
  readonly parts: readonly number[];
}

const { values: options } = parseArgs({
  options: {
    vectors: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '768' },
    queries: { type: 'string', default: '200' },
    threads: { type: 'string', default: '2' },
    cold: { type: 'string' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const spaceOf = (dimensions: number): VectorSpace => ({
  dimensions,
  metric: 'cosine',
  precision: 'float',
});
const pathOf = (folder: string, part: number | 'whole'): string => join(folder, `${part}.vec`);
const open = (path: string): VectorsFile => new VectorsFile(path, mapFile(path).bytes);

function write(path: string, parts: readonly Uint8Array[]): void {
  const file = openSync(path, 'wx');
  for (const part of parts)
    for (let at = 0; at < part.length; ) at += writevSync(file, [part.subarray(at, at + 64 * MIB)]);
}

/** In a thread: milliseconds without those of making the vectors. */
function buildShare({ folder, vectors, dimensions, parts }: Share): number {
  let ms = 0;
  for (const part of parts) {
    const next = madeVectors(dimensions, part + 1);
    const first = part * PART;
    const made = Array.from({ length: Math.min(PART, vectors - first) }, next);
    const start = performance.now();
    const writer = new VectorsWriter(spaceOf(dimensions));
    for (const [i, vector] of made.entries()) writer.add(first + i, [vector]);
    write(pathOf(folder, part), writer.finish());
    ms += performance.now() - start;
  }
  return ms;
}

/** Its first number is the peak MiB of the process without mapped files (Linux). */
interface MemoryWatch {
  readonly peakMib: Int32Array;
}

function watchMemory({ peakMib }: MemoryWatch): void {
  setInterval(() => {
    const [, kib = 0] = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    peakMib[0] = Math.max(peakMib[0] ?? 0, Math.round(Number(kib) / 1024));
  }, 100);
}

function built(share: Share): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function everySo(count: number, share: number): Uint32Array | null {
  if (share === 1) return null;
  const bits = makeBitset(count);
  for (let i = 0; i < count; i++)
    if ((Math.imul(i, 2_654_435_761) >>> 0) / 2 ** 32 < share) setBit(bits, i);
  return bits;
}

const searchOf =
  (files: readonly VectorsFile[], universe: Uint32Array | null, effort: number) =>
  (query: Float32Array): number[] =>
    nearestInFiles(
      files.map((file) => ({ file, universe })),
      query,
      K,
      effort,
    ).map(({ docId }) => docId);

type Truth = readonly (readonly number[])[];

function report(
  files: readonly VectorsFile[],
  queries: readonly Float32Array[],
  truths: readonly Truth[],
  count: number,
): void {
  for (const [n, share] of SHARES.entries()) {
    const search = searchOf(files, everySo(count, share), 1);
    for (const query of queries.slice(0, 20)) search(query);
    const times: number[] = [];
    let right = 0;
    const before = process.cpuUsage();
    for (const [i, query] of queries.entries()) {
      const start = performance.now();
      const found = new Set(search(query));
      times.push(performance.now() - start);
      right += truths[n]![i]!.filter((docId) => found.has(docId)).length;
    }
    const { user, system } = process.cpuUsage(before);
    const recall = right / truths[n]!.reduce((sum, { length }) => sum + length, 0);
    const mean = (user + system) / 1e3 / queries.length;
    print(
      `  ${`${share * 100} %`.padEnd(6)} recall ${recall.toFixed(4)}  p50 ${percentile(times, 0.5).toFixed(3)} ms  processor ${mean.toFixed(3)} ms`,
    );
  }
}

function reportColdStart(path: string, dimensions: number): void {
  const args = [process.argv[1]!, '--cold', path, '--dimensions', String(dimensions)];
  print(`  cold start: ${execFileSync(process.execPath, args).toString().trim()}`);
}

function coldStart(path: string, dimensions: number): void {
  const query = madeVectors(dimensions, QUERY_SEED)();
  const start = performance.now();
  searchOf([open(path)], null, 1)(query);
  print(`first query within ${(performance.now() - start).toFixed(0)} ms of opening the file`);
}

async function run(): Promise<void> {
  const [count, dimensions, threads] = [options.vectors, options.dimensions, options.threads].map(
    Number,
  ) as [number, number, number];
  const folder = mkdtempSync(join(tmpdir(), 'gannet-vectors-'));
  const peakMib = new Int32Array(new SharedArrayBuffer(4));
  const watch = new Worker(new URL(import.meta.url), { workerData: { peakMib } });
  const told = (): string => `${peakMib[0]} MiB at the most until here`;
  try {
    const parts = Array.from({ length: Math.ceil(count / PART) }, (_, part) => part);
    const shares = Array.from({ length: threads }, (_, thread) =>
      parts.filter((part) => part % threads === thread),
    );
    const times = await Promise.all(
      shares.map((own) => built({ folder, vectors: count, dimensions, parts: own })),
    );
    const perSecond = (count / Math.max(...times)) * 1e3;
    print(
      `${count} x ${dimensions}: ${Math.round(perSecond)} vectors/s on ${threads} threads; ${told()}`,
    );
    const files = parts.map((part) => open(pathOf(folder, part)));
    const next = madeVectors(dimensions, QUERY_SEED);
    const queries = Array.from({ length: Number(options.queries) }, next);
    const truths = SHARES.map((share) =>
      queries.map(searchOf(files, everySo(count, share), Number.POSITIVE_INFINITY)),
    );
    print(`${files.length} files together`);
    report(files, queries, truths, count);
    const start = performance.now();
    const inputs = files.map((reader) => ({ reader, dead: null }));
    const whole = pathOf(folder, 'whole');
    write(whole, mergeVectors(inputs, spaceOf(dimensions)));
    print(
      `merged to one file in ${((performance.now() - start) / 1e3).toFixed(1)} s on one thread; ${told()}`,
    );
    const merged = open(whole);
    report([merged], queries, truths, count);
    const { vectors, search } = merged.bytes;
    print(`  disk ${((vectors + search) / (count * dimensions * 4)).toFixed(2)} x the raw vectors`);
    reportColdStart(whole, dimensions);
  } finally {
    await watch.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

const given = workerData as Share | MemoryWatch;
if (!isMainThread && 'peakMib' in given) watchMemory(given);
else if (!isMainThread) parentPort?.postMessage(buildShare(given as Share));
else if (options.cold !== undefined) coldStart(options.cold, Number(options.dimensions));
else await run();
