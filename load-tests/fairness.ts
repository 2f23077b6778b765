/**
 * What a calm client sees while another key floods, against what it sees alone: windows of either in
 * turns, for both ways of serving, with load generators in processes of their own.
 * `npm run bench:fairness [-- --rounds 6 --connections 200]`
 */
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
/** More than a window lasts. */
const FLOOD = 20_000;

const MODES = [
  ['one loop', []],
  ['serving threads', ['--serving-threads', '2']],
] as const;

const requestsOf = (count: number) =>
  Array.from({ length: count }, () => ({ path: SEARCH_PATH, body: madeSearch() }));

async function measure(flags: readonly string[]) {
  const server = await startKeyedTexts(['--query-threads', '2', ...flags]);
  const [calmKey, loudKey] = [await newKey(server), await newKey(server)];
  const calm = new LoadClient();
  const probe = async () => {
    const load = { port: server.port, key: calmKey, connections: 1 };
    return (await calm.pass({ ...load, requests: requestsOf(SEARCHES) })).times;
  };
  const alone: number[] = [];
  const flooded: number[] = [];
  await probe();
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await probe()));
    const loud = new LoadClient();
    const load = { port: server.port, key: loudKey, connections: CONNECTIONS };
    const cut = loud.pass({ ...load, requests: requestsOf(FLOOD) }).catch(() => undefined);
    flooded.push(...(await probe()));
    loud.stop();
    await cut;
  }
  calm.stop();
  await server.stop();
  return { alone, flooded };
}

const rows = [['serving', 'p50 alone', 'p50 flooded', 'p99 alone', 'p99 flooded', 'p99 ratio']];
for (const [name, flags] of MODES) {
  const { alone, flooded } = await measure(flags);
  const [p50, p50Flooded] = [percentile(alone, 0.5), percentile(flooded, 0.5)];
  const [p99, p99Flooded] = [percentile(alone, 0.99), percentile(flooded, 0.99)];
  rows.push([
    name,
    ...[p50, p50Flooded, p99, p99Flooded].map((ms) => `${ms.toFixed(1)} ms`),
    (p99Flooded / p99).toFixed(1),
  ]);
}
process.stdout.write(`${aligned(rows)}\n`);
