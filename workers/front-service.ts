/** Part of a front: the connection to the indexer and the services for routes. */
import { parseSize } from '../config/formats.ts';
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { FrontAnalytics } from '../src/analytics/front-analytics.ts';
import { answerMemory, requestMemory } from '../src/api/contract/body-memory.ts';
import type {
  ApiConfig,
  ApiContext,
  ChatParts,
  QueryEmbedders,
} from '../src/api/contract/context.ts';
import { KeptFingerprints } from '../src/api/contract/kept-fingerprints.ts';
import { LogStreams } from '../src/api/contract/log-stream.ts';
import { ResponseCache } from '../src/api/contract/response-cache.ts';
import { AuthRateLimiter } from '../src/auth/auth-rate-limiter.ts';
import { KeyRates } from '../src/auth/key-rates.ts';
import { KeyRing } from '../src/auth/key-ring.ts';
import { CHAT_LIMITS } from '../src/chat/chat-limits.ts';
import { ChatMetrics } from '../src/chat/chat-metrics.ts';
import { ChatPlaces } from '../src/chat/chat-places.ts';
import { WriterForwarding } from '../src/cluster/writer-forwarding.ts';
import { SearchEmbedders } from '../src/embedding/search-embedders.ts';
import { AddressPolicy } from '../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../src/http-client/outgoing-http.ts';
import { IndexerClient, type IndexerClientOptions } from '../src/ipc/connection/indexer-client.ts';
import type { PublishedIndex } from '../src/ipc/replica/published-indexes.ts';
import type { PayloadPool } from '../src/ipc/threads/payload-pool.ts';
import { ThreadPool } from '../src/ipc/threads/thread-pool.ts';
import type { McpHttpRequest } from '../src/mcp/serve-http.ts';
import { RemoteSearches } from '../src/network/remote-searches.ts';
import { AuditLog } from '../src/observability/audit-log.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import type { Traces } from '../src/observability/otlp.ts';
import { RequestMetrics } from '../src/observability/request-metrics.ts';
import { FrontPayloads } from '../src/payloads/front-payloads.ts';
import { Personalization } from '../src/rerank/personalization.ts';
import { RerankService } from '../src/rerank/rerank-service.ts';
import { SearchRerankers } from '../src/rerank/search-rerankers.ts';
import { namedShape } from '../src/rerank/service-shape.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { AuditFiles } from '../src/storage/audit-files.ts';
import { BackupFiles } from '../src/storage/backups/backup-files.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { readIndexerSecret } from '../src/storage/data-folder/notes.ts';
import { folderOfIndex } from '../src/storage/files/index-files.ts';
import { FingerprintFiles } from '../src/storage/fingerprint-files.ts';
import { PayloadStore } from '../src/storage/payload-store.ts';
import { UsageFigures } from '../src/telemetry/usage-figures.ts';
import { embedderEnvironment } from './embedder-environment.ts';
import type { EmbeddingThreads } from './embedding-threads.ts';
import { createOpenid } from './openid.ts';
import { documentationFiles, documentationIndex, searchPageFiles } from './page-files.ts';

/**
 * Milliseconds after which a front serves without an indexer; requests that need the indexer then
 * fail.
 */
const INDEXER_WAIT_MS = 10_000;

/** Milliseconds that a request waits for a node that writes; longer than a takeover. */
const FORWARD_MS = 30_000;
const FORWARD_RETRY_MS = 100;
const FORWARD_REPLACED_MS = 1000;

/** The thread of reports ends after this idle time. */
const REPORT_IDLE_MS = 10_000;

/** Memory for scores of rerankers, about 50,000. */
const RERANK_CACHE_BYTES = 16 << 20;

/** Concurrent chat requests of a front. */
const CHATS_MAX = 128;

interface FrontServiceParts {
  readonly config: Config;
  readonly log: ProcessLogger;
  readonly queries: ApiContext['queryPool'] & {
    released(published: PublishedIndex): Promise<void>;
  };
  readonly payloads: Pick<PayloadPool, 'check' | 'selects'>;
  /** Called with each published generation. */
  readonly onPublished: (published: PublishedIndex) => void;
  /** Called when the files of an index are about to be deleted on this node. */
  readonly onNotLocal: (published: PublishedIndex) => void;
  /** All metrics of the front. @param counted metrics of this service */
  readonly metrics: (counted: readonly Metric[]) => readonly Metric[];
  /** null = off. */
  readonly traces: Traces | null;
  /** Of searches. */
  readonly embedding: Pick<EmbeddingThreads, 'embedderOf' | 'scorePairs'>;
}

interface FrontService {
  readonly context: ApiContext;
  /** Resolves when the indexes are loaded, or the wait for an indexer has timed out. */
  whenReady(): Promise<void>;
  close(): Promise<void>;
}

const monotonic = (): number => performance.now();

const apiConfig = (config: Config): ApiConfig => ({
  masterKey: config.masterKey,
  formerMasterKey: config.formerMasterKey,
  allowLooseTenantRules: config.allowLooseTenantRules,
  maskStrongerKeys: config.maskStrongerKeys,
  replicationParameters: config.replicationParameters,
  payloadBytesMax: config.httpPayloadSizeLimit,
  parseSize,
  searchTimeoutMs: config.searchTimeoutSeconds * 1000,
  multiSearchQueriesMax: config.maxMultiSearchQueries,
  answerBytesMax: config.maxResponseSize,
  slowSearchMs: config.slowSearchMs,
  version: { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: packageVersion() },
});

function createEmbedders(
  config: Config,
  { send }: OutgoingHttp,
  embedderOf: EmbeddingThreads['embedderOf'],
): QueryEmbedders {
  const embedders = new SearchEmbedders(
    embedderEnvironment(config, send, embedderOf),
    config.embeddingCacheEntries,
  );
  return {
    embedQuery: ({ settings }, name, query, options) =>
      embedders.embedQuery(
        name,
        Object.hasOwn(settings.embedders, name) ? settings.embedders[name] : undefined,
        query,
        options,
      ),
  };
}

/** null without an API key. */
function createPersonalization(
  { personalizationApiKey: apiKey, ...config }: Config,
  { send }: OutgoingHttp,
  log: ProcessLogger,
): Personalization | null {
  if (apiKey === null) return null;
  const service = new RerankService({
    url: config.personalizationUrl,
    apiKey,
    shape: namedShape(config.personalizationModel, 'results'),
    timeoutMs: config.personalizationTimeoutMs,
    send,
  });
  return new Personalization({ service, now: monotonic, log: log.for('search') });
}

/**
 * HTTP clients for other servers. Each chat has its own connection, so that chats never delay
 * embedders.
 */
function createOutgoingParts({ config, log, embedding }: FrontServiceParts) {
  const policy = new AddressPolicy(config.allowedIpNetworks);
  const outgoing = new OutgoingHttp(policy);
  const ofChats = new OutgoingHttp(policy, { connectionsPerHostMax: CHATS_MAX });
  const chat: ChatParts = {
    open: ofChats.open,
    places: new ChatPlaces(CHATS_MAX),
    metrics: new ChatMetrics(),
    limits: CHAT_LIMITS,
  };
  const personalization = createPersonalization(config, outgoing, log);
  const rerankers = new SearchRerankers({
    send: outgoing.send,
    scorePairs: embedding.scorePairs,
    now: monotonic,
    log: log.for('search'),
    cacheBytes: RERANK_CACHE_BYTES,
  });
  return {
    outgoing,
    services: { chat, personalization, rerankers },
    metrics: () => [
      ...chat.metrics.metrics(),
      ...(personalization?.metrics() ?? []),
      ...rerankers.metrics(),
    ],
    close() {
      outgoing.close();
      ofChats.close();
    },
  };
}

/** Requests to the node that writes the object store; null without one. */
function createForwarding({ store }: Config, client: IndexerClient) {
  if (store === null) return null;
  // Private networks are allowed: the address is that of a node of this store.
  const http = new OutgoingHttp(new AddressPolicy(['any']));
  const forwarding = new WriterForwarding({
    writer: () => client.state.writer,
    send: http.send,
    timeoutMs: FORWARD_MS,
    retryMs: FORWARD_RETRY_MS,
    replacedMs: FORWARD_REPLACED_MS,
    monotonic,
  });
  return { forwarding, close: () => http.close() };
}

/** null = off. */
function createAnalytics(
  { dbPath, searchAnalytics }: Config,
  client: IndexerClient,
  log: ProcessLogger,
): FrontAnalytics | null {
  if (!searchAnalytics) return null;
  const analytics = new FrontAnalytics({
    folder: dataFolderAt(dbPath).analytics,
    send: (batch) => client.request('addAnalytics', batch),
    thread: new ThreadPool({
      filename: workerUrls.analytics.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: REPORT_IDLE_MS,
    }),
    log,
  });
  analytics.start();
  return analytics;
}

/** A file is at most this part of the audit log, so that deleting one keeps most lines. */
const AUDIT_FILES = 16;

/** null = off. */
function createAudit(
  { dbPath, auditLog, auditLogDays: days, auditLogSize: bytesMax }: Config,
  log: ProcessLogger,
): AuditLog | null {
  if (!auditLog) return null;
  const { audit: folder } = dataFolderAt(dbPath);
  const fileBytes = Math.ceil(bytesMax / AUDIT_FILES);
  const audit = new AuditLog({
    files: new AuditFiles({ folder, days, bytesMax: bytesMax - fileBytes, fileBytes }),
    now: Date.now,
    log,
  });
  audit.start();
  return audit;
}

function createRecorders(config: Config, client: IndexerClient, log: ProcessLogger) {
  const analytics = createAnalytics(config, client, log);
  const audit = createAudit(config, log);
  return {
    analytics,
    audit,
    metrics: () => [...(analytics?.metrics() ?? []), ...(audit?.metrics() ?? [])],
    stop: () => Promise.all([analytics?.stop(), audit?.stop()]),
  };
}

function createClient(
  { config, log, queries, onPublished, onNotLocal }: FrontServiceParts,
  listeners: Pick<IndexerClientOptions, 'keys' | 'logs' | 'metrics' | 'takeUsage'>,
): IndexerClient {
  const { indexes } = dataFolderAt(config.dbPath);
  return new IndexerClient({
    ...listeners,
    address: config.indexerAddress,
    locate: (indexId) => folderOfIndex(indexes, indexId),
    secret: () => config.indexerSecret ?? readIndexerSecret(config.dbPath),
    log,
    onPublished,
    onNotLocal,
    released: (published) => queries.released(published),
  });
}

/** Loads the bundle with the packages of the protocol at its first call. */
async function answerMcp(request: McpHttpRequest): Promise<Response> {
  const entry = (await import(workerUrls.mcp.href)) as typeof import('../src/mcp/serve-http.ts');
  return entry.answerMcp(request);
}

/** Starts to connect to the indexer. */
export function startFrontService(parts: FrontServiceParts): FrontService {
  const { config, log, queries, payloads } = parts;
  const { spool, fingerprints } = dataFolderAt(config.dbPath);
  const keys = new KeyRing(config.masterKey, config.formerMasterKey);
  const responseCache = new ResponseCache(config.answerCacheSize);
  const logs = new LogStreams(log);
  const requestMetrics = new RequestMetrics();
  const usage = config.noAnalytics ? null : new UsageFigures();
  const elsewhere = createOutgoingParts(parts);
  const { outgoing, services } = elsewhere;
  const metrics = () =>
    parts.metrics(
      [requestMetrics, responseCache, elsewhere, recorders].flatMap((each) => each.metrics()),
    );
  const takeUsage = () => usage?.take() ?? {};
  const client = createClient(parts, { keys, logs, metrics, takeUsage });
  client.start();
  const recorders = createRecorders(config, client, log);
  const toWriter = createForwarding(config, client);
  const context: ApiContext = {
    indexer: client,
    forwarding: toWriter?.forwarding ?? null,
    answerMcp,
    indexes: client.indexes,
    searchRules: client.searchRules,
    get network() {
      return client.state.network;
    },
    get aliases() {
      return client.aliases;
    },
    get chats() {
      return client.state.chats;
    },
    remoteSearches: new RemoteSearches(outgoing.send, config.remoteSearchTimeoutSeconds * 1000),
    checked: client.checked,
    get features() {
      return client.state.features;
    },
    keys,
    queryPool: queries,
    responseCache,
    keptFingerprints: new KeptFingerprints(new FingerprintFiles(fingerprints), log.for('http')),
    embedders: createEmbedders(config, outgoing, parts.embedding.embedderOf),
    ...services,
    bodyMemory: requestMemory(config.httpBodyMemory),
    answerMemory: answerMemory(config.maxResponseSize),
    payloads: new FrontPayloads(new PayloadStore(spool), payloads),
    config: apiConfig(config),
    openid: createOpenid(config, outgoing, log),
    guard: new AuthRateLimiter(config.wrongKeysPerMinute, monotonic),
    rates: new KeyRates(monotonic),
    clock: { now: Date.now, monotonic },
    requestMetrics,
    usage,
    analytics: recorders.analytics,
    audit: recorders.audit,
    traces: parts.traces,
    metrics,
    logs,
    searchPage: searchPageFiles(config),
    documentation: documentationFiles(),
    documentationIndex: documentationIndex(),
    backups: new BackupFiles({ dumpFolder: config.dumpDir, snapshotFolder: config.snapshotDir }),
    logger: log.for('http'),
  };
  return {
    context,
    async whenReady() {
      const isReady = await client.whenReady(INDEXER_WAIT_MS);
      if (!isReady) log.warn(`no indexer at ${config.indexerAddress} yet`);
    },
    async close() {
      elsewhere.close();
      toWriter?.close();
      await recorders.stop();
      await client.close();
    },
  };
}
