/**
 * Part of a front: one loop that serves all connections, with a pool of query threads. For TLS, and
 * where the HTTP library cannot share connections between threads.
 */
import type { Config } from '../config/load.ts';
import type { ApiContext } from '../src/api/contract/context.ts';
import { routes } from '../src/api/routes/index.ts';
import { createFreeCores, readCpuTimes } from '../src/host/free-cores.ts';
import type { HttpServer } from '../src/http/exchange.ts';
import { serve } from '../src/http/server.ts';
import { JointYouth } from '../src/ipc/queries/joint-youth.ts';
import { PayloadPool } from '../src/ipc/threads/payload-pool.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { processMetrics } from '../src/observability/process-figures.ts';
import { QueryFigures } from '../src/observability/query-figures.ts';
import type { RunningRole, StartSignals } from '../src/runtime/host-role.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import { searchEmbeddingThreads } from './embedding-threads.ts';
import { renewIn } from './front-renewal.ts';
import { startFrontService } from './front-service.ts';
import { createQueryPool, DRAIN_MS, listenFailure, untilStopped, urlOf } from './front-start.ts';
import { askBeforeServing, beginFrontWarmUp } from './front-warm-up.ts';
import { readTlsMaterial, tlsOptions } from './tls-files.ts';

/** Most of what is compiled is compiled after so many. */
const SEARCHES_ALONE = 512;
const SEARCHES_TOGETHER = 512;
/** Long ones teach a thread little more than short ones. */
const TOGETHER_MS = 1000;

async function listen(config: Config, context: ApiContext): Promise<HttpServer> {
  const tls = tlsOptions(config);
  try {
    return await serve({ ...config.http, ...(tls && { tls }) }, routes, context);
  } catch (error) {
    throw listenFailure(config, error);
  }
}

/** SIGHUP: certificates have been renewed. Files that cannot be used change nothing. */
function renewTlsOnHangUp(config: Config, http: HttpServer, log: ProcessLogger): void {
  if (config.sslCertPath === null) return;
  process.on('SIGHUP', () => {
    try {
      const material = readTlsMaterial(config);
      if (material === null) return;
      http.renewTls(material);
      log.info('the TLS files were read anew');
    } catch (error) {
      log.error({ err: error }, 'the TLS files stay as they were');
    }
  });
}

export async function runFrontLoop(
  config: Config,
  log: ProcessLogger,
  signals: StartSignals,
): Promise<RunningRole> {
  const figures = new QueryFigures(config.queryThreads);
  const youth = new JointYouth({
    alone: SEARCHES_ALONE,
    together: config.noWarmUp ? 0 : SEARCHES_TOGETHER,
    togetherMs: TOGETHER_MS,
    freeCores: createFreeCores(readCpuTimes, () => performance.now()),
  });
  const queryPool = createQueryPool(config, figures, log, {
    cacheBytes: config.queryCacheSize,
    youth,
  });
  const payloadPool = new PayloadPool({ entry: workerUrls.payload.href, dataDir: config.dbPath });
  const metrics = (counted: readonly Metric[]) => [
    ...counted,
    ...processMetrics('front', mappedRangeBytes()),
    ...queryPool.metrics(),
    ...figures.metrics(queryPool.threadIds),
  ];
  const embedding = searchEmbeddingThreads(config, log);
  const service = startFrontService({
    config,
    log,
    logSource: log,
    queries: queryPool,
    payloads: payloadPool,
    services: 1,
    onPublished: (published) => void renewIn(queryPool, config.queryThreads, published),
    metrics,
    metricsOfFront: metrics,
    progress: null,
    embedderOf: embedding.embedderOf,
  });
  const closePools = () =>
    Promise.all([queryPool.close(DRAIN_MS), payloadPool.close(), embedding.close()]);
  const { context } = service;
  const toWarm = { context, pool: queryPool, threads: config.queryThreads };
  let http: HttpServer;
  try {
    const stopped = untilStopped(signals);
    await Promise.race([stopped, signals.mayServe]);
    await Promise.race([stopped, service.whenReady()]);
    await Promise.race([stopped, askBeforeServing({ ...toWarm, config }, log, signals.signal)]);
    http = await listen(config, context);
  } catch (error) {
    await Promise.all([closePools(), service.close()]);
    throw error;
  }
  renewTlsOnHangUp(config, http, log);
  const warmUp = new AbortController();
  if (!config.noWarmUp) beginFrontWarmUp(toWarm, log, warmUp.signal);
  return {
    info: { url: urlOf(config, http.port) },
    stop: async () => {
      warmUp.abort();
      await http.close(DRAIN_MS);
      await closePools();
      await service.close();
    },
  };
}
