/**
 * Vector search in the engine, in one thread and in memory: clustered unit vectors (32 latent
 * dimensions, 300 clusters), recall@10 against exact search, churn by merges. Times are processor
 * time, so that what else runs on the machine counts less. Options: `--vectors N` (50,000),
 * `--dimensions N` (384), `--queries N` (100), `--rival DIR` to measure the hnswlib-node that is
 * installed there too, `--peers FILE` to run that Python script (../shared/bench/peer_vectors.py;
 * PYTHONPATH says where hnswlib and faiss are) with as many vectors and one thread behind it.
 */

import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { concatBytes } from '../../src/core/concat-bytes.ts';
import { hasBit, makeBitset, setBit } from '../../src/engine/sets/bitset.ts';
import { mergeVectors } from '../../src/engine/vectors/merge-vectors.ts';
import { nearestInFiles } from '../../src/engine/vectors/nearest-in-files.ts';
import type { VectorSpace } from '../../src/engine/vectors/vectors.ts';
import { VectorsFile } from '../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../src/engine/vectors/vectors-writer.ts';
import { madeVectors } from '../bench/made-vectors.ts';
import { percentile } from '../bench/statistics.ts';

const MIB = 1 << 20;
const K = 10;

const { values: options } = parseArgs({
  allowPositionals: true,
  options: {
    vectors: { type: 'string', default: '50000' },
    dimensions: { type: 'string', default: '384' },
    queries: { type: 'string', default: '100' },
    rival: { type: 'string' },
    peers: { type: 'string' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Measured {
  readonly recall: number;
  readonly cpuMs: number;
  readonly p50Ms: number;
}

function cpuMsNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** DocIds of the neighbours of a query, best first. */
type Search = (query: Float32Array) => readonly number[];

function measure(search: Search, truth: readonly (readonly number[])[]): Measured {
  for (const query of queries) search(query);
  const times: number[] = [];
  let right = 0;
  let wanted = 0;
  const cpuStart = cpuMsNow();
  const found = queries.map((query) => {
    const start = performance.now();
    const docIds = search(query);
    times.push(performance.now() - start);
    return new Set(docIds);
  });
  const cpuMs = (cpuMsNow() - cpuStart) / queries.length;
  for (const [i, docIds] of found.entries()) {
    right += truth[i]!.filter((docId) => docIds.has(docId)).length;
    wanted += truth[i]!.length;
  }
  return { recall: right / wanted, cpuMs, p50Ms: percentile(times, 0.5) };
}

const row = (name: string, { recall, cpuMs, p50Ms }: Measured): void =>
  print(
    `  ${name.padEnd(22)} recall ${recall.toFixed(4)}  mean ${cpuMs.toFixed(3)} ms  p50 ${p50Ms.toFixed(3)} ms`,
  );

function searchIn(reader: VectorsFile, universe: Uint32Array | null, effort: number): Search {
  return (query) =>
    nearestInFiles([{ file: reader, universe }], query, K, effort).map(({ docId }) => docId);
}

const truthIn = (reader: VectorsFile, universe: Uint32Array | null) =>
  queries.map(searchIn(reader, universe, Infinity));

/** Each document with the probability `share`. */
function randomSet(count: number, share: number): Uint32Array {
  const bits = makeBitset(count);
  for (let i = 0; i < count; i++)
    if ((Math.imul(i, 2_654_435_761) >>> 0) / 2 ** 32 < share) setBit(bits, i);
  return bits;
}

function fileOf(vectors: readonly Float32Array[], space: VectorSpace): Uint8Array {
  const writer = new VectorsWriter(space);
  for (const [docId, vector] of vectors.entries()) writer.add(docId, [vector]);
  return concatBytes(writer.finish());
}

function build(vectors: readonly Float32Array[], space: VectorSpace): VectorsFile {
  const start = cpuMsNow();
  const bytes = fileOf(vectors, space);
  const perSecond = Math.round((vectors.length / (cpuMsNow() - start)) * 1e3);
  const reader = new VectorsFile('bench', bytes);
  const { vectors: rowBytes, search } = reader.bytes;
  print(
    `${vectors.length} x ${space.dimensions}, ${space.precision}: ${perSecond} vectors/s a thread; rows ${(rowBytes / MIB).toFixed(1)} MiB, for search ${(search / MIB).toFixed(1)} MiB`,
  );
  return reader;
}

function reportSearch(reader: VectorsFile, exact: VectorsFile): void {
  const truth = truthIn(exact, null);
  for (const effort of [0.25, 0.5, 1, 2])
    row(`effort ${effort}`, measure(searchIn(reader, null, effort), truth));
  for (const share of [0.5, 0.1, 0.01, 0.001]) {
    const universe = randomSet(vectors.length, share);
    row(
      `filter ${share * 100} %`,
      measure(searchIn(reader, universe, 1), truthIn(exact, universe)),
    );
  }
}

/** Half of the documents are replaced and merged in, twice. */
function reportChurn(space: VectorSpace, next: () => Float32Array): void {
  let reader = new VectorsFile('bench', fileOf(vectors, space));
  for (const half of [0, 1]) {
    const replaced = makeBitset(vectors.length);
    const writer = new VectorsWriter(space);
    for (let docId = half; docId < vectors.length; docId += 2) {
      setBit(replaced, docId);
      writer.add(docId, [next()]);
    }
    const fresh = new VectorsFile('fresh', concatBytes(writer.finish()));
    const start = cpuMsNow();
    const inputs = [
      { reader, dead: replaced },
      { reader: fresh, dead: null },
    ];
    reader = new VectorsFile('merged', concatBytes(mergeVectors(inputs, space)));
    const ms = cpuMsNow() - start;
    const measured = measure(searchIn(reader, null, 1), truthIn(reader, null));
    row(`half replaced, merged in ${ms.toFixed(0)} ms`, measured);
  }
}

/** The part of hnswlib-node that is measured. */
interface HnswIndex {
  initIndex(options: { maxElements: number; m: number; efConstruction: number }): void;
  addPoint(point: number[], label: number): void;
  setEf(ef: number): void;
  searchKnn(
    query: number[],
    k: number,
    filter?: (label: number) => boolean,
  ): { readonly neighbors: number[] };
}

function reportRival(folder: string, truthOf: VectorsFile): void {
  const { HierarchicalNSW } = createRequire(path.resolve(folder, 'package.json'))(
    'hnswlib-node',
  ) as { HierarchicalNSW: new (space: string, dimensions: number) => HnswIndex };
  const points = vectors.map((vector) => Array.from(vector));
  const before = process.memoryUsage.rss();
  const start = cpuMsNow();
  const index = new HierarchicalNSW('cosine', dimensions);
  index.initIndex({ maxElements: points.length, m: 16, efConstruction: 100 });
  for (const [label, point] of points.entries()) index.addPoint(point, label);
  const perSecond = Math.round((points.length / (cpuMsNow() - start)) * 1e3);
  const memory = (process.memoryUsage.rss() - before) / MIB;
  print(`hnswlib-node: ${perSecond} vectors/s a thread; memory ${memory.toFixed(1)} MiB`);
  const search = (universe: Uint32Array | null): Search => {
    const filter = universe === null ? undefined : (label: number) => hasBit(universe, label);
    return (query) => index.searchKnn(Array.from(query), K, filter).neighbors;
  };
  const truth = truthIn(truthOf, null);
  for (const ef of [20, 40, 100]) {
    index.setEf(ef);
    row(`ef ${ef}`, measure(search(null), truth));
  }
  for (const share of [0.1, 0.01]) {
    const universe = randomSet(vectors.length, share);
    row(`filter ${share * 100} %`, measure(search(universe), truthIn(truthOf, universe)));
  }
}

/** Its vectors are of the same distribution, and it prints by itself. */
function reportPeers(script: string): void {
  const { vectors: count, dimensions: width, queries: asked } = options;
  const sizes = ['--n', count, '--dims', width, '--queries', asked];
  const only = ['--threads', '1', '--only', 'hnswlib,faiss'];
  execFileSync('python3', [script, ...sizes, ...only], { stdio: 'inherit' });
}

const dimensions = Number(options.dimensions);
const next = madeVectors(dimensions);
const vectors = Array.from({ length: Number(options.vectors) }, next);
const queries = Array.from({ length: Number(options.queries) }, next);
const space: VectorSpace = { dimensions, metric: 'cosine', precision: 'float' };
const full = build(vectors, space);
reportSearch(full, full);
reportChurn(space, next);
reportSearch(build(vectors, { ...space, precision: 'byte' }), full);
if (options.rival === undefined) print('hnswlib-node: not measured (--rival DIR)');
else reportRival(options.rival, full);
if (options.peers !== undefined) reportPeers(options.peers);
