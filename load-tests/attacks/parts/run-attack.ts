/** Runs one attack against a server and judges what a bystander and the front's memory show. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MASTER_KEY, newKey } from '../../bench/keyed-texts.ts';
import { memoryOfFamily } from '../../bench/process-figures.ts';
import type { BenchServer } from '../../bench/server.ts';
import { percentile } from '../../bench/statistics.ts';
import type { Attack } from '../attack.ts';
import type { Bystander } from './bystander.ts';
import { RequestSender } from './send-request.ts';

export const MEBIBYTE = 1 << 20;
const SEARCH_P99_MS_MAX = 250;
const HEALTH_MS_MAX = 200;
const FRONT_GROWTH_BYTES_MAX = 1024 * MEBIBYTE;
const FRONT_KEPT_BYTES_MAX = 200 * MEBIBYTE;
const MEMORY_BACK_MS = 5 * 60_000;
const SAMPLE_MS = 200;
/** Time for the server to warm up before its memory counts as the start. */
const CALM_MS = 5_000;
const FRONT_TITLE = 'gannet front';

export interface Outcome {
  readonly attack: string;
  readonly sends: string;
  readonly searchP99Ms: number;
  readonly healthMaxMs: number;
  readonly failedCount: number;
  readonly frontStartBytes: number;
  readonly frontPeakBytes: number;
  readonly frontEndBytes: number;
  /** Time until the front's memory was back; NaN when `npm test` does not wait for it. */
  readonly memoryBackMs: number;
  readonly seconds: number;
  readonly broken: readonly string[];
}

const frontBytes = (server: BenchServer): number =>
  memoryOfFamily(server.pid)
    .filter(({ title }) => title.startsWith(FRONT_TITLE))
    .reduce((sum, { anonymousBytes }) => sum + anonymousBytes, 0);

/**
 * Configured caches of searches, which an attack fills and nothing empties. 0 without metrics, which
 * the attack may have disabled.
 */
async function cacheBytes(sender: RequestSender): Promise<number> {
  const { text } = await sender.send({ path: '/metrics', key: MASTER_KEY });
  return ['gannet_kept_results_bytes', 'gannet_response_cache_bytes']
    .map((name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}

const inMb = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`;

export async function runAttack(
  server: BenchServer,
  attack: Attack,
  bystander: Bystander,
  isShort: boolean,
): Promise<Outcome> {
  const actions = attack.actions ?? ['search'];
  const key = await newKey(server, { actions, indexes: ['texts'] });
  const other = { port: server.port, key: await newKey(server, { actions: ['search'] }) };
  if (!isShort) {
    await bystander.start(other);
    await sleep(CALM_MS);
    await bystander.stop();
  }
  const sender = new RequestSender(server.port, key);
  const cachesStartBytes = await cacheBytes(sender);
  const frontStartBytes = frontBytes(server);
  let frontPeakBytes = frontStartBytes;
  const sampler = setInterval(() => {
    frontPeakBytes = Math.max(frontPeakBytes, frontBytes(server));
  }, SAMPLE_MS);
  await bystander.start(other);
  const startMs = performance.now();
  const broken = await attack
    .run({
      port: server.port,
      key,
      masterKey: MASTER_KEY,
      isShort,
      send: (request) => sender.send(request),
      settle: (request) => sender.settle(request, MASTER_KEY),
    })
    .catch((error: unknown) => [`the attack itself failed: ${String(error)}`]);
  const seconds = (performance.now() - startMs) / 1000;
  clearInterval(sampler);
  const seen = await bystander.stop();
  const cachesGrowBytes = (await cacheBytes(sender)) - cachesStartBytes;
  sender.close();
  const keptBytesMax = FRONT_KEPT_BYTES_MAX + cachesGrowBytes;
  const back = isShort
    ? Number.NaN
    : await memoryBackMs(() => frontBytes(server) - frontStartBytes <= keptBytesMax);
  const figures = {
    searchP99Ms: percentile(seen.searches, 0.99),
    healthMaxMs: percentile(seen.health, 1),
    failedCount: seen.failedCount,
    frontStartBytes,
    frontPeakBytes,
    frontEndBytes: frontBytes(server),
    memoryBackMs: back,
    seconds,
  };
  const judged = judge(attack, figures, isShort);
  const failed = seen.failed.map((answer) => `a bystander was answered ${answer}`);
  const { name, sends } = attack;
  return { attack: name, sends, ...figures, broken: [...broken, ...failed, ...judged] };
}

/** Polls, at most five minutes; Infinity when the memory does not come back. */
async function memoryBackMs(isBack: () => boolean): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const ms = performance.now() - startMs;
    if (isBack()) return ms;
    if (ms > MEMORY_BACK_MS) return Number.POSITIVE_INFINITY;
    await sleep(SAMPLE_MS);
  }
}

type Figures = Omit<Outcome, 'attack' | 'sends' | 'broken'>;

/** Times are judged in `npm run test:long` alone. */
function judge(attack: Attack, figures: Figures, isShort: boolean): string[] {
  const { frontStartBytes, frontPeakBytes, frontEndBytes, memoryBackMs: back } = figures;
  const growth = frontPeakBytes - frontStartBytes;
  const growthMax = attack.frontGrowthBytesMax ?? FRONT_GROWTH_BYTES_MAX;
  const broken: string[] = [];
  if (frontStartBytes === 0) broken.push('no front is running');
  if (growth > growthMax)
    broken.push(`the front grew by ${inMb(growth)}, more than ${inMb(growthMax)}`);
  if (isShort) return broken;
  if (!(figures.searchP99Ms < SEARCH_P99_MS_MAX))
    broken.push(`searches of another key: p99 is not below ${SEARCH_P99_MS_MAX} ms`);
  if (!(figures.healthMaxMs < HEALTH_MS_MAX))
    broken.push(`GET /health: not always below ${HEALTH_MS_MAX} ms`);
  if (back === Number.POSITIVE_INFINITY)
    broken.push(`five minutes later the front has ${inMb(frontEndBytes - frontStartBytes)} more`);
  return broken;
}
