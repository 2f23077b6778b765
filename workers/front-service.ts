/**
 * Part of what serves requests, be it the main thread of a front or one of its serving threads: the
 * connection to the indexer and all that routes may use.
 */
import { parseSize } from '../config/formats.ts';
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { BodyMemory } from '../src/api/contract/body-memory.ts';
import type {
  ApiConfig,
  ApiContext,
  ChatParts,
  QueryEmbedders,
} from '../src/api/contract/context.ts';
import { KeptAnswers } from '../src/api/contract/kept-answers.ts';
import { LogStreams } from '../src/api/contract/log-stream.ts';
import { GUESS_GUARD_BYTES, GuessGuard } from '../src/auth/guess-guard.ts';
import { KEY_RATES_BYTES, KeyRates } from '../src/auth/key-rates.ts';
import { KeyRing } from '../src/auth/key-ring.ts';
import { ChatFigures } from '../src/chat/chat-figures.ts';
import { CHAT_LIMITS } from '../src/chat/chat-limits.ts';
import { ChatPlaces } from '../src/chat/chat-places.ts';
import { SearchEmbedders } from '../src/embedding/search-embedders.ts';
import { IndexerClient } from '../src/ipc/connection/indexer-client.ts';
import type { PublishedIndex } from '../src/ipc/published/published-indexes.ts';
import type { FrontProgress } from '../src/ipc/serving/front-progress.ts';
import type { PayloadPool } from '../src/ipc/threads/payload-pool.ts';
import { RemoteSearches } from '../src/network/remote-searches.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { RequestFigures } from '../src/observability/request-figures.ts';
import { AddressPolicy } from '../src/outgoing/address-policy.ts';
import { OutgoingHttp } from '../src/outgoing/outgoing-http.ts';
import { FrontPayloads } from '../src/payloads/front-payloads.ts';
import { Personalization } from '../src/personalization/personalization.ts';
import { RerankService } from '../src/personalization/rerank-service.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { readIndexerSecret } from '../src/storage/data-folder/indexer-secret.ts';
import { folderOfIndex } from '../src/storage/files/index-files.ts';
import { PayloadStore } from '../src/storage/payload-store.ts';
import { UsageFigures } from '../src/telemetry/usage-figures.ts';
import { embedderEnvironment } from './embedder-environment.ts';
import type { EmbeddingThreads } from './embedding-threads.ts';
import { documentationFiles, searchPageFiles } from './page-files.ts';

/**
 * After so long without an indexer a front serves nevertheless; what needs the indexer then says
 * that it is away.
 */
const INDEXER_WAIT_MS = 10_000;

/** Chats of a front that are under way at once; its serving threads have equal parts. */
const CHATS_MAX = 128;

type Scrape = (counted: readonly Metric[]) => readonly Metric[] | Promise<readonly Metric[]>;

export interface FrontServiceParts {
  readonly config: Config;
  readonly log: ProcessLogger;
  /** Where the log that is streamed comes from. */
  readonly logSource: Pick<ProcessLogger, 'listen' | 'setLevels'>;
  readonly queries: ApiContext['queryPool'] & {
    released(published: PublishedIndex): Promise<void>;
  };
  readonly payloads: Pick<PayloadPool, 'check'>;
  /** Hears of each generation that is published. */
  readonly onPublished: (published: PublishedIndex) => void;
  /** Shared with other services of this front; null = there are none. */
  readonly progress: FrontProgress | null;
  /** What a scrape of this connection gets. @param counted what this service has counted */
  readonly metrics: Scrape;
  /** What a scrape of the front gets while the indexer is away. */
  readonly metricsOfFront: Scrape;
  /** Of local models and what else searches embed with. */
  readonly embedderOf: EmbeddingThreads['embedderOf'];
  /** Memory of `GuessGuard` and `KeyRates`; shared with other services of this front. */
  readonly guesses?: SharedArrayBuffer;
  readonly keyRates?: SharedArrayBuffer;
  /** Services that share what the configuration grants a front. */
  readonly services: number;
}

export interface FrontService {
  readonly context: ApiContext;
  /** Resolves when the indexes are known, or it has waited long enough for an indexer. */
  whenReady(): Promise<void>;
  /** What requests and kept answers have counted here. */
  counted(): readonly Metric[];
  close(): Promise<void>;
}

/** Milliseconds of a clock that never goes back, the same in all threads. */
const processClock = (): number => Number(process.hrtime.bigint()) / 1e6;

const apiConfig = (config: Config): ApiConfig => ({
  masterKey: config.masterKey,
  formerMasterKey: config.formerMasterKey,
  allowLooseTenantRules: config.allowLooseTenantRules,
  maskStrongerKeys: config.maskStrongerKeys,
  payloadBytesMax: config.httpPayloadSizeLimit,
  parseSize,
  slowSearchMs: config.slowSearchMs,
  version: { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: packageVersion() },
});

function createEmbedders(
  config: Config,
  { send }: OutgoingHttp,
  embedderOf: EmbeddingThreads['embedderOf'],
  services: number,
): QueryEmbedders {
  const embedders = new SearchEmbedders(
    embedderEnvironment(config, send, embedderOf),
    Math.ceil(config.embeddingCacheEntries / services),
  );
  return {
    embedQuery: ({ settings }, name, query, isOptional) =>
      embedders.embedQuery(
        name,
        Object.hasOwn(settings.embedders, name) ? settings.embedders[name] : undefined,
        query,
        isOptional,
      ),
  };
}

/** null without a key. */
function createPersonalization(
  { personalizationApiKey: apiKey, ...config }: Config,
  { send }: OutgoingHttp,
  log: ProcessLogger,
): Personalization | null {
  if (apiKey === null) return null;
  const service = new RerankService({
    url: config.personalizationUrl,
    apiKey,
    model: config.personalizationModel,
    timeoutMs: config.personalizationTimeoutMs,
    send,
  });
  return new Personalization({ service, now: () => performance.now(), log: log.for('search') });
}

/**
 * What asks servers elsewhere. Chats have connections of their own, one each, so that no embedder
 * waits for one.
 */
function createOutgoingParts(config: Config, services: number, log: ProcessLogger) {
  const policy = new AddressPolicy(config.allowedIpNetworks);
  const chatsMax = Math.ceil(CHATS_MAX / services);
  const outgoing = new OutgoingHttp(policy);
  const ofChats = new OutgoingHttp(policy, { connectionsPerHostMax: chatsMax });
  const chat: ChatParts = {
    send: ofChats.send,
    places: new ChatPlaces(chatsMax),
    figures: new ChatFigures(),
    limits: CHAT_LIMITS,
  };
  const personalization = createPersonalization(config, outgoing, log);
  return {
    outgoing,
    chat,
    personalization,
    metrics: () => [...chat.figures.metrics(), ...(personalization?.metrics() ?? [])],
    close() {
      outgoing.close();
      ofChats.close();
    },
  };
}

/** Begins to connect. */
export function startFrontService(parts: FrontServiceParts): FrontService {
  const { config, log, logSource, queries, payloads, progress, services } = parts;
  const { indexes, spool } = dataFolderAt(config.dbPath);
  const keys = new KeyRing(config.masterKey, config.formerMasterKey);
  const keptAnswers = new KeptAnswers(Math.floor(config.answerCacheSize / services));
  const logs = new LogStreams(logSource);
  const requestFigures = new RequestFigures();
  const usage = config.noAnalytics ? null : new UsageFigures();
  const elsewhere = createOutgoingParts(config, services, log);
  const { outgoing, chat, personalization } = elsewhere;
  const counted = () =>
    [requestFigures, keptAnswers, elsewhere].flatMap((figures) => figures.metrics());
  const client = new IndexerClient({
    address: config.indexerAddress,
    locate: (indexId) => ({ kind: 'folder', path: folderOfIndex(indexes, indexId) }),
    secret: () => config.indexerSecret ?? readIndexerSecret(config.dbPath),
    log,
    keys,
    metrics: () => parts.metrics(counted()),
    takeUsage: () => usage?.take() ?? {},
    logs,
    onTold: (number) => progress?.reached(number),
    onPublished: parts.onPublished,
    released: (published) => queries.released(published),
  });
  client.start();
  const context: ApiContext = {
    indexer: client,
    indexes: client.indexes,
    searchRules: client.searchRules,
    caughtUp: () => progress?.caughtUp() ?? null,
    get network() {
      return client.network;
    },
    get chats() {
      return client.chats;
    },
    chat,
    remoteSearches: new RemoteSearches(outgoing.send, config.remoteSearchTimeoutSeconds * 1000),
    checked: client.checked,
    get features() {
      return client.features;
    },
    keys,
    queryPool: queries,
    keptAnswers,
    embedders: createEmbedders(config, outgoing, parts.embedderOf, services),
    personalization,
    bodyMemory: new BodyMemory(Math.floor(config.httpBodyMemory / services)),
    payloads: new FrontPayloads(new PayloadStore(spool), payloads),
    config: apiConfig(config),
    guard: new GuessGuard(
      config.wrongKeysPerMinute,
      processClock,
      parts.guesses ?? new SharedArrayBuffer(GUESS_GUARD_BYTES),
    ),
    rates: new KeyRates(processClock, parts.keyRates ?? new SharedArrayBuffer(KEY_RATES_BYTES)),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    requestFigures,
    usage,
    metrics: () => parts.metricsOfFront(counted()),
    logs,
    searchPage: searchPageFiles(config),
    documentation: documentationFiles(),
    logger: log.for('http'),
  };
  return {
    context,
    counted,
    async whenReady() {
      const isReady = await client.whenReady(INDEXER_WAIT_MS);
      if (!isReady) log.warn(`no indexer at ${config.indexerAddress} yet`);
    },
    async close() {
      elsewhere.close();
      await client.close();
    },
  };
}
