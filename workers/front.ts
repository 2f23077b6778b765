/**
 * Process entry of a front: serves HTTP on one event loop, searches with a pool of query threads,
 * connects to the indexer. Opens no store; several fronts may run on one host.
 */
import { availableMemory } from '../config/formats.ts';
import type { Config } from '../config/load.ts';
import type { ApiContext } from '../src/api/contract/context.ts';
import { routes } from '../src/api/routes/index.ts';
import type { CacheMemory } from '../src/core/cache-memory.ts';
import type { HttpServer } from '../src/http/exchange.ts';
import { serve } from '../src/http/server.ts';
import { QueryPool } from '../src/ipc/queries/query-pool.ts';
import type { PublishedIndex } from '../src/ipc/replica/published-indexes.ts';
import { PayloadPool } from '../src/ipc/threads/payload-pool.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { processMetrics } from '../src/observability/process-metrics.ts';
import { QueryMetrics } from '../src/observability/query-metrics.ts';
import { collectForSearches } from '../src/os/gc-flags.ts';
import { QueryCacheSize } from '../src/queries/query-cache-size.ts';
import { type RunningRole, STOP_GRACE_MS, type StartSignals } from '../src/runtime/host-role.ts';
import { toStartFailure } from '../src/runtime/start-failure.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import { startWhenForked } from './child-entry.ts';
import { searchEmbeddingThreads } from './embedding-threads.ts';
import { warningsOfFront } from './forced-features.ts';
import { prefetchVectors } from './front-prefetch.ts';
import { startFrontService } from './front-service.ts';
import { searchFirstLetters, warmUpFront } from './front-warm-up.ts';
import { createOtlp } from './otlp.ts';
import { readTlsMaterial, tlsOptions } from './tls-files.ts';

/** Milliseconds between two looks at the size of the indexes. */
const FIT_MS = 5000;
/** Milliseconds for accepted requests during a shutdown. */
const DRAIN_MS = 10_000;

const createQueryPool = (
  config: Config,
  cache: CacheMemory,
  metrics: QueryMetrics,
  log: ProcessLogger,
): QueryPool =>
  new QueryPool({
    entry: workerUrls.query.href,
    threads: config.queryThreads,
    metrics,
    cache,
    slowSearchMs: config.slowSearchMs,
    perThread: config.nbSearchesPerCore,
    queueSize: config.searchQueueSize,
    dropAfterMs: Math.min(config.dropSearchAfterMs, config.searchTimeoutSeconds * 1000),
    answerBytesMax: config.maxResponseSize,
    startsLate: config.noWarmUp,
    onBug: (error) => log.error({ err: error }, 'a query thread failed'),
  });

/** Rejects when the front must end before it serves; otherwise never settles. */
function untilStopped({ signal }: StartSignals): Promise<never> {
  return new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('stopped before it was ready'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

async function listen(config: Config, context: ApiContext): Promise<HttpServer> {
  const tls = tlsOptions(config);
  const { host, port } = config.http;
  try {
    return await serve({ host, port, ...(tls && { tls }) }, routes, context);
  } catch (error) {
    throw toStartFailure(error, `address ${host}:${port}`, '--http-addr');
  }
}

const urlOf = ({ sslCertPath, http: { host } }: Config, port: number): string =>
  `${sslCertPath === null ? 'http' : 'https'}://${host}:${port}`;

/** Adapts the query cache to the indexes, now and later. */
function fitToIndexes(cacheSize: QueryCacheSize, { indexes }: ApiContext): void {
  let fitted: readonly PublishedIndex[] | null = null;
  const fit = () => {
    // The list is another one after each change.
    const published = indexes.list();
    if (published === fitted) return;
    fitted = published;
    cacheSize.fitTo(published.map(({ manifest }) => manifest));
  };
  fit();
  setInterval(fit, FIT_MS).unref();
}

/** SIGHUP: reloads renewed certificates. Invalid files leave the current certificates in use. */
function renewTlsOnHangUp(config: Config, http: HttpServer, log: ProcessLogger): void {
  if (config.sslCertPath === null) return;
  process.on('SIGHUP', () => {
    try {
      const material = readTlsMaterial(config);
      if (material === null) return;
      http.renewTls(material);
      log.info('the TLS files were reloaded');
    } catch (error) {
      log.error(
        { err: error },
        'the TLS files could not be reloaded; the current certificates stay in use',
      );
    }
  });
}

export default async function runFront(
  config: Config,
  log: ProcessLogger,
  signals: StartSignals,
): Promise<RunningRole> {
  collectForSearches();
  for (const warning of warningsOfFront(config)) log.warn(warning);
  const prefetched = prefetchVectors(config, log, signals.signal);
  const queryMetrics = new QueryMetrics(config.queryThreads);
  const cacheSize = new QueryCacheSize(
    config.queryCacheSize,
    config.queryThreads,
    availableMemory(),
  );
  const queryPool = createQueryPool(config, cacheSize.memory, queryMetrics, log);
  const payloadPool = new PayloadPool({ entry: workerUrls.payload.href, dataDir: config.dbPath });
  const embedding = searchEmbeddingThreads(config, log);
  const metrics = (counted: readonly Metric[]) => [
    ...counted,
    ...processMetrics('front', mappedRangeBytes()),
    ...queryPool.metrics(),
    ...queryMetrics.metrics(queryPool.threadIds),
  ];
  const otlp = await createOtlp(config, {
    role: 'front',
    metrics: () => service.context.metrics(),
    log,
  });
  const service = startFrontService({
    config,
    log,
    queries: queryPool,
    payloads: payloadPool,
    onPublished: (published) => void queryPool.preopen(published),
    onNotLocal: (published) => void queryPool.closeIndex(published),
    metrics,
    traces: otlp?.traces ?? null,
    embedding,
  });
  const closePools = () =>
    Promise.all([queryPool.close(DRAIN_MS), payloadPool.close(), embedding.close()]);
  const { context } = service;
  let http: HttpServer;
  try {
    const stopped = untilStopped(signals);
    await Promise.race([stopped, signals.mayServe]);
    await Promise.race([stopped, prefetched]);
    await Promise.race([stopped, service.whenReady()]);
    fitToIndexes(cacheSize, context);
    if (!config.noWarmUp) {
      const letters = searchFirstLetters({ context, pool: queryPool }, signals.signal);
      await Promise.race([stopped, letters]);
    }
    http = await listen(config, context);
  } catch (error) {
    await Promise.all([closePools(), service.close()]);
    throw error;
  }
  renewTlsOnHangUp(config, http, log);
  const warmUp = new AbortController();
  if (!config.noWarmUp)
    void warmUpFront(
      { context, pool: queryPool, threads: config.queryThreads },
      log,
      warmUp.signal,
    );
  return {
    info: { url: urlOf(config, http.port) },
    stop: async () => {
      warmUp.abort();
      await http.close(DRAIN_MS);
      await closePools();
      await service.close();
      await otlp?.stop();
    },
  };
}

await startWhenForked({
  url: import.meta.url,
  name: 'front',
  run: runFront,
  stopGraceMs: STOP_GRACE_MS.front,
});
