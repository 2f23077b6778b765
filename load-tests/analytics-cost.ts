/**
 * What search analytics cost a search: two servers with the same documents, one with
 * `--search-analytics`, get the same searches by turns, from one connection each. The processor
 * time is that of all processes of a server. Then what a report over the recorded searches takes.
 *
 *   npm run build && node dist/load-tests/analytics-cost.js [folder of shared data] [rounds, default 40] [flags of both servers …]
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCorpus } from './bench/corpus.ts';
import { threadMsOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';

const [DATA = '../shared/data', ROUNDS = '40', ...FLAGS] = process.argv.slice(2);
const PER_ROUND = 250;
const UPLOAD = 50_000;
/** Background merges begin ten seconds after the last batch at the latest. */
const SETTLED_MS = 20_000;

interface Side {
  readonly name: string;
  readonly server: BenchServer;
  readonly agent: http.Agent;
  readonly times: number[];
  processorMs: number;
}

const corpus = loadCorpus(DATA, 'wordnet', 1);

async function begin(name: string, flags: readonly string[]): Promise<Side> {
  const server = await startServer([...FLAGS, ...flags]);
  await server.settle('PATCH', '/indexes/bench/settings', corpus.settings);
  for (let at = 0; at < corpus.lines.length; at += UPLOAD) {
    const body = Buffer.from(corpus.lines.slice(at, at + UPLOAD).join('\n'));
    const path = '/indexes/bench/documents?primaryKey=id';
    await server.settle('POST', path, body, 'application/x-ndjson');
  }
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return { name, server, agent, times: [], processorMs: 0 };
}

/** @returns milliseconds */
function search({ server, agent }: Side, body: string, user: string): Promise<number> {
  const startMs = performance.now();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'meili-include-metadata': 'true',
    'x-ms-user-id': user,
  };
  const path = '/indexes/bench/search';
  return new Promise((done, fail) => {
    const sent = http.request(
      { agent, host: '127.0.0.1', port: server.port, method: 'POST', path, headers },
      (answer) => {
        answer.resume();
        answer.on('end', () => done(performance.now() - startMs));
        if (answer.statusCode !== 200) fail(new Error(`status ${answer.statusCode}`));
      },
    );
    sent.on('error', fail);
    sent.end(body);
  });
}

/** @param isCounted false = to warm up */
async function turn(side: Side, round: number, isCounted: boolean): Promise<void> {
  const beforeMs = threadMsOf(side.server.pid);
  for (let i = 0; i < PER_ROUND; i++) {
    const number = round * PER_ROUND + i;
    const { body } = corpus.queries[number % corpus.queries.length] as (typeof corpus.queries)[0];
    const ms = await search(side, JSON.stringify(body), `user ${number % 1000}`);
    if (isCounted) side.times.push(ms);
  }
  if (isCounted) side.processorMs += threadMsOf(side.server.pid) - beforeMs;
}

const sides = [await begin('without', []), await begin('with', ['--search-analytics'])];
await sleep(SETTLED_MS);
for (let round = 0; round < Number(ROUNDS) * 1.25; round++) {
  const isCounted = round >= Number(ROUNDS) / 4;
  const inTurn = round % 2 === 0 ? sides : [...sides].reverse();
  for (const side of inTurn) await turn(side, round, isCounted);
}
const lines = sides.map(({ name, times, processorMs }) => {
  const perSearch = ((processorMs * 1000) / times.length).toFixed(1);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(3));
  return `${name}: ${times.length} searches, ${perSearch} µs of processor time each, p50 ${p50} ms, p99 ${p99} ms`;
});
const [, recording] = sides as [Side, Side];
const startMs = performance.now();
const { body } = await recording.server.call('GET', '/analytics/queries');
const reportMs = performance.now() - startMs;
const { total, all } = body as { total: number; all: { searches: number } };
lines.push(`a report over ${all.searches} searches of ${total} queries: ${reportMs.toFixed(0)} ms`);
process.stdout.write(`${lines.join('\n')}\n`);
for (const { server, agent } of sides) {
  agent.destroy();
  await server.stop();
}
