/**
 * What single functions of a server take: a branch, fingerprints and `gannet verify`, reranking by a
 * service that answers at once or not at all, `diversity`, groups over the instances of a network.
 *
 *     npm run build && node dist/load-tests/capabilities.js [--only NAME,…] [--documents N] [--rounds N]
 *
 * Names: `branch`, `fingerprint`, `rerank`, `diversity`, `network`. Documents have a text of about 400 bytes.
 * Prints a table for each. Variants of a search come by turns.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../src/cli/gannet.ts';
import { OUTAGE_PAUSE_MS } from '../src/rerank/service-gate.ts';
import { caseOptions } from './bench/case-options.ts';
import { loadAverage } from './bench/machine-load.ts';
import { drawn, madeText } from './bench/made-texts.ts';
import { madeVectors } from './bench/made-vectors.ts';
import { threadMsSince, threadTimesOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { timed } from './bench/statistics.ts';
import { aligned, shownMs, TIME_COLUMNS, timeCells } from './bench/table.ts';
import { untilMerged, uploadLines } from './bench/uploads.ts';

const { documentCount, rounds, isWanted } = caseOptions(100);
const BRANCHES = 21;
const UPLOAD = 20_000;
const TEXT_WORDS = 58;
const COUNTRIES = 40;
const DIMENSIONS = 1536;
const VECTORS = 1000;
/** Of a reranker whose service does not answer. */
const TIMEOUT_MS = 300;
const FAILURES = 5;
const BENCH = '/indexes/bench';

const lineOf = (id: number): string =>
  JSON.stringify({
    id,
    country: `country ${drawn(id, COUNTRIES)}`,
    text: madeText(id, TEXT_WORDS),
  });

async function startWith(lines: readonly string[], settings: object): Promise<BenchServer> {
  const server = await startServer([
    ...['--answer-cache-size', '0'],
    ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
  ]);
  await server.settle('PATCH', `${BENCH}/settings`, settings);
  await uploadLines(server, 'bench', lines, UPLOAD);
  await untilMerged(server);
  return server;
}

const madeLines = (count: number): string[] => Array.from({ length: count }, (_, id) => lineOf(id));

async function branch(): Promise<string[][]> {
  const server = await startWith(madeLines(documentCount), {});
  const times: number[] = [];
  for (let i = 0; i < BRANCHES; i++) {
    const uid = `branch-${i}`;
    times.push(await timed(() => server.settle('POST', `${BENCH}/branches`, { uid })));
  }
  const megabytes = (server.indexBytes() / 1e6 / (BRANCHES + 1)).toFixed(0);
  await server.stop();
  const name = `branch of ${documentCount} documents, about ${megabytes} MB`;
  return [
    ['request to `succeeded`', ...TIME_COLUMNS],
    [name, ...timeCells(times)],
  ];
}

async function fingerprint(): Promise<string[][]> {
  const lines = madeLines(documentCount);
  const server = await startWith(lines, {});
  const folder = mkdtempSync(join(tmpdir(), 'gannet-source-'));
  const source = join(folder, 'source.ndjson');
  writeFileSync(source, lines.join('\n'));
  const read = () => timed(() => server.call('GET', `${BENCH}/fingerprint`));
  const verify = () =>
    timed(async () => {
      const args = ['verify', '--source', source, '--index', 'bench', '--url', server.url];
      const { stdin: input, stderr: output, stderr: errors } = process;
      const code = await runCommand(args, { input, output, errors }, {});
      if (code !== 0) throw new Error(`verify ended with ${code}`);
    });
  const first: number[] = [];
  const next: number[] = [];
  const verified: number[] = [];
  for (let start = 0; start < 3; start++) {
    await server.restart();
    first.push(await read());
    for (let i = 0; i < 20; i++) next.push(await read());
    verified.push(await verify());
  }
  await server.stop();
  rmSync(folder, { recursive: true });
  const megabytes = (Buffer.byteLength(lines.join('\n')) / 1e6).toFixed(0);
  const rows = { 'first request after a start': first, 'next requests': next, verify: verified };
  return [
    [`${documentCount} documents, ${megabytes} MB of JSON`, ...TIME_COLUMNS],
    ...Object.entries(rows).map(([name, times]) => [name, ...timeCells(times)]),
  ];
}

interface Service {
  readonly url: string;
  requestCount: number;
  close(): void;
}

/** Scores the texts at once by their lengths; does not answer on the path `/silent`. */
async function startService(): Promise<Service> {
  const server = http.createServer((request, answer) => {
    service.requestCount += 1;
    if (request.url === '/silent') return;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { documents } = JSON.parse(Buffer.concat(parts).toString()) as { documents: string[] };
      const results = documents.map(({ length }, index) => ({
        index,
        relevance_score: 1 / length,
      }));
      answer.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const service: Service = { url: `http://127.0.0.1:${port}`, requestCount: 0, close };
  return service;
}

interface Variant {
  readonly name: string;
  /** Members of the search. */
  readonly members: object;
  readonly times: number[];
  processorMs: number;
}

const variant = (name: string, members: object): Variant => {
  return { name, members, times: [], processorMs: 0 };
};

/**
 * Each variant gets the same searches, by turns, each with words that the query threads have met.
 * @param queryOf the words of the search of this number
 */
async function byTurns(
  server: BenchServer,
  variants: readonly Variant[],
  queryOf: (number: number) => string,
): Promise<void> {
  const warmUp = Math.ceil(rounds / 4);
  const ask = async (body: object): Promise<void> => {
    const { status, text } = await server.call('POST', `${BENCH}/search`, body);
    if (status !== 200 || text.includes('"rerankError"')) throw new Error(text.slice(0, 500));
  };
  for (let round = 0; round < warmUp + rounds; round++) {
    const q = queryOf(round);
    await ask({ q });
    for (const each of variants) {
      const before = threadTimesOf(server.pid);
      const ms = await timed(() => ask({ q, ...each.members }));
      if (round < warmUp) continue;
      each.times.push(ms);
      each.processorMs += threadMsSince(before, server.pid);
    }
  }
}

const rowsOf = (variants: readonly Variant[]): string[][] =>
  variants.map(({ name, times, processorMs }) => [
    name,
    ...timeCells(times),
    shownMs(processorMs / times.length),
  ]);

async function rerank(): Promise<string[][]> {
  const service = await startService();
  const server = await startWith(madeLines(documentCount), {});
  const reranker = (path: string) => ({
    source: 'cohere',
    url: `${service.url}${path}`,
    apiKey: 'none',
    documentTemplate: '{{ doc.text }}',
    timeoutMs: TIMEOUT_MS,
  });
  const rerankers = { prompt: reranker('/prompt'), silent: reranker('/silent') };
  await server.settle('PATCH', `${BENCH}/settings`, { rerankers });
  const members = { rerank: { reranker: 'prompt' } };
  const variants = [
    variant('without', {}),
    variant('without, 50 hits', { limit: 50 }),
    variant('50 texts, new ones', members),
    variant('50 texts, cached scores', members),
  ];
  await byTurns(server, variants, (number) => {
    const text = madeText(drawn(number, documentCount), TEXT_WORDS).split(' ');
    return `${text[0]} ${text[1]}`;
  });
  const asked = service.requestCount;
  const { failed, unasked } = await fallbacks(server);
  await server.stop();
  service.close();
  return [
    [
      `${documentCount} documents; the service had ${asked} requests`,
      ...TIME_COLUMNS,
      'processor ms',
    ],
    ...rowsOf(variants),
    [`fallback, time limit ${TIMEOUT_MS} ms`, ...timeCells(failed), ''],
    ['fallback, in the five seconds after', ...timeCells(unasked), ''],
  ];
}

/** Searches of a service that does not answer, and the ones after each, which do not ask the service. */
async function fallbacks(server: BenchServer) {
  const body = { q: madeText(0, 2), rerank: { reranker: 'silent' } };
  const ask = () =>
    timed(async () => {
      const { text } = await server.call('POST', `${BENCH}/search`, body);
      if (!text.includes('"rerankError"')) throw new Error('the service has answered');
    });
  const failed: number[] = [];
  const unasked: number[] = [];
  for (let failure = 0; failure < FAILURES; failure++) {
    await sleep(OUTAGE_PAUSE_MS);
    failed.push(await ask());
    for (let i = 0; i < rounds / FAILURES; i++) unasked.push(await ask());
  }
  return { failed, unasked };
}

async function diversity(): Promise<string[][]> {
  const nextVector = madeVectors(DIMENSIONS);
  const lines = Array.from({ length: VECTORS }, (_, id) =>
    JSON.stringify({ ...JSON.parse(lineOf(id)), _vectors: { v: [...nextVector()] } }),
  );
  const server = await startWith(lines, {
    filterableAttributes: ['country'],
    embedders: { v: { source: 'userProvided', dimensions: DIMENSIONS } },
  });
  const variants = [50, 200].flatMap((limit) => [
    variant(`none, first ${limit}`, { limit }),
    variant(`by attribute, first ${limit}`, { limit, diversity: { attribute: 'country', limit } }),
    variant(`by vectors, first ${limit}`, { limit, diversity: { embedder: 'v', limit } }),
  ]);
  await byTurns(server, variants, () => '');
  await server.stop();
  return [
    [`${VECTORS} documents, ${DIMENSIONS} dimensions`, ...TIME_COLUMNS, 'processor ms'],
    ...rowsOf(variants),
  ];
}

/** Two instances, each with half of the documents, against one with all of them. */
async function network(): Promise<string[][]> {
  const settings = { filterableAttributes: ['country'] };
  const lines = madeLines(documentCount);
  const half = Math.ceil(documentCount / 2);
  const alone = await startWith(lines, settings);
  const first = await startWith(lines.slice(0, half), settings);
  const second = await startWith(lines.slice(half), settings);
  await first.call('PATCH', '/experimental-features', { network: true });
  const remotes = { first: { url: first.url }, second: { url: second.url } };
  const { status, text } = await first.call('PATCH', '/network', { self: 'first', remotes });
  if (status !== 200) throw new Error(text);
  const useNetwork = { useNetwork: true };
  const groups = { groupBy: 'country', groupSize: 2 };
  const local = [variant('one instance: hits', {}), variant('one instance: groups', groups)];
  const remote = [
    variant('two instances: hits', useNetwork),
    variant('two instances: groups', { ...groups, ...useNetwork }),
  ];
  const queryOf = (number: number): string => madeText(drawn(number, documentCount), 1);
  await byTurns(alone, local, queryOf);
  await byTurns(first, remote, queryOf);
  for (const server of [alone, first, second]) await server.stop();
  return [
    [`${documentCount} documents, groups by country`, ...TIME_COLUMNS, 'processor ms'],
    ...rowsOf([...local, ...remote]),
  ];
}

const CASES = { branch, fingerprint, rerank, diversity, network };
for (const [name, measure] of Object.entries(CASES)) {
  if (!isWanted(name)) continue;
  const before = loadAverage();
  const rows = await measure();
  console.log(`${name}; load ${before} before, ${loadAverage()} after`);
  console.log(`${aligned(rows)}\n`);
}
