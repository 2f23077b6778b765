/**
 * What a calm client sees while another key floods, against what it sees alone: windows of either in
 * turns, with load generators in processes of their own. Two more kinds of
 * windows tell what of it is the server's: in one as many requests come as in the flood, but each is
 * refused at once by a limit; in the other nothing comes, but two processes take what processor time
 * they get, as the query threads of the flood do.
 * `npm run bench:fairness [-- --rounds 6 --connections 200]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { madeSearch, newKey, SEARCH_PATH, startKeyedTexts } from './bench/keyed-texts.ts';
import { LoadClient } from './bench/load-client.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '200' },
    searches: { type: 'string', default: '200' },
  },
});
const [ROUNDS, CONNECTIONS, SEARCHES] = [values.rounds, values.connections, values.searches].map(
  Number,
) as [number, number, number];
/** Distinct searches of a flood. */
const FLOOD = 5000;

const QUERY_THREADS = 2;

const requestsOf = (count: number) =>
  Array.from({ length: count }, () => ({ path: SEARCH_PATH, body: madeSearch() }));

const COMPUTING = 'process.stdout.write("begun"); for (;;) {}';

/** Resolves when it computes; what it resolves to ends that. */
async function startComputing(): Promise<() => void> {
  const child = spawn(process.execPath, ['-e', COMPUTING], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return () => void child.kill();
}

async function measure() {
  const server = await startKeyedTexts(['--query-threads', String(QUERY_THREADS)]);
  const [calmKey, loudKey] = [await newKey(server), await newKey(server)];
  const refusedKey = await newKey(server, { requestsPerSecond: 1 });
  const [calm, loud] = [new LoadClient(), new LoadClient()];
  const probe = async () => {
    const load = { port: server.port, key: calmKey, connections: 1 };
    return (await calm.pass({ ...load, requests: requestsOf(SEARCHES) })).times;
  };
  const probeBesideComputing = async () => {
    const ends = await Promise.all(Array.from({ length: QUERY_THREADS }, startComputing));
    const times = await probe();
    for (const end of ends) end();
    return times;
  };
  const probeBeside = async (key: string, perSecond?: number) => {
    const load = { port: server.port, key, connections: CONNECTIONS, requests: requestsOf(FLOOD) };
    const end = await loud.flood(perSecond === undefined ? load : { ...load, perSecond });
    const times = await probe();
    return { times, ...(await end()) };
  };
  await probe();
  let { perSecond } = await probeBeside(loudKey);
  const times = {
    alone: [] as number[],
    computing: [] as number[],
    refused: [] as number[],
    flooded: [] as number[],
  };
  let cores = 0;
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(...(await probe()));
    times.computing.push(...(await probeBesideComputing()));
    times.refused.push(...(await probeBeside(refusedKey, perSecond)).times);
    const flooded = await probeBeside(loudKey);
    times.flooded.push(...flooded.times);
    ({ perSecond, cores } = flooded);
  }
  calm.stop();
  loud.stop();
  await server.stop();
  return { times, perSecond, cores };
}

const { times, perSecond, cores } = await measure();
const row = (beside: string, own: readonly number[], clientCores: string): string[] => [
  beside,
  ...[0.5, 0.99].flatMap((share) => {
    const ms = percentile(own, share);
    return [`${ms.toFixed(2)} ms`, (ms / percentile(times.alone, share)).toFixed(2)];
  }),
  clientCores,
];
const rate = perSecond.toFixed(0);
const rows = [
  ['load', 'p50', 'ratio', 'p99', 'ratio', "other client's cores"],
  row('nobody', times.alone, ''),
  row(`${QUERY_THREADS} processes that compute`, times.computing, ''),
  row(`${rate} refused requests/s`, times.refused, ''),
  row(`${rate} searches/s`, times.flooded, cores.toFixed(2)),
];
process.stdout.write(`${aligned(rows)}\n`);
