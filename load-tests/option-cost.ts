/**
 * What options cost that record requests: servers with the same documents, of which some have one of
 * the options, get the same requests by turns, from one connection each. Two servers have none: they
 * differ by chance alone. Then what a report over the recorded searches takes.
 *
 *     npm run build && node dist/load-tests/option-cost.js [--only NAME,…] [--documents N] [--rounds N]
 *
 * Names: `searches`, each of which a query thread answers; `cached`, which the response cache answers;
 * `writes` of one document. Processor time is that of a request.
 */
import http from 'node:http';
import { caseOptions } from './bench/case-options.ts';
import { loadAverage } from './bench/machine-load.ts';
import { drawn, madeText } from './bench/made-texts.ts';
import { memoryOfFamily, threadMsSince, threadTimesOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { untilMerged, uploadLines } from './bench/uploads.ts';

const { documentCount, rounds, isWanted } = caseOptions(40);
/** Rounds before the measured ones, which compile the code. */
const WARM_UP = Math.ceil(rounds / 4);
const REQUESTS = 250;
/** Different searches: the response cache has room for the answers of all. */
const QUERIES = 500;
const USERS = 1000;
const TEXT_WORDS = 12;
const UPLOAD = 50_000;

interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Load {
  /** Of all servers. */
  readonly flags: readonly string[];
  /** Flags by name of the option. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  readonly requestOf: (number: number) => MadeRequest;
  /** True if turns end when no task waits. */
  readonly writes: boolean;
}

/** Two words of a document. */
const queryOf = (number: number): string => {
  const id = drawn(number % QUERIES, documentCount);
  return madeText(id, TEXT_WORDS).split(' ').slice(0, 2).join(' ');
};

const search = (number: number): MadeRequest => ({
  method: 'POST',
  path: '/indexes/bench/search',
  body: JSON.stringify({ q: queryOf(number) }),
  headers: { 'meili-include-metadata': 'true', 'x-ms-user-id': `user ${number % USERS}` },
});

const write = (number: number): MadeRequest => ({
  method: 'POST',
  path: '/indexes/bench/documents',
  body: JSON.stringify([{ id: number % documentCount, text: madeText(number, TEXT_WORDS) }]),
  headers: {},
});

/** A collector of OpenTelemetry that reads what is sent to it. */
async function startCollector(): Promise<http.Server> {
  const collector = http.createServer((request, answer) => {
    request.resume();
    request.on('end', () => answer.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((done) => collector.listen(0, '127.0.0.1', done));
  return collector;
}

const collector = await startCollector();
const { port } = collector.address() as { port: number };
const recordingSearches = {
  '--search-analytics': ['--search-analytics'],
  '--otlp-url': ['--otlp-url', `http://127.0.0.1:${port}`],
};
const LOADS: Readonly<Record<string, Load>> = {
  searches: {
    flags: ['--answer-cache-size', '0'],
    options: recordingSearches,
    requestOf: search,
    writes: false,
  },
  cached: { flags: [], options: recordingSearches, requestOf: search, writes: false },
  writes: {
    flags: [],
    options: { '--audit-log': ['--audit-log'] },
    requestOf: write,
    writes: true,
  },
};

interface Side {
  readonly name: string;
  readonly server: BenchServer;
  readonly frontPid: number;
  readonly agent: http.Agent;
  readonly times: number[];
  frontMs: number;
  processorMs: number;
}

async function begin(name: string, flags: readonly string[]): Promise<Side> {
  const server = await startServer(flags);
  const lines = Array.from({ length: documentCount }, (_, id) =>
    JSON.stringify({ id, text: madeText(id, TEXT_WORDS) }),
  );
  await uploadLines(server, 'bench', lines, UPLOAD);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const front = memoryOfFamily(server.pid).find(({ title }) => title.includes('front'));
  if (front === undefined) throw new Error('the server has no process `front`');
  const none = { times: [] as number[], frontMs: 0, processorMs: 0 };
  return { name, server, frontPid: front.pid, agent, ...none };
}

/** @returns milliseconds */
function send({ server, agent }: Side, request: MadeRequest): Promise<number> {
  const { method, path, body, headers } = request;
  const more = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const startMs = performance.now();
  return new Promise((done, fail) => {
    const sent = http.request(
      {
        agent,
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        headers: { ...headers, ...more },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => done(performance.now() - startMs));
        const { statusCode = 0 } = answer;
        if (statusCode < 200 || statusCode > 299) fail(new Error(`status ${statusCode}`));
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

async function turn(side: Side, { requestOf, writes }: Load, round: number): Promise<void> {
  const before = threadTimesOf(side.server.pid);
  for (let i = 0; i < REQUESTS; i++) {
    const ms = await send(side, requestOf(round * REQUESTS + i));
    if (round >= WARM_UP) side.times.push(ms);
  }
  if (writes) await side.server.untilIdle();
  if (round < WARM_UP) return;
  side.frontMs += threadMsSince(before, side.frontPid);
  side.processorMs += threadMsSince(before, side.server.pid);
}

const microseconds = (ms: number, count: number): string => ((ms * 1000) / count).toFixed(1);

function rowOf({ name, times, frontMs, processorMs }: Side, base: Side): string[] {
  const shares = [0.5, 0.99].flatMap((p) => {
    const ms = percentile(times, p);
    const change = 100 * (ms / percentile(base.times, p) - 1);
    return [ms.toFixed(3), `${change.toFixed(1)} %`];
  });
  return [name, ...[frontMs, processorMs].map((ms) => microseconds(ms, times.length)), ...shares];
}

async function measure(name: string, load: Load): Promise<void> {
  const without = { 'no option': [], 'no option, again': [] };
  const sides: Side[] = [];
  for (const [option, flags] of Object.entries({ ...without, ...load.options }))
    sides.push(await begin(option, [...load.flags, ...flags]));
  for (const { server } of sides) await untilMerged(server);
  const loadBefore = loadAverage();
  for (let round = 0; round < WARM_UP + rounds; round++)
    for (let i = 0; i < sides.length; i++)
      await turn(sides[(round + i) % sides.length] as Side, load, round);
  const [base] = sides as [Side];
  const columns = ['', 'front, µs', 'all, µs', 'p50 ms', 'change', 'p99 ms', 'change'];
  console.log(
    `${name}: ${base.times.length} requests each; load ${loadBefore} before, ${loadAverage()} after`,
  );
  console.log(aligned([columns, ...sides.map((side) => rowOf(side, base))]));
  const analytics = sides.find((side) => side.name === '--search-analytics');
  if (analytics !== undefined) await readReport(analytics.server);
  for (const { server, agent } of sides) {
    agent.destroy();
    await server.stop();
  }
}

async function readReport(server: BenchServer): Promise<void> {
  const startMs = performance.now();
  const { body } = await server.call('GET', '/analytics/queries');
  const ms = performance.now() - startMs;
  const { total, all } = body as { total: number; all: { searches: number } };
  console.log(`a report over ${all.searches} searches of ${total} queries: ${ms.toFixed(0)} ms`);
}

for (const [name, load] of Object.entries(LOADS)) if (isWanted(name)) await measure(name, load);
collector.closeAllConnections();
collector.close();
