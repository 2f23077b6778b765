/**
 * An `ApiContext` in memory: records what routes ask of the indexer and the query pool, and answers
 * with what a test sets.
 */

import { parseSize } from '../../config/formats.ts';
import { noSums } from '../../src/analytics/search-sums.ts';
import { answerMemory, requestMemory } from '../../src/api/contract/body-memory.ts';
import type {
  ApiConfig,
  ApiContext,
  SearchAnalytics,
  StoredUpload,
} from '../../src/api/contract/context.ts';
import { KeptFingerprints } from '../../src/api/contract/kept-fingerprints.ts';
import { LogStreams } from '../../src/api/contract/log-stream.ts';
import { ResponseCache } from '../../src/api/contract/response-cache.ts';
import { AuthRateLimiter } from '../../src/auth/auth-rate-limiter.ts';
import { KeyRates } from '../../src/auth/key-rates.ts';
import { KeyRing } from '../../src/auth/key-ring.ts';
import { indexExists } from '../../src/catalog/index-catalog.ts';
import { newManifest } from '../../src/catalog/manifest.ts';
import { CHAT_LIMITS } from '../../src/chat/chat-limits.ts';
import { ChatMetrics } from '../../src/chat/chat-metrics.ts';
import { ChatPlaces } from '../../src/chat/chat-places.ts';
import type { Caller } from '../../src/core/caller.ts';
import { Deadline } from '../../src/core/deadline.ts';
import { ApiError, indexNotFound } from '../../src/core/errors.ts';
import { OutgoingError } from '../../src/http-client/outgoing-error.ts';
import type { IndexerRequests } from '../../src/ipc/connection/indexer-protocol.ts';
import type { QueryReply, QueryTask } from '../../src/ipc/queries/query-protocol.ts';
import { CheckedIndexes } from '../../src/ipc/replica/checked-indexes.ts';
import type { PublishedIndex } from '../../src/ipc/replica/published-indexes.ts';
import { PublishedRules } from '../../src/ipc/replica/published-rules.ts';
import { type Alias, type AliasTable, NO_ALIASES } from '../../src/model/alias.ts';
import type { EventRow, SearchRow } from '../../src/model/analytics.ts';
import type { ApiKey, ApiKeyRotation } from '../../src/model/api-key.ts';
import {
  type ChatWorkspace,
  changedWorkspace,
  chatNotFound,
  newWorkspace,
} from '../../src/model/chat-workspace.ts';
import { type Features, NO_FEATURES } from '../../src/model/features.ts';
import { FilterClock } from '../../src/model/filter/filter-clock.ts';
import { parseTaskFilter } from '../../src/model/filter/parse-filter.ts';
import { encodeManifest, type IndexManifest } from '../../src/model/index-manifest.ts';
import { changedNetwork, type Network, NO_NETWORK } from '../../src/model/network.ts';
import type { ChatWorkspaceUpdate } from '../../src/model/schemas/chat-schema.ts';
import type { NetworkUpdate } from '../../src/model/schemas/network-schema.ts';
import type { Changed } from '../../src/model/secret-origin.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import type { TaskDraft } from '../../src/model/task.ts';
import type { UploadOptions } from '../../src/model/upload.ts';
import type { Webhook } from '../../src/model/webhook.ts';
import { RemoteSearches } from '../../src/network/remote-searches.ts';
import { AuditLog } from '../../src/observability/audit-log.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { RequestMetrics } from '../../src/observability/request-metrics.ts';
import { WebhookStore } from '../../src/webhooks/webhook-store.ts';
import { MemoryStore } from './memory-store.ts';

export interface IndexerCall {
  readonly name: keyof IndexerRequests;
  readonly argument: unknown;
}

export interface FakeSpool {
  readonly chunks: Uint8Array[];
  state: 'open' | 'finished' | 'aborted';
}

export interface FakeApiContext extends ApiContext {
  features: Features;
  network: Network;
  aliases: AliasTable;
  chats: ChatWorkspace[];
  chat: ApiContext['chat'];
  readonly searchRules: PublishedRules;
  readonly keys: KeyRing;
  readonly calls: IndexerCall[];
  readonly queries: QueryTask[];
  readonly spools: FakeSpool[];
  readonly inlinePayloads: { readonly text: string; readonly options: UploadOptions }[];
  readonly failures: unknown[];
  analytics: SearchAnalytics | null;
  audit: AuditLog | null;
  /** Searches and events that the analytics got. */
  readonly recorded: (SearchRow | EventRow)[];
  publish(uid: string, settings?: Partial<Settings>, generation?: number): PublishedIndex;
  /** Answers of the query pool in turn; the last one repeats. */
  replies: ((task: QueryTask, caller?: Caller) => QueryReply | Promise<QueryReply>)[];
  answers: Partial<{ [K in keyof IndexerRequests]: IndexerRequests[K][1] }>;
}

const DATE = '2024-08-08T17:05:55.791772Z';
const FIRST_INDEX_ID = 7;

const manifestOf = (
  id: number,
  uid: string,
  settings: Partial<Settings>,
  generation: number,
): IndexManifest => ({
  ...newManifest(uid, id, 'id', DATE),
  generation,
  settings: { ...DEFAULT_SETTINGS, ...settings },
});

function published(
  id: number,
  uid: string,
  settings: Partial<Settings>,
  generation: number,
): PublishedIndex {
  const manifest = manifestOf(id, uid, settings, generation);
  const bytes = encodeManifest(manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return { manifest, shared, key: `${manifest.id}:${generation}`, location: uid };
}

export const jsonReply = (value: unknown): QueryReply => ({
  ok: true,
  body: new TextEncoder().encode(JSON.stringify(value)),
});

/** Counts documents by parsing: enough of a checker for route tests. */
function check(
  text: string,
  { format }: UploadOptions,
  payload: StoredUpload['payload'],
): StoredUpload {
  try {
    const documents =
      format === 'json'
        ? [JSON.parse(text)].flat()
        : text.split('\n').filter((line) => line.trim() !== '');
    return {
      payload,
      format: format === 'csv' ? 'ndjson' : format,
      documentCount: documents.length,
    };
  } catch {
    throw new ApiError('malformed_payload', 'the payload is not JSON');
  }
}

function createPayloads(
  spools: FakeSpool[],
  inlinePayloads: FakeApiContext['inlinePayloads'],
): ApiContext['payloads'] {
  return {
    selects: async ({ form, features }, code) =>
      parseTaskFilter(form, code, features, new FilterClock(Deadline.never(), code)) !== null,
    readDocuments: (payload) => {
      if (payload.kind === 'file') return null;
      return (async function* () {
        yield Buffer.from(payload.base64, 'base64');
      })();
    },
    checkInline: (bytes, options) => {
      const text = Buffer.from(bytes).toString();
      inlinePayloads.push({ text, options });
      return check(text, options, {
        kind: 'inline',
        base64: Buffer.from(bytes).toString('base64'),
      });
    },
    createSpool: () => {
      const spool: FakeSpool = { chunks: [], state: 'open' };
      const name = String(spools.push(spool) - 1);
      return {
        write: (chunk) => void spool.chunks.push(Buffer.from(chunk)),
        finish: async (options) => {
          spool.state = 'finished';
          const bytes = Buffer.concat(spool.chunks);
          return check(bytes.toString(), options, {
            kind: 'file',
            name,
            bytes: bytes.length,
            crc32c: 0,
          });
        },
        async *read() {
          yield* spool.chunks;
        },
        abort: () => {
          spool.state = 'aborted';
        },
      };
    },
  };
}

const summarize = (draft: TaskDraft, taskUid: number) => ({
  taskUid,
  indexUid: 'indexUid' in draft ? draft.indexUid : null,
  status: 'enqueued' as const,
  type: draft.type,
  enqueuedAt: DATE,
});

type WebhookRequest =
  | 'listWebhooks'
  | 'getWebhook'
  | 'getDeliveries'
  | 'createWebhook'
  | 'updateWebhook'
  | 'deleteWebhook';
const isWebhookRequest = (name: keyof IndexerRequests): name is WebhookRequest =>
  /Webhooks?$|^getDeliveries$/.test(name);

/** What the indexer does with webhooks, without deliveries. */
async function askWebhooks(
  webhooks: WebhookStore,
  name: WebhookRequest,
  argument: unknown,
): Promise<IndexerRequests[WebhookRequest][1]> {
  const webhook = argument as Webhook;
  switch (name) {
    case 'listWebhooks':
      return webhooks.all();
    case 'getWebhook':
      return webhooks.get(webhook.uuid);
    case 'getDeliveries':
      webhooks.get(webhook.uuid);
      return { attempts: [], waiting: 0 };
    case 'createWebhook':
      return webhooks.create(webhook);
    case 'updateWebhook':
      return webhooks.update(webhook);
    case 'deleteWebhook':
      await webhooks.delete(webhook.uuid);
      return null;
  }
}

/** Those that are answered by more than a value. */
type OwnRequest =
  | KeyChange
  | ChatChange
  | WebhookRequest
  | 'rotateKey'
  | 'updateNetwork'
  | 'putAlias';

/** As the indexer does, without a store. */
function putAlias(
  indexes: Pick<ApiContext['indexes'], 'get'>,
  { name, indexUid }: { readonly name: string; readonly indexUid: string },
): Alias {
  if (indexes.get(name) !== undefined) throw indexExists(name);
  if (indexes.get(indexUid) === undefined) throw indexNotFound(indexUid);
  return { name, indexUid, createdAt: '', updatedAt: '' };
}

type ChatChange = 'updateChat' | 'resetChat' | 'deleteChat';
const isChatChange = (name: keyof IndexerRequests): name is ChatChange =>
  /^(update|reset|delete)Chat$/.test(name);

/** What the indexer does with workspaces of chats, without a store. */
function changeChats(
  chats: ChatWorkspace[],
  name: ChatChange,
  argument: unknown,
): Changed<ChatWorkspace> | ChatWorkspace | null {
  const { uid, update } = argument as { uid: string; update: ChatWorkspaceUpdate };
  const at = chats.findIndex((chat) => chat.uid === uid);
  if (name !== 'updateChat' && at < 0) throw chatNotFound(uid);
  const before = (name === 'updateChat' ? chats[at] : undefined) ?? newWorkspace(uid);
  const changed = changedWorkspace(before, update ?? {});
  const after = name === 'deleteChat' ? [] : [changed.value];
  chats.splice(at < 0 ? chats.length : at, at < 0 ? 0 : 1, ...after);
  return name === 'updateChat' ? changed : (after[0] ?? null);
}

type KeyChange = 'createKey' | 'updateKey' | 'deleteKey';
const isKeyChange = (name: keyof IndexerRequests): name is KeyChange =>
  /^(create|update|delete)Key$/.test(name);

/** What the indexer does with keys, without a store. */
function changeKeys(keys: KeyRing, name: KeyChange, argument: unknown): ApiKey | null {
  const { uid, ...change } = argument as { readonly uid: string } & Partial<ApiKey>;
  if (name === 'deleteKey') {
    keys.remove(uid);
    return null;
  }
  const known = keys.byUid(uid)?.record;
  if (name === 'createKey' && known !== undefined)
    throw new ApiError('api_key_already_exists', `${uid} exists already`);
  const key = { createdAt: DATE, ...known, ...change, uid, updatedAt: DATE } as ApiKey;
  keys.publish(key);
  return key;
}

function rotateKey(keys: KeyRing, { uid, newUid, endsAt }: ApiKeyRotation) {
  const { record } = keys.byUid(uid) ?? {};
  if (record === undefined) throw new ApiError('api_key_not_found', `${uid} does not exist`);
  const rotated = {
    replaced: { ...record, expiresAt: endsAt },
    created: { ...record, uid: newUid },
  };
  for (const key of Object.values(rotated)) keys.publish(key);
  return rotated;
}

const ANSWER_BYTES_MAX = 100 << 20;

export function createFakeApiContext(
  config: Partial<ApiConfig> = {},
  bodyMemoryBytes = 64 << 20,
): FakeApiContext {
  const indexes = new Map<string, PublishedIndex>();
  const calls: IndexerCall[] = [];
  const queries: QueryTask[] = [];
  const spools: FakeSpool[] = [];
  const inlinePayloads: FakeApiContext['inlinePayloads'] = [];
  const failures: unknown[] = [];
  const recorded: FakeApiContext['recorded'] = [];
  const keys = new KeyRing(config.masterKey ?? null);
  const webhooks = WebhookStore.open(new MemoryStore());
  const emptyPage = { results: [], total: 0, limit: 20, from: null, next: null };
  const context: FakeApiContext = {
    features: { ...NO_FEATURES },
    network: NO_NETWORK,
    aliases: NO_ALIASES,
    searchRules: new PublishedRules(),
    remoteSearches: new RemoteSearches(async () => {
      throw new OutgoingError('unreachable', 'no other instance exists in tests of routes');
    }, 1000),
    chats: [],
    chat: {
      open: async () => {
        throw new OutgoingError('unreachable', 'no provider exists in tests of routes');
      },
      places: new ChatPlaces(1),
      metrics: new ChatMetrics(),
      limits: CHAT_LIMITS,
    },
    calls,
    queries,
    spools,
    inlinePayloads,
    failures,
    replies: [() => jsonReply({ hits: [] })],
    answers: {},
    publish: (uid, settings = {}, generation = 1) => {
      const id = indexes.get(uid)?.manifest.id ?? FIRST_INDEX_ID + indexes.size;
      const index = published(id, uid, settings, generation);
      indexes.set(uid, index);
      return index;
    },
    personalization: null,
    rerankers: { scores: () => Promise.reject(new Error('the test has no reranker')) },
    forwarding: null,
    answerMcp: () => Promise.reject(new Error('the test has no assistant')),
    embedders: {
      embedQuery: async () => {
        throw new ApiError('vector_embedding_error', 'no embedder works in tests of routes');
      },
    },
    indexer: {
      isInitialised: true,
      request: async <Name extends keyof IndexerRequests>(
        name: Name,
        argument: IndexerRequests[Name][0],
      ) => {
        calls.push({ name, argument });
        if (isChatChange(name))
          return changeChats(context.chats, name, argument) as IndexerRequests[Name][1];
        if (isKeyChange(name)) return changeKeys(keys, name, argument) as IndexerRequests[Name][1];
        if (isWebhookRequest(name))
          return (await askWebhooks(await webhooks, name, argument)) as IndexerRequests[Name][1];
        if (name === 'putAlias')
          return putAlias(
            context.indexes,
            argument as IndexerRequests['putAlias'][0],
          ) as IndexerRequests[Name][1];
        if (name === 'updateNetwork')
          return changedNetwork(
            NO_NETWORK,
            argument as NetworkUpdate,
            'version',
          ) as IndexerRequests[Name][1];
        if (name === 'rotateKey')
          return rotateKey(keys, argument as ApiKeyRotation) as IndexerRequests[Name][1];
        const defaults: {
          [K in Exclude<keyof IndexerRequests, OwnRequest>]: IndexerRequests[K][1];
        } = {
          enqueue: summarize(argument as TaskDraft, calls.length - 1),
          listTasks: emptyPage,
          getTask: null,
          waitForTask: true,
          listBatches: emptyPage,
          getBatch: null,
          getPayload: null,
          watchTasks: { records: [], next: 0 },
          watchBatches: { records: [], next: 0 },
          indexingNow: { indexing: [] },
          checkFirst: null,
          instanceStats: { databaseSize: 4096, usedDatabaseSize: 2048, indexing: [] },
          compactTasks: { bytesBefore: 2048, bytesAfter: 100 },
          updateFeatures: { ...context.features, ...(argument as Partial<Features>) },
          deleteAlias: null,
          acknowledge: null,
          addAnalytics: null,
          metrics: [await context.metrics()],
          previewTelemetry: { isCounting: true, target: null, sendsAt: null, bundles: [] },
          openLogStream: null,
          closeLogStream: null,
          setLogLevels: null,
        };
        return (context.answers[name] ??
          defaults[name as Exclude<Name, OwnRequest>]) as IndexerRequests[Name][1];
      },
    },
    keys,
    indexes: {
      get: (uid) => indexes.get(uid),
      list: () => [...indexes.keys()].sort().flatMap((uid) => indexes.get(uid) ?? []),
    },
    responseCache: new ResponseCache(1 << 20),
    keptFingerprints: new KeptFingerprints(),
    queryPool: {
      run: async (task, caller) => {
        queries.push(task);
        const reply = context.replies.length > 1 ? context.replies.shift() : context.replies[0];
        if (reply === undefined) throw new Error('no reply set');
        return reply(task, caller);
      },
    },
    checked: new CheckedIndexes(),
    payloads: createPayloads(spools, inlinePayloads),
    bodyMemory: requestMemory(bodyMemoryBytes),
    answerMemory: answerMemory(config.answerBytesMax ?? ANSWER_BYTES_MAX),
    config: {
      masterKey: null,
      formerMasterKey: null,
      allowLooseTenantRules: false,
      maskStrongerKeys: false,
      replicationParameters: false,
      payloadBytesMax: 1_000_000,
      searchTimeoutMs: 30_000,
      multiSearchQueriesMax: 1000,
      answerBytesMax: ANSWER_BYTES_MAX,
      slowSearchMs: 0,
      parseSize,
      version: { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: '0.1.0' },
      ...config,
    },
    clock: { now: Date.now, monotonic: () => performance.now() },
    openid: null,
    traces: null,
    guard: new AuthRateLimiter(0, () => performance.now()),
    rates: new KeyRates(() => performance.now()),
    requestMetrics: new RequestMetrics(),
    usage: null,
    metrics: () => [],
    searchPage: null,
    documentation: new Map(),
    documentationIndex: () => null,
    audit: new AuditLog({
      now: Date.now,
      log: { error: () => undefined },
      files: {
        append: async () => undefined,
        sync: async () => undefined,
        removeOld: async () => undefined,
        page: async (from) => (from === null ? { lines: [], next: null } : null),
      },
    }),
    analytics: {
      searched: (row) => void recorded.push(row),
      happened: (row) => void recorded.push(row),
      report: async () => ({ results: [], total: 0, all: noSums(), isComplete: true }),
    },
    recorded,
    backups: { list: async () => [], find: async () => null },
    logs: new LogStreams(createLogger({ level: 'off', mode: 'JSON', name: 'test' })),
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object | string) => void failures.push(fields),
      isLevelEnabled: () => false,
      for: () => createLogger({ level: 'off', mode: 'JSON', name: 'test' }),
    },
  };
  return context;
}
