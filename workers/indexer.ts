/**
 * Process entry of the indexer: the only owner of the data folder's database. Runs tasks and
 * publishes each commit to the fronts.
 */

import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { AnalyticsKeeper } from '../src/analytics/analytics-keeper.ts';
import { Semaphore } from '../src/core/bounded-parallel.ts';
import { DAY_MS, HOUR_MS } from '../src/core/calendar-day.ts';
import { ApiError } from '../src/core/errors.ts';
import { EXIT_STORE_FAILED, type ProcessEnd } from '../src/core/process-end.ts';
import { AddressPolicy } from '../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../src/http-client/outgoing-http.ts';
import { IndexWriter } from '../src/indexing/index-writer.ts';
import type { IndexingTaskName } from '../src/indexing/indexing-tasks.ts';
import { toSocketAddress } from '../src/ipc/connection/address.ts';
import type { IndexerEvents } from '../src/ipc/connection/indexer-protocol.ts';
import { IndexerServer, type IndexerServerOptions } from '../src/ipc/connection/indexer-server.ts';
import type { IndexingPool } from '../src/ipc/threads/indexing-pool.ts';
import { LAUNCH_WEBHOOK_UUID, type Webhook } from '../src/model/webhook.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import type { OtlpOptions } from '../src/observability/otlp.ts';
import { processMetrics } from '../src/observability/process-metrics.ts';
import { hostFigures } from '../src/os/host-system.ts';
import { mallocTrim } from '../src/os/malloc-trim.ts';
import { MemoryRelease } from '../src/os/memory-release.ts';
import {
  type RunningRole,
  STOP_GRACE_MS,
  type StartSignals,
  type StopReason,
} from '../src/runtime/host-role.ts';
import { removeStaleSocket } from '../src/runtime/stale-socket.ts';
import { StartFailure, toStartFailure } from '../src/runtime/start-failure.ts';
import { AnalyticsFiles } from '../src/storage/analytics-files.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { keepIndexerSecret } from '../src/storage/data-folder/notes.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import type { IndexerParts, IndexerServiceOptions } from '../src/tasks/indexer-parts.ts';
import { IndexerService } from '../src/tasks/indexer-service.ts';
import { instanceMetrics } from '../src/tasks/instance-metrics.ts';
import type { ServiceLimits } from '../src/tasks/service-limits.ts';
import { TaskTraces } from '../src/tasks/task-traces.ts';
import { instanceFigures } from '../src/telemetry/instance-figures.ts';
import { Telemetry, type TelemetryOptions } from '../src/telemetry/telemetry.ts';
import { startWhenForked } from './child-entry.ts';
import { forcedFeatures } from './forced-features.ts';
import {
  embeddingFailureRules,
  type IndexerEmbedding,
  indexerEmbedding,
} from './indexer-embedding.ts';
import type { OpenedStore } from './indexer-store.ts';
import { indexingThreads } from './indexing-threads.ts';
import { createOtlp } from './otlp.ts';
import { runStoreNode } from './store-node.ts';

const REPLIES_GRACE_MS = 5000;
const POLL_MS = 20;
const SECOND_MS = 1000;
/** Milliseconds that a response about an API key waits for a front to acknowledge the change. */
const SETTLE_MS = 2000;

async function openService(options: IndexerServiceOptions): Promise<IndexerService> {
  try {
    return await IndexerService.open(options);
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/**
 * The database is open, so no other indexer uses the data folder, and a socket file without a
 * listener is stale.
 */
async function listen(
  config: Config,
  log: ProcessLogger,
  options: Omit<IndexerServerOptions, 'address' | 'secret' | 'log'>,
): Promise<IndexerServer> {
  const { indexerAddress: address } = config;
  const socket = toSocketAddress(address);
  if ('path' in socket) await removeStaleSocket(socket.path);
  try {
    return await IndexerServer.listen({
      address,
      secret: config.indexerSecret ?? (await keepIndexerSecret(config.dbPath)),
      ...options,
      log,
    });
  } catch (error) {
    throw toStartFailure(error, `indexer address ${address}`, '--indexer-addr');
  }
}

const metricsOf = async (
  service: IndexerService,
  analytics: AnalyticsKeeper | null,
  opened: OpenedStore | null,
): Promise<Metric[]> => [
  ...processMetrics('indexer', mappedRangeBytes()),
  ...(await instanceMetrics(service.parts)),
  ...(opened?.metrics() ?? []),
  ...(analytics?.metrics() ?? []),
];

const serverOptions = (
  service: IndexerService,
  telemetry: Telemetry,
  analytics: AnalyticsKeeper | null,
  opened: OpenedStore | null,
): Omit<IndexerServerOptions, 'address' | 'secret' | 'log'> => ({
  handlers: service.handlers,
  published: () => service.published(opened?.nodeUrl ?? null),
  metrics: () => metricsOf(service, analytics, opened),
  previewTelemetry: () => telemetry.preview(),
  addAnalytics: async (batch) => {
    if (analytics !== null) return analytics.add(batch);
    throw new ApiError('feature_not_enabled', 'the indexer needs `--search-analytics`, too');
  },
  onAcknowledged: () => service.parts.housekeeping.sweepSoon(),
});

/** Fronts of a dead supervisor drain on their own. They need the indexer until they have ended. */
async function untilFrontsLeft(server: IndexerServer): Promise<void> {
  const endMs = performance.now() + STOP_GRACE_MS.front;
  while (server.frontCount > 0 && performance.now() < endMs) await sleep(POLL_MS);
}

async function stopServing(server: IndexerServer, reason: StopReason): Promise<void> {
  if (reason === 'orphaned') await untilFrontsLeft(server);
  await server.close(REPLIES_GRACE_MS);
}

function launchWebhook(config: Config): Webhook | null {
  const { taskWebhookUrl: url, taskWebhookAuthorizationHeader: authorization } = config;
  if (url === null) return null;
  const headers = authorization === null ? {} : { Authorization: authorization };
  const { taskWebhookSigningSecret: secret } = config;
  const signing = secret === null ? {} : { signingSecret: secret };
  return { uuid: LAUNCH_WEBHOOK_UUID, url, headers, ...signing };
}

const limitsOf = (config: Config): Partial<ServiceLimits> => ({
  batchBytesMax: config.limitBatchedTasksTotalBytes,
  storedTasksMax: config.taskRetentionCount,
  autoDeletionCount: Math.ceil(config.taskRetentionCount / 10),
  taskAgeMaxMs: config.taskRetentionDays === null ? null : config.taskRetentionDays * DAY_MS,
  ...(config.maxNumberOfBatchedTasks !== null && { batchTasksMax: config.maxNumberOfBatchedTasks }),
});

const figuresOfInstance = async (config: Config, parts: IndexerParts) => ({
  'context.app.version': packageVersion(),
  ...hostFigures(config.dbPath),
  ...instanceFigures(config, {
    ...parts.instanceState(),
    indexCount: parts.catalog.indexCount,
    databaseBytes: (await parts.sizes.databaseBytes()).all,
    upMs: process.uptime() * SECOND_MS,
  }),
});

const createTelemetry = (
  config: Config,
  parts: IndexerParts,
  means: Pick<TelemetryOptions, 'takeUsage' | 'send' | 'log'>,
): Telemetry =>
  new Telemetry({
    ...means,
    isCounting: !config.noAnalytics,
    url: config.telemetryUrl,
    instanceUid: parts.instanceUid,
    instance: () => figuresOfInstance(config, parts),
    now: Date.now,
  });

/** Number of files into which search analytics are divided, at least. */
const ANALYTICS_FILES = 16;

/** null = off. */
function createAnalytics(
  { dbPath, searchAnalytics, searchAnalyticsDays: days, searchAnalyticsSize: bytesMax }: Config,
  log: ProcessLogger,
  { catalog }: IndexerParts,
): AnalyticsKeeper | null {
  if (!searchAnalytics) return null;
  return new AnalyticsKeeper({
    files: new AnalyticsFiles(dataFolderAt(dbPath).analytics, bytesMax / ANALYTICS_FILES),
    days,
    bytesMax,
    indexExists: (uid) => catalog.get(uid) !== null,
    nameOfIndex: (id) => catalog.byId(id)?.uid ?? null,
    now: Date.now,
    log,
  });
}

const backupPlacesOf = (config: Config): IndexerServiceOptions['backupPlaces'] => ({
  dumpFolder: config.dumpDir,
  snapshotFolder: config.snapshotDir,
  snapshotName: basename(config.dbPath),
  snapshotsKept: config.snapshotKeep,
});

const createMemoryRelease = (): MemoryRelease =>
  new MemoryRelease({
    residentBytes: () => process.memoryUsage.rss(),
    release: mallocTrim,
    later: (run, ms) => setTimeout(run, ms).unref(),
  });

/** null = off. */
async function startTracing(config: Config, log: ProcessLogger, metrics: OtlpOptions['metrics']) {
  const otlp = await createOtlp(config, { role: 'indexer', metrics, log });
  return otlp && { otlp, tasks: new TaskTraces(otlp.traces) };
}

const storeOptions = (
  { store, stored, heartbeat, known = null }: OpenedStore,
  { storeCacheSize: cacheBytes }: Config,
): Partial<IndexerServiceOptions> => ({
  store,
  known,
  stored,
  cacheBytes,
  confirmWriter: () => heartbeat.confirm(),
});

interface IndexingRun {
  readonly config: Config;
  readonly log: ProcessLogger;
  readonly predecessorEnd: ProcessEnd;
  /** null = the data is in a folder alone. */
  readonly opened: OpenedStore | null;
  /** Awaited before fronts can connect. */
  readonly beforeListen?: () => Promise<void>;
}

async function runOn(
  pool: IndexingPool,
  embedding: IndexerEmbedding,
  { config, log, predecessorEnd, opened, beforeListen }: IndexingRun,
): Promise<RunningRole> {
  let server: IndexerServer | null = null;
  const memory = createMemoryRelease();
  const outgoing = new OutgoingHttp(new AddressPolicy(config.allowedIpNetworks));
  const builders = new Semaphore();
  let analytics: AnalyticsKeeper | null = null;
  let tracing: Awaited<ReturnType<typeof startTracing>> = null;
  const service = await openService({
    ...(opened && storeOptions(opened, config)),
    takeReadIndexes: async () => (await server?.takeReadIndexes()) ?? [],
    dataDir: config.dbPath,
    openWriter: (manifest, folder) =>
      new IndexWriter({
        manifest,
        ...folder,
        pool,
        embedderOf: embedding.embedderOf,
        scorePairs: embedding.scorePairs,
        failures: embeddingFailureRules(config, log),
        memoryBudgetBytes: config.maxIndexingMemory,
        builders,
      }),
    checkFile: (location, file) => pool.run('check', { location, file }),
    readOut: (task) => pool.run('readOut', task),
    backupPlaces: backupPlacesOf(config),
    snapshotIntervalMs:
      config.scheduleSnapshot === null ? null : config.scheduleSnapshot * SECOND_MS,
    publish: (name, data) => {
      server?.publish(name, data);
      if (name === 'indexRemoved') analytics?.indexGone(data as IndexerEvents['indexRemoved']);
      memory.afterWork();
    },
    settled: async () => server?.settled(SETTLE_MS),
    minimumAcknowledged: (indexId) =>
      server?.minimumAcknowledged(indexId) ?? Number.POSITIVE_INFINITY,
    log,
    onFatal: (error) => {
      log.error({ err: error }, 'the indexer failed and restarts');
      process.exit(EXIT_STORE_FAILED);
    },
    predecessorEnd,
    onTasksEnded: (rows) => tracing?.tasks.ended(rows),
    send: outgoing.send,
    webhooks: { launch: launchWebhook(config) },
    features: forcedFeatures(config),
    limits: { ...limitsOf(config), indexingThreads: pool.threads },
  });
  const telemetry = createTelemetry(config, service.parts, {
    takeUsage: async () => (await server?.takeUsage()) ?? [],
    send: outgoing.send,
    log,
  });
  analytics = createAnalytics(config, log, service.parts);
  analytics?.start();
  await beforeListen?.();
  tracing = await startTracing(config, log, () => metricsOf(service, analytics, opened));
  const options = serverOptions(service, telemetry, analytics, opened);
  const listening = await listen(config, log, {
    ...options,
    handlers: tracing?.tasks.noting(options.handlers) ?? options.handlers,
  });
  server = listening;
  const telemetryTimer = setInterval(() => void telemetry.round(), HOUR_MS).unref();
  service.start();
  const stopBatches = () => service.stopBatches(() => void pool.close());
  return {
    info: { indexer: config.indexerAddress },
    announced: () => void stopBatches(),
    stop: async (reason) => {
      clearInterval(telemetryTimer);
      await stopServing(listening, reason);
      await stopBatches();
      await analytics?.stop();
      await opened?.heartbeat.stop();
      await service.drain();
      outgoing.close();
      await Promise.all([pool.close(), embedding.close(), tracing?.otlp.stop()]);
    },
  };
}

async function runIndexing(run: IndexingRun): Promise<RunningRole> {
  const pool = indexingThreads(run.config, {
    backgroundTasks: new Set<IndexingTaskName>(['merge']),
    startsLate: run.config.noWarmUp,
  });
  const embedding = indexerEmbedding(run.config, run.log);
  try {
    return await runOn(pool, embedding, run);
  } catch (error) {
    await Promise.all([pool.close(), embedding.close()]);
    throw error;
  }
}

export default async function runIndexer(
  config: Config,
  log: ProcessLogger,
  signals: StartSignals,
  predecessorEnd: ProcessEnd = 'outside',
): Promise<RunningRole> {
  const run = { config, log, predecessorEnd };
  if (config.store === null) return runIndexing({ ...run, opened: null });
  return runStoreNode({
    ...run,
    url: config.store,
    signals,
    launchWebhook: launchWebhook(config),
    runWriter: (opened, beforeListen) => runIndexing({ ...run, opened, beforeListen }),
    listen: (options) => listen(config, log, options),
    stopServing,
  });
}

await startWhenForked({
  url: import.meta.url,
  name: 'indexer',
  run: runIndexer,
  stopGraceMs: STOP_GRACE_MS.indexer,
});
