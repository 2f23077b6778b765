/**
 * Part of a front: its main thread when serving threads have the connections. It accepts and hands
 * on, keeps the threads alive, and has what they share: the query pool for searches that take long,
 * and the payload thread.
 */
import type { Config } from '../config/load.ts';
import { GUESS_GUARD_BYTES } from '../src/auth/guess-guard.ts';
import { KEY_RATES_BYTES } from '../src/auth/key-rates.ts';
import { listenAt } from '../src/http/acceptor.ts';
import type { UwsAcceptor, UwsDescriptor } from '../src/http/uws-server.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import { FRONT_PROGRESS_BYTES } from '../src/ipc/serving/front-progress.ts';
import { asideThreadsAtFirst } from '../src/ipc/serving/serving-protocol.ts';
import { ServingThreads } from '../src/ipc/serving/serving-threads.ts';
import { PayloadPool } from '../src/ipc/threads/payload-pool.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { processMetrics } from '../src/observability/process-figures.ts';
import { QueryFigures } from '../src/observability/query-figures.ts';
import type { RunningRole, StartSignals } from '../src/runtime/host-role.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import { type EmbeddingThreads, searchEmbeddingThreads } from './embedding-threads.ts';
import { createQueryPool, DRAIN_MS, listenFailure, untilStopped, urlOf } from './front-start.ts';

/** Of what is granted to a thread for kept results, the part of the thread aside. */
const ASIDE_SHARE = 0.25;

/** More threads aside are started as work comes. */
const queryPoolAside = (config: Config, figures: QueryFigures, log: ProcessLogger): QueryPool =>
  createQueryPool(config, figures, log, {
    threadsMin: asideThreadsAtFirst(config.queryThreads),
    postedPerThread: 1,
    isAside: true,
    cacheBytes: Math.floor(config.queryCacheSize * ASIDE_SHARE),
  });

interface Shared {
  readonly figures: QueryFigures;
  readonly queryPool: QueryPool;
  readonly payloadPool: PayloadPool;
  readonly embedding: EmbeddingThreads;
}

function createThreads(
  acceptor: UwsAcceptor,
  config: Config,
  log: ProcessLogger,
  { figures, queryPool, payloadPool, embedding }: Shared,
): ServingThreads<Config> {
  const threads: ServingThreads<Config> = new ServingThreads({
    entry: workerUrls.serving,
    count: config.servingThreads,
    data: {
      config: {
        ...config,
        queryCacheSize: Math.floor(
          (config.queryCacheSize * (1 - ASIDE_SHARE) * config.queryThreads) / config.servingThreads,
        ),
      },
      figures: figures.shared,
      progress: new SharedArrayBuffer(FRONT_PROGRESS_BYTES),
      askedCount: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
      guesses: new SharedArrayBuffer(GUESS_GUARD_BYTES),
      keyRates: new SharedArrayBuffer(KEY_RATES_BYTES),
    },
    handlers: {
      search: ({ task, keyUid }, caller) =>
        queryPool.run(task, {
          keyUid,
          get isAborted() {
            return caller.isAborted;
          },
        }),
      checkPayload: (task) => payloadPool.check(task),
      embed: ({ name, task }) => embedding.run(name, task, [task.port]),
      metricsOfMain: () => [
        ...processMetrics('front', mappedRangeBytes()),
        ...queryPool.metrics(),
        ...figures.metrics(new Set([...queryPool.threadIds, ...threads.threadIds])),
      ],
    },
    log,
    listenToMain: (levels, hear) => log.listen(levels, hear),
    onLevels: (levels) => log.setLevels(levels),
    onJoin: (descriptor) => acceptor.add(descriptor as UwsDescriptor),
    onLeave: (descriptor) => acceptor.remove(descriptor as UwsDescriptor),
    onLost: (error) => {
      throw error;
    },
  });
  return threads;
}

async function listen(acceptor: UwsAcceptor, config: Config, log: ProcessLogger): Promise<number> {
  try {
    return await listenAt(acceptor, config.http, log.for('http'));
  } catch (error) {
    throw listenFailure(config, error);
  }
}

export async function runFrontThreads(
  acceptor: UwsAcceptor,
  config: Config,
  log: ProcessLogger,
  signals: StartSignals,
): Promise<RunningRole> {
  const figures = new QueryFigures(config.servingThreads + config.queryThreads);
  const queryPool = queryPoolAside(config, figures, log);
  const payloadPool = new PayloadPool({ entry: workerUrls.payload.href, dataDir: config.dbPath });
  const embedding = searchEmbeddingThreads(config, log);
  const threads = createThreads(acceptor, config, log, {
    figures,
    queryPool,
    payloadPool,
    embedding,
  });
  const close = async () => {
    acceptor.close();
    await threads.stop(DRAIN_MS);
    await Promise.all([queryPool.close(DRAIN_MS), payloadPool.close(), embedding.close()]);
  };
  let port: number;
  try {
    const stopped = untilStopped(signals);
    const joined = threads.start();
    await Promise.race([stopped, signals.mayServe]);
    await Promise.race([stopped, joined]);
    port = await listen(acceptor, config, log);
  } catch (error) {
    await close();
    throw error;
  }
  return { info: { url: urlOf(config, port) }, stop: close };
}
