/**
 * Searches of an index that changes, as one query thread does them, in process: at rest, with a few
 * documents changed between searches, and right after a start.
 *
 *     npm run bench:changing -- [--data DIR] [--work DIR] [--repeat N] [--corpus NAME]
 *         [--every N] [--rounds N] [--cache-mib N] [--only rest|updates|start] [--answers FILE]
 *
 * `--repeat` indexes the corpus this many times; `--every` changes five documents after this
 * many keystrokes; `--answers` writes a checksum of each answer to a file, for comparisons. The index is
 * built once in the folder of `--work`. Prints latencies, processor time and the slowest searches.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSort } from '../src/api/searches/parse-sort.ts';
import { newManifest } from '../src/catalog/manifest.ts';
import { Deadline } from '../src/core/deadline.ts';
import { segmentsAfterMerge } from '../src/indexing/files/finished-merge.ts';
import { IndexWriter } from '../src/indexing/index-writer.ts';
import { filterForm, unparsedFilter } from '../src/model/filter/filter-form.ts';
import { encodeManifest, type IndexManifest } from '../src/model/index-manifest.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../src/model/settings.ts';
import { writeSearchAnswer } from '../src/search/answer/write-answer.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { TYPED_ARRAY_POOL } from '../src/search/sets/typed-array-pool.ts';
import { SnapshotCache } from '../src/search/snapshot/snapshot-cache.ts';
import { openFolder } from '../src/storage/files/fs-directory.ts';

import { type Corpus, loadCorpus, renamed } from './bench/corpus.ts';
import { inProcessPool, noEmbedder } from './bench/in-process-pool.ts';
import { percentile } from './bench/statistics.ts';

const DOCUMENTS_A_BATCH = 50_000;
const DOCUMENTS_A_CHANGE = 5;
const SLOWEST_SHOWN = 10;
/** An index with this many segments is merged instead of changed. */
const SEGMENTS_MAX = 10;
const FIRST_KEYSTROKES = ['t', 'th', 'a', 's', 'c', 'the', 'co', 'b', 'in'];

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    work: { type: 'string', default: 'bench-data' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '1' },
    every: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '2' },
    'cache-mib': { type: 'string', default: '64' },
    only: { type: 'string' },
    answers: { type: 'string' },
  },
});

/** An index in a folder, written by the product's own writer. */
class WrittenIndex {
  readonly #writer: IndexWriter;
  readonly folder: string;
  manifest: IndexManifest;

  constructor(folder: string, manifest: IndexManifest) {
    this.folder = folder;
    this.manifest = manifest;
    this.#writer = new IndexWriter({
      manifest,
      location: folder,
      removeFiles: () => undefined,
      pool: inProcessPool() as never,
      embedderOf: noEmbedder,
      memoryBudgetBytes: 256 << 20,
    });
  }

  async write(lines: readonly string[]): Promise<void> {
    const payload = new TextEncoder().encode(lines.join('\n'));
    const change = await this.#writer.applyDocuments([
      {
        taskUid: 0,
        kind: 'upsert',
        method: 'replace',
        payload,
        payloadBytes: payload.length,
        format: 'ndjson',
        primaryKey: 'id',
        skipCreation: false,
        wereStored: false,
      },
    ]);
    const failed = change.results.find(({ error }) => error !== null);
    if (failed) throw new Error(JSON.stringify(failed.error));
    const { segments, batchEndDocIds, seenFieldPaths, primaryKey } = change;
    this.#commit({ segments, batchEndDocIds, seenFieldPaths, primaryKey }, true);
  }

  /** Whether there was something to merge. */
  async merge(): Promise<boolean> {
    const inputs = this.#writer.planMerge(this.manifest, 'writing');
    const merge = inputs && (await this.#writer.merge(inputs));
    const segments = merge && segmentsAfterMerge(merge, this.manifest.segments);
    if (!segments) return false;
    this.#commit({ segments }, false);
    return true;
  }

  #commit(change: Partial<IndexManifest>, isDated: boolean): void {
    const generation = this.manifest.generation + 1;
    const updatedAt = isDated ? new Date(generation * 1000).toISOString() : this.manifest.updatedAt;
    this.manifest = { ...this.manifest, ...change, generation, updatedAt };
    this.#writer.committed(this.manifest);
  }
}

function emptyManifest(settings: Partial<Settings>): IndexManifest {
  const created = newManifest('changing', 1, 'id', '2026-01-01T00:00:00Z');
  return { ...created, settings: { ...DEFAULT_SETTINGS, ...settings } };
}

function* linesOf(corpus: Corpus): Generator<string> {
  for (let repetition = 0; repetition < corpus.repeat; repetition++)
    for (const line of corpus.lines) yield renamed(line, repetition);
}

async function build(corpus: Corpus, folder: string, manifestFile: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const index = new WrittenIndex(folder, emptyManifest(corpus.settings as Partial<Settings>));
  const started = process.cpuUsage();
  let lines: string[] = [];
  for (const line of linesOf(corpus)) {
    if (lines.push(line) < DOCUMENTS_A_BATCH) continue;
    await index.write(lines);
    lines = [];
  }
  if (lines.length > 0) await index.write(lines);
  const writingMs = process.cpuUsage(started).user / 1000;
  while (await index.merge());
  const allMs = process.cpuUsage(started).user / 1000;
  const bytes = index.manifest.segments.reduce(
    (sum, { files }) => sum + files.reduce((n, file) => n + file.bytes, 0),
    0,
  );
  console.log(
    `built ${corpus.lines.length * corpus.repeat} documents: ${writingMs.toFixed(0)} ms, with merges ${allMs.toFixed(0)} ms of processor time, ${(bytes / 2 ** 20).toFixed(1)} MiB in ${index.manifest.segments.length} segments`,
  );
  writeFileSync(manifestFile, JSON.stringify(index.manifest));
}

/** A copy of the index that may be changed: named files never change. */
function copyOf(folder: string, manifestFile: string): WrittenIndex {
  const copy = `${folder}-copy-${process.pid}`;
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  for (const name of readdirSync(folder)) linkSync(join(folder, name), join(copy, name));
  return new WrittenIndex(copy, JSON.parse(readFileSync(manifestFile, 'utf8')));
}

function requestsOf(corpus: Corpus): SearchRequest[] {
  return corpus.queries.map(({ body }) => {
    const {
      filter = null,
      sort,
      ...same
    } = body as {
      readonly filter?: unknown;
      readonly sort?: readonly string[];
    };
    return {
      ...DEFAULT_SEARCH_REQUEST,
      ...same,
      filter: unparsedFilter(filterForm(filter, 'invalid_search_filter'), {
        containsFilter: true,
        multimodal: true,
        foreignKeys: true,
      }),
      sort: parseSort(sort, 'invalid_search_sort'),
    };
  });
}

/** Keystrokes of a person who types the longer queries, one after the other. */
function typed(requests: readonly SearchRequest[]): SearchRequest[] {
  return requests
    .filter(({ q }, i) => q !== null && q.length > 3 && i % 5 === 0)
    .flatMap((request) =>
      Array.from(request.q!, (_, i) => ({ ...request, q: request.q!.slice(0, i + 1) })),
    );
}

/** What a query thread does with searches. */
class Searcher {
  readonly #snapshots: SnapshotCache;
  readonly #took: { readonly ms: number; readonly cpuMs: number; readonly q: string }[] = [];
  readonly answers: string[] = [];
  #counted = { hits: 0, misses: 0 };

  constructor() {
    this.#snapshots = new SnapshotCache(openFolder, Number(options['cache-mib']) * 2 ** 20, () =>
      performance.now(),
    );
  }

  search({ folder, manifest }: WrittenIndex, request: SearchRequest, counts = true): number {
    const encoded = encodeManifest(manifest);
    const shared = new SharedArrayBuffer(encoded.length);
    new Uint8Array(shared).set(encoded);
    const before = process.cpuUsage();
    const start = performance.now();
    const snapshot = this.#snapshots.get(`1:${manifest.generation}`, shared, folder);
    const facts = () => ({ requestUid: '', processingTimeMs: 0 });
    const { bytes } = TYPED_ARRAY_POOL.during(() => {
      const outcome = executeSearch(snapshot, request, Deadline.never());
      return writeSearchAnswer(snapshot, request, outcome, facts);
    });
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    if (options.answers) this.answers.push(createHash('md5').update(bytes).digest('hex'));
    if (counts) this.#took.push({ ms, cpuMs, q: nameOf(request) });
    else this.#counted = this.#snapshots.figures;
    return cpuMs;
  }

  report(title: string): void {
    const { hits, misses, bytes } = this.#snapshots.figures;
    const found = hits - this.#counted.hits;
    const asked = found + misses - this.#counted.misses;
    this.#counted = { hits, misses };
    const cpu = this.#took.map(({ cpuMs }) => cpuMs);
    const mean = cpu.reduce((sum, ms) => sum + ms, 0) / cpu.length;
    const wall = this.#took.map(({ ms }) => ms);
    const slowest = [...this.#took].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, SLOWEST_SHOWN);
    console.log(
      `${title}: ${cpu.length} searches; processor ms ${spread(cpu)}, mean ${mean.toFixed(2)}; wall ms ${spread(wall)}; kept ${(bytes / 2 ** 20).toFixed(1)} MiB, ${((100 * found) / asked).toFixed(1)} % of looks found`,
    );
    console.log(
      `  slowest: ${slowest.map(({ cpuMs, q }) => `${q} ${cpuMs.toFixed(1)}`).join(', ')}`,
    );
    this.#took.length = 0;
  }
}

function spread(times: readonly number[]): string {
  const at = (p: number): string => percentile(times, p).toFixed(2);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}`;
}

const nameOf = ({ q, filter, sort, facets }: SearchRequest): string =>
  `${q ?? ''}${filter ? ' (filter)' : ''}${sort.length > 0 ? ' (sort)' : ''}${facets ? ' (facets)' : ''}`;

type Part = 'rest' | 'updates' | 'start';

const ROUNDS = Number(options.rounds);

function searchAtRest(
  searcher: Searcher,
  index: WrittenIndex,
  requests: readonly SearchRequest[],
): void {
  for (let round = 0; round < ROUNDS; round++)
    for (const request of requests) searcher.search(index, request);
  searcher.report('rest');
}

/** A merge is published by itself, as in a server. */
async function searchWhileUpdated(
  searcher: Searcher,
  index: WrittenIndex,
  requests: readonly SearchRequest[],
  corpus: Corpus,
): Promise<void> {
  const all = Array.from({ length: ROUNDS }, () => requests).flat();
  let changeCount = 0;
  for (const [sent, request] of all.entries()) {
    const isChanged = sent % Number(options.every) === 0;
    if (isChanged && index.manifest.segments.length < SEGMENTS_MAX)
      await index.write(changedLines(corpus, changeCount++));
    else if (isChanged) await index.merge();
    searcher.search(index, request);
  }
  searcher.report(`updates (${changeCount} changes)`);
}

function searchAfterStart(index: WrittenIndex): void {
  const young = new Searcher();
  const firsts = FIRST_KEYSTROKES.map((q) => {
    const ms = young.search(index, { ...DEFAULT_SEARCH_REQUEST, q });
    return `${q} ${ms.toFixed(1)}`;
  });
  console.log(`after a start: ${firsts.join(', ')}`);
}

async function measure(corpus: Corpus, folder: string, manifestFile: string): Promise<void> {
  const all = requestsOf(corpus);
  const requests = [...typed(all), ...all];
  const index = copyOf(folder, manifestFile);
  const searcher = new Searcher();
  const isWanted = (part: Part): boolean => (options.only ?? part) === part;
  try {
    for (const request of requests) searcher.search(index, request, false);
    if (isWanted('rest')) searchAtRest(searcher, index, requests);
    if (isWanted('updates')) await searchWhileUpdated(searcher, index, requests, corpus);
    if (isWanted('start')) searchAfterStart(index);
  } finally {
    rmSync(index.folder, { recursive: true, force: true });
  }
  if (options.answers) writeFileSync(options.answers, searcher.answers.join('\n'));
}

/** Five documents with a word more than before; their ids are spread over the index. */
function changedLines({ lines, repeat }: Corpus, change: number): string[] {
  return Array.from({ length: DOCUMENTS_A_CHANGE }, (_, i) => {
    const number = change * DOCUMENTS_A_CHANGE + i;
    const line = lines[(number * 7919) % lines.length]!;
    const document = JSON.parse(renamed(line, number % repeat)) as Record<string, unknown>;
    const text = Object.keys(document).find(
      (key) => key !== 'id' && typeof document[key] === 'string',
    );
    if (text) document[text] = `${document[text]} edition ${change}`;
    return JSON.stringify(document);
  });
}

const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
const folder = join(options.work, `${options.corpus}-${options.repeat}`);
const manifestFile = `${folder}.json`;
if (!existsSync(manifestFile)) await build(corpus, folder, manifestFile);
await measure(corpus, folder, manifestFile);
