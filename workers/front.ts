/**
 * Process entry of a front: HTTP server, query pool, connection to the indexer. Opens no store;
 * several may run on one host.
 */

import { parseSize } from '../config/formats.ts';
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import type { ApiConfig, ApiContext, QueryEmbedders } from '../src/api/context.ts';
import { KeptAnswers } from '../src/api/kept-answers.ts';
import { LogStreams } from '../src/api/log-stream.ts';
import { routes } from '../src/api/routes/index.ts';
import { KeyRing } from '../src/auth/key-ring.ts';
import { SearchEmbedders } from '../src/embedding/search-embedders.ts';
import type { HttpServer } from '../src/http/exchange.ts';
import { serve } from '../src/http/server.ts';
import { IndexerClient } from '../src/ipc/indexer-client.ts';
import { PayloadPool } from '../src/ipc/payload-pool.ts';
import { QueryPool } from '../src/ipc/query-pool.ts';
import { RemoteSearches } from '../src/network/remote-searches.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { processMetrics } from '../src/observability/process-figures.ts';
import { RequestFigures } from '../src/observability/request-figures.ts';
import { AddressPolicy } from '../src/outgoing/address-policy.ts';
import { OutgoingHttp } from '../src/outgoing/outgoing-http.ts';
import { FrontPayloads } from '../src/payloads/front-payloads.ts';
import { type RunningRole, STOP_GRACE_MS, type StartSignals } from '../src/runtime/host-role.ts';
import { toStartFailure } from '../src/runtime/start-failure.ts';
import { warmUpFolder } from '../src/runtime/warm-up-files.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { dataFolderAt } from '../src/storage/data-folder.ts';
import { releaseFreedMemory } from '../src/storage/freed-memory.ts';
import { folderOfIndex } from '../src/storage/index-files.ts';
import { readIndexerSecret } from '../src/storage/indexer-secret.ts';
import { PayloadStore } from '../src/storage/payload-store.ts';
import { startWhenForked } from './child-entry.ts';
import { embedderEnvironment } from './embedder-environment.ts';
import { type EmbeddingThreads, embeddingThreads } from './embedding-threads.ts';
import { warmUpFront } from './front-warm-up.ts';
import { readSearchPage } from './search-page.ts';
import { readTlsMaterial, tlsOptions } from './tls-files.ts';
import { warmUpProcess } from './warm-up-process.ts';

/**
 * After so long without an indexer the front serves nevertheless; what needs the indexer then says
 * that it is away.
 */
const INDEXER_WAIT_MS = 10_000;
const DRAIN_MS = 10_000;

function createQueryPool(config: Config, log: ProcessLogger): QueryPool {
  return new QueryPool({
    entry: workerUrls.query.href,
    threads: config.queryThreads,
    cacheBytes: config.queryCacheSize,
    slowSearchMs: config.slowSearchMs,
    perThread: config.nbSearchesPerCore,
    queueSize: config.searchQueueSize,
    dropAfterMs: config.dropSearchAfterMs,
    onBug: (error) => log.error({ err: error }, 'a query thread failed'),
  });
}

/**
 * Resolves when the front may serve and knows the indexes, or has waited long enough for an
 * indexer. Rejects when it must end before.
 */
async function beforeServing(
  client: IndexerClient,
  { mayServe, signal }: StartSignals,
  config: Config,
  log: ProcessLogger,
): Promise<void> {
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('stopped before it served'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([stopped, mayServe]);
  const isReady = await Promise.race([stopped, client.whenReady(INDEXER_WAIT_MS)]);
  if (!isReady) log.warn(`no indexer at ${config.indexerAddress} yet`);
}

async function listen(config: Config, context: ApiContext): Promise<HttpServer> {
  const tls = tlsOptions(config);
  try {
    return await serve({ ...config.http, ...(tls && { tls }) }, routes, context);
  } catch (error) {
    throw toStartFailure(error, `address ${config.http.host}:${config.http.port}`, '--http-addr');
  }
}

function createEmbedders(
  config: Config,
  { send }: OutgoingHttp,
  threads: EmbeddingThreads,
): QueryEmbedders {
  const embedders = new SearchEmbedders(
    embedderEnvironment(config, send, threads.embedderOf),
    config.embeddingCacheEntries,
  );
  return {
    embedQuery: ({ settings }, name, query) =>
      embedders.embedQuery(
        name,
        Object.hasOwn(settings.embedders, name) ? settings.embedders[name] : undefined,
        query,
      ),
  };
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

const urlOf = ({ sslCertPath, http: { host } }: Config, { port }: HttpServer): string =>
  `${sslCertPath === null ? 'http' : 'https'}://${host}:${port}`;

const apiConfig = (config: Config): ApiConfig => ({
  masterKey: config.masterKey,
  formerMasterKey: config.formerMasterKey,
  wrongKeysPerMinute: config.wrongKeysPerMinute,
  payloadBytesMax: config.httpPayloadSizeLimit,
  parseSize,
  slowSearchMs: config.slowSearchMs,
  version: { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: packageVersion() },
});

function beginWarmUp(
  { queryThreads: threads }: Config,
  context: ApiContext,
  pool: QueryPool,
  log: ProcessLogger,
  signal: AbortSignal,
): void {
  void warmUpProcess(log, signal, async (freeCores) => {
    const options = { context, pool, threads, folder: warmUpFolder, freeCores };
    const searches = await warmUpFront(options, signal);
    releaseFreedMemory();
    return searches;
  });
}

export default async function runFront(
  config: Config,
  log: ProcessLogger,
  signals: StartSignals,
): Promise<RunningRole> {
  const queryPool = createQueryPool(config, log);
  const payloadPool = new PayloadPool({ entry: workerUrls.payload.href, dataDir: config.dbPath });
  // Models are fetched by the indexer, when they are declared.
  const modelThreads = embeddingThreads({ ...config, allowModelDownloads: false }, log);
  const closePools = async () =>
    void (await Promise.all([
      queryPool.close(DRAIN_MS),
      payloadPool.close(),
      modelThreads.close(),
    ]));
  const keys = new KeyRing(config.masterKey, config.formerMasterKey);
  const { indexes, spool } = dataFolderAt(config.dbPath);
  const keptAnswers = new KeptAnswers(config.answerCacheSize);
  const logs = new LogStreams(log);
  const requestFigures = new RequestFigures();
  const metrics = () => [
    ...processMetrics('front'),
    ...requestFigures.metrics(),
    ...keptAnswers.metrics(),
    ...queryPool.metrics(),
  ];
  const client = new IndexerClient({
    address: config.indexerAddress,
    locate: (indexId) => ({ kind: 'folder', path: folderOfIndex(indexes, indexId) }),
    secret: () => config.indexerSecret ?? readIndexerSecret(config.dbPath),
    log,
    keys,
    metrics,
    logs,
    released: (published) => queryPool.released(published),
  });
  client.start();
  const outgoing = new OutgoingHttp(new AddressPolicy(config.allowedIpNetworks));
  const context: ApiContext = {
    indexer: client,
    indexes: client.indexes,
    checked: client.checked,
    get features() {
      return client.features;
    },
    get network() {
      return client.network;
    },
    remoteSearches: new RemoteSearches(outgoing.send, config.remoteSearchTimeoutSeconds * 1000),
    keys,
    queryPool,
    keptAnswers,
    embedders: createEmbedders(config, outgoing, modelThreads),
    payloads: new FrontPayloads(new PayloadStore(spool), payloadPool),
    config: apiConfig(config),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    requestFigures,
    metrics,
    logs,
    searchPage: readSearchPage(config),
    logger: log.for('http'),
  };
  let http: HttpServer;
  try {
    await beforeServing(client, signals, config, log);
    http = await listen(config, context);
  } catch (error) {
    await Promise.all([closePools(), client.close()]);
    throw error;
  }
  renewTlsOnHangUp(config, http, log);
  const warmUp = new AbortController();
  if (!config.noWarmUp) beginWarmUp(config, context, queryPool, log, warmUp.signal);
  return {
    info: { url: urlOf(config, http) },
    stop: async () => {
      warmUp.abort();
      await http.close(DRAIN_MS);
      await closePools();
      outgoing.close();
      await client.close();
    },
  };
}

await startWhenForked({
  url: import.meta.url,
  name: 'front',
  run: runFront,
  stopGraceMs: STOP_GRACE_MS.front,
});
