/**
 * Part of a front: its warm-up. Before it serves, and then while nobody needs it, what people will
 * ask first of its large indexes; after that searches of the index that the build left, through the
 * pipeline and the query threads that serve people.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/load.ts';
import type { ApiContext } from '../src/api/contract/context.ts';
import { KeptAnswers } from '../src/api/contract/kept-answers.ts';
import { routes } from '../src/api/routes/index.ts';
import { releaseFreedMemory } from '../src/host/freed-memory.ts';
import { MemoryExchange } from '../src/http/memory-exchange.ts';
import { RequestPipeline } from '../src/http/request-pipeline.ts';
import { CheckedIndexes } from '../src/ipc/published/checked-indexes.ts';
import { PublishedIndexes } from '../src/ipc/published/published-indexes.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import type { IndexManifest } from '../src/model/index-manifest.ts';
import { createLogger, type Logger } from '../src/observability/logger.ts';
import { RequestFigures } from '../src/observability/request-figures.ts';
import { SpareTime, type SpareTimePorts, warmUp } from '../src/runtime/warm-up.ts';
import { WARM_UP_FILES, type WarmUpRequest, warmUpFolder } from '../src/runtime/warm-up-files.ts';
import { type AskingAhead, askAhead } from './front-asking-ahead.ts';
import { madeTask } from './made-task.ts';
import { readWarmUpFile, warmUpProcess } from './warm-up-process.ts';

const ROUNDS = 4;
/**
 * A start is put off by so much processor time of the process, compilation included, but for so long at
 * most, so that first searches of large indexes are answered soon.
 */
const BEFORE_SERVING_CPU_MS = 1000;
const BEFORE_SERVING_MS = 2000;

/** What searches: a query pool, or a serving thread. */
export type WarmUpPool = Pick<QueryPool, 'run' | 'askedCount'>;

export interface FrontWarmUp {
  readonly context: ApiContext;
  readonly pool: WarmUpPool;
  /** Of the pool. */
  readonly threads: number;
  /** With the files of `warm-up-files.ts`. */
  readonly folder: URL;
  /** Cores that nothing but this process uses. */
  readonly freeCores: () => number;
}

interface WarmUpData {
  readonly manifest: IndexManifest;
  readonly requests: readonly WarmUpRequest[];
}

/** null where the sources run without a build. */
function readWarmUpData(folder: URL): WarmUpData | null {
  const manifest = readWarmUpFile(folder, WARM_UP_FILES.manifest);
  const requests = readWarmUpFile(folder, WARM_UP_FILES.requests);
  if (manifest === null || requests === null) return null;
  return {
    manifest: JSON.parse(manifest) as IndexManifest,
    requests: JSON.parse(requests) as WarmUpRequest[],
  };
}

const restFor = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** Requests are logged at the debug level; these are nobody's. */
const NO_LOG = createLogger({ level: 'error', mode: 'JSON', name: 'warm-up' });

/**
 * Resolves with the number of searches that were made, when they are done or `signal` has aborted.
 */
export async function warmUpFront(options: FrontWarmUp, signal: AbortSignal): Promise<number> {
  const { context, pool, threads, folder, freeCores } = options;
  const data = readWarmUpData(folder);
  if (data === null) return 0;
  let ownCount = 0;
  const runOwn: QueryPool['run'] = (task, caller) => {
    ownCount++;
    return pool.run({ ...task, isMade: true }, caller);
  };
  const indexes = new PublishedIndexes(() => ({ kind: 'folder', path: fileURLToPath(folder) }));
  indexes.publish(JSON.stringify(data.manifest));
  const pipeline = new RequestPipeline(routes, {
    ...context,
    logger: NO_LOG,

    config: { ...context.config, masterKey: null, formerMasterKey: null, slowSearchMs: 0 },
    // The rounds repeat their searches, for the sake of the threads.
    keptAnswers: new KeptAnswers(0),
    indexes,
    checked: new CheckedIndexes(),
    queryPool: { run: runOwn },
    requestFigures: new RequestFigures(),
  });
  await warmUp(
    { steps: data.requests, threads, rounds: ROUNDS },
    {
      run: ({ path, body }) =>
        new Promise((resolve) => pipeline.handle(new MemoryExchange(path, body, () => resolve()))),
      freeCores,
      realWorkCount: () => pool.askedCount - ownCount,
      sleep: restFor,
    },
    signal,
  );
  if (!signal.aborted) await closeIndex(indexes, data.manifest, pool, threads);
  return ownCount;
}

/** Threads close the files of an index when they meet its next generation. */
async function closeIndex(
  indexes: PublishedIndexes,
  manifest: IndexManifest,
  pool: WarmUpPool,
  threads: number,
) {
  const next = indexes.publish(JSON.stringify({ ...manifest, generation: 2, segments: [] }));
  const task = madeTask(next, { kind: 'stats' });
  await Promise.all(Array.from({ length: threads }, () => pool.run(task)));
}

/**
 * What a front does for its large indexes before it serves, in one thread: compiling is half of it,
 * and would have to be done in each. A pool without work gives what comes to that thread first. Never
 * rejects.
 */
export async function askBeforeServing(
  asking: Omit<AskingAhead, 'threads'> & { readonly config: Pick<Config, 'noWarmUp'> },
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (asking.config.noWarmUp) return;
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const mayGoOn = () => {
    const { user, system } = process.cpuUsage(startCpu);
    const isDear = (user + system) / 1000 >= BEFORE_SERVING_CPU_MS;
    return !(signal.aborted || isDear || performance.now() - startMs >= BEFORE_SERVING_MS);
  };
  try {
    const searches = await askAhead({ ...asking, threads: 1 }, mayGoOn);
    const ms = Math.round(performance.now() - startMs);
    log.debug({ searches, ms }, 'asked ahead before serving');
  } catch (error) {
    log.error({ err: error }, 'nothing was asked ahead');
  }
}

/** What is left of that. @param pool counts what it is asked */
async function askWhileQuiet(
  asking: AskingAhead & { readonly pool: WarmUpPool },
  ports: Pick<SpareTimePorts, 'freeCores' | 'sleep'>,
  signal: AbortSignal,
): Promise<number> {
  const { pool } = asking;
  let ownCount = 0;
  const run: WarmUpPool['run'] = (task) => {
    ownCount++;
    return pool.run(task);
  };
  const spare = new SpareTime(
    { ...ports, realWorkCount: () => pool.askedCount - ownCount },
    signal,
  );
  return askAhead({ ...asking, pool: { run } }, async () => (await spare.cores()) > 0);
}

/** Warms up what serves while nobody needs the host. */
export function beginFrontWarmUp(
  what: Pick<FrontWarmUp, 'context' | 'pool' | 'threads'>,
  log: Logger,
  signal: AbortSignal,
): void {
  void warmUpProcess(log, signal, async (freeCores) => {
    const asked = await askWhileQuiet(what, { freeCores, sleep: restFor }, signal);
    log.debug({ searches: asked }, 'asked ahead');
    const searches = await warmUpFront({ ...what, folder: warmUpFolder, freeCores }, signal);
    releaseFreedMemory();
    return searches;
  });
}
