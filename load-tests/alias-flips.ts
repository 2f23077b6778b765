/**
 * Searches through an alias at a fixed rate while it is flipped between two indexes. Each document
 * says which index it is in: an answer with documents of both, or an error, is a fault.
 *
 *   npm run build && node dist/load-tests/alias-flips.js [flips, default 1000] [searches per second, default 500]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';

const FLIPS = Number(process.argv[2] ?? 1000);
const PER_SECOND = Number(process.argv[3] ?? 500);
const DOCUMENTS = 500;
const TICK_MS = 10;
const COLOURS = ['blue', 'green'] as const;

interface Tally {
  readonly times: number[];
  readonly seen: Map<string, number>;
  failed: number;
  mixed: number;
}

const server = await startServer();
const tally: Tally = { times: [], seen: new Map(), failed: 0, mixed: 0 };

const put = (indexUid: string) => server.call('PUT', '/aliases/live', { indexUid });

async function searchOnce(): Promise<void> {
  const startMs = performance.now();
  const query = { indexUid: 'live', q: 'film', limit: 20 };
  const { status, body } = await server.call('POST', '/multi-search', { queries: [query, query] });
  tally.times.push(performance.now() - startMs);
  if (status !== 200) {
    tally.failed += 1;
    return;
  }
  const { results } = body as { results: { hits: { colour: string }[] }[] };
  const colours = new Set(results.flatMap(({ hits }) => hits.map(({ colour }) => colour)));
  if (colours.size !== 1) tally.mixed += 1;
  for (const colour of colours) tally.seen.set(colour, (tally.seen.get(colour) ?? 0) + 1);
}

for (const colour of COLOURS) {
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: `film ${id}`,
    colour,
  }));
  await server.settle('POST', `/indexes/${colour}/documents`, documents);
}
await put('blue');
const running = new Set<Promise<void>>();
let isOver = false;
const searches = (async () => {
  const startMs = performance.now();
  for (let sent = 0; !isOver; await sleep(TICK_MS)) {
    const due = ((performance.now() - startMs) / 1000) * PER_SECOND;
    for (; sent < due; sent++) {
      const search = searchOnce();
      running.add(search);
      void search.finally(() => running.delete(search));
    }
  }
  await Promise.all(running);
  return (performance.now() - startMs) / 1000;
})();
const flipTimes: number[] = [];
let refused = 0;
for (let i = 0; i < FLIPS; i++) {
  const startMs = performance.now();
  const { status } = await put(COLOURS[(i + 1) % 2] as string);
  flipTimes.push(performance.now() - startMs);
  if (status !== 200) refused += 1;
}
isOver = true;
const seconds = await searches;
await server.stop();
const ms = (times: readonly number[], share: number) => percentile(times, share).toFixed(1);
const { times, failed, mixed, seen } = tally;
const lines = [
  `${FLIPS} flips, ${refused} refused; p50 ${ms(flipTimes, 0.5)} ms, p99 ${ms(flipTimes, 0.99)} ms`,
  `${times.length} searches, ${(times.length / seconds).toFixed(0)} per second; p50 ${ms(times, 0.5)} ms, p99 ${ms(times, 0.99)} ms`,
  `${failed} failed, ${mixed} with documents of both indexes; blue ${seen.get('blue') ?? 0}, green ${seen.get('green') ?? 0}`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = failed + mixed + refused === 0 ? 0 : 1;
