/**
 * The dependencies of route handlers, supplied by the composition root of the front. Contains no
 * storage.
 */

import type { AuthRateLimiter } from '../../auth/auth-rate-limiter.ts';
import type { KeyRates } from '../../auth/key-rates.ts';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { OpenidTokens } from '../../auth/openid-tokens.ts';
import type { ChatLimits } from '../../chat/chat-limits.ts';
import type { ChatMetrics } from '../../chat/chat-metrics.ts';
import type { ChatPlaces } from '../../chat/chat-places.ts';
import type { BackupFile } from '../../core/backup-file.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import type { QueryInput, QueryVectorOptions } from '../../embedding/embedder.ts';
import type { OpenRequest, OutgoingRequest } from '../../http-client/outgoing-http.ts';
import type { IndexerRequests } from '../../ipc/connection/indexer-protocol.ts';
import type { QueryPool } from '../../ipc/queries/query-pool.ts';
import type { CheckedIndexes } from '../../ipc/replica/checked-indexes.ts';
import type { PublishedIndex, PublishedIndexes } from '../../ipc/replica/published-indexes.ts';
import type { PublishedRules } from '../../ipc/replica/published-rules.ts';
import type { McpHttpRequest } from '../../mcp/serve-http.ts';
import type { AliasTable } from '../../model/alias.ts';
import type { AnalyticsReport, EventRow, ReportRequest, SearchRow } from '../../model/analytics.ts';
import type { ChatWorkspace } from '../../model/chat-workspace.ts';
import type { Features } from '../../model/features.ts';
import type { UnparsedFilter } from '../../model/filter/filter-form.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { Network } from '../../model/network.ts';
import type { PayloadFormat, PayloadRef } from '../../model/task.ts';
import type { CheckedPayload, UploadOptions } from '../../model/upload.ts';
import type { RemoteSearches } from '../../network/remote-searches.ts';
import type { AuditLog } from '../../observability/audit-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';
import type { Traces } from '../../observability/otlp.ts';
import type { RequestMetrics } from '../../observability/request-metrics.ts';
import type { Personalization } from '../../rerank/personalization.ts';
import type { SearchRerankers } from '../../rerank/search-rerankers.ts';
import type { UsageFigures } from '../../telemetry/usage-figures.ts';
import type { Answer } from './answer.ts';
import type { BodyMemory } from './body-memory.ts';
import type { KeptFingerprints } from './kept-fingerprints.ts';
import type { LogStreams } from './log-stream.ts';
import type { PageFiles } from './page-file.ts';
import type { ResponseCache } from './response-cache.ts';

/** The indexer as routes use it. Rejects with `ApiError`. */
export interface Indexer {
  /** True once indexes and keys are loaded; stays true while the indexer is down. */
  readonly isInitialised: boolean;
  request<Name extends keyof IndexerRequests>(
    name: Name,
    argument: IndexerRequests[Name][0],
    options?: { readonly timeoutMs?: number },
  ): Promise<IndexerRequests[Name][1]>;
}

/** A checked upload; a file is on disk. */
export interface StoredUpload extends CheckedPayload {
  readonly payload: PayloadRef;
}

/**
 * A file that grows during the upload. After `finish` or `abort` it accepts nothing; a file that
 * fails its check is removed.
 */
export interface PayloadSpool {
  /** Synchronous: `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void;
  /** Resolves when the bytes are checked and on disk. */
  finish(options: UploadOptions): Promise<StoredUpload>;
  /** The bytes that are written so far; each call begins at the first one. */
  read(): AsyncIterable<Uint8Array>;
  abort(): void;
}

/** Checks throw or reject with `ApiError` `malformed_payload`. */
export interface Payloads {
  /**
   * False for a filter without effect. Rejects with `ApiError` `code` for a filter that no task can
   * have, `feature_not_enabled`.
   */
  selects(filter: UnparsedFilter, code: ErrorCode): Promise<boolean>;
  /** NDJSON of the documents of a stored payload; null if its file is deleted. */
  readDocuments(payload: PayloadRef, format: PayloadFormat): AsyncIterable<Uint8Array> | null;
  checkInline(bytes: Uint8Array, options: UploadOptions): StoredUpload | Promise<StoredUpload>;
  createSpool(): PayloadSpool;
}

export interface ApiConfig {
  /** null = no authentication. */
  readonly masterKey: string | null;
  /** Also accepted; null = none. */
  readonly formerMasterKey: string | null;
  /** Accepts tenant tokens with unknown members or empty filters. */
  readonly allowLooseTenantRules: boolean;
  /** Masks values of API keys that have more rights than the request's key. */
  readonly maskStrongerKeys: boolean;
  /** Reads the headers `TaskId` and `DryRun` of requests that enqueue a task. */
  readonly replicationParameters: boolean;
  readonly payloadBytesMax: number;
  /** Milliseconds for all index reads of one request, from its arrival. */
  readonly searchTimeoutMs: number;
  readonly multiSearchQueriesMax: number;
  /** Bytes that query threads may write for one request. */
  readonly answerBytesMax: number;
  /** Milliseconds from which a search is logged; 0 = never. */
  readonly slowSearchMs: number;
  /** Bytes of a size as in launch options, for example `24MiB`; NaN if invalid. */
  readonly parseSize: (text: string) => number;
  readonly version: {
    readonly commitSha: string;
    readonly commitDate: string;
    readonly pkgVersion: string;
  };
}

/** Computes vectors of words and media. Rejects with `ApiError` `vector_embedding_error`. */
export interface QueryEmbedders {
  /**
   * A vector with the embedder's dimensions. @param options `isOptional`: the search continues
   * without a vector after an error; `requestEnd`: ends the wait, with its reason as the error
   */
  embedQuery(
    manifest: IndexManifest,
    embedder: string,
    query: QueryInput,
    options: QueryVectorOptions,
  ): Promise<Float32Array>;
}

export interface SearchAnalytics {
  searched(row: SearchRow): void;
  happened(row: EventRow): void;
  /** Rejects with the reason of the signal when it is aborted. */
  report(request: ReportRequest, signal?: AbortSignal): Promise<AnalyticsReport>;
}

interface BackupDownloads {
  /** The newest first. */
  list(): Promise<readonly BackupFile[]>;
  /** null = there is no such file. */
  find(name: string): Promise<{ chunks(signal: AbortSignal): AsyncIterable<Uint8Array> } | null>;
}

export interface ChatParts {
  readonly open: OpenRequest;
  readonly places: Pick<ChatPlaces, 'take'>;
  readonly metrics: ChatMetrics;
  readonly limits: ChatLimits;
}

/** A body in memory, or one that can be read several times. */
export type ForwardedContent =
  | Uint8Array
  | { readonly bytes: number; readonly chunks: () => AsyncIterable<Uint8Array> };

export interface ForwardedRequest {
  readonly method: OutgoingRequest['method'];
  /** With the query string. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** null = none. */
  readonly body: ForwardedContent | null;
  readonly signal: AbortSignal;
}

/** Passes requests that write on to the node that writes the object store. */
export interface Forwarding {
  /** False while this node writes. */
  readonly isNeeded: boolean;
  /** Retries while no node writes. Rejects with `ApiError` `writer_unavailable`. */
  send(request: ForwardedRequest): Promise<Answer>;
}

export interface ApiContext {
  readonly indexer: Indexer;
  /** null = all data is in the folder of this server. */
  readonly forwarding: Forwarding | null;
  readonly indexes: Pick<PublishedIndexes, 'get' | 'list'>;
  /** Rules of this instance; the feature switch decides whether they apply. */
  readonly searchRules: Pick<PublishedRules, 'get' | 'list' | 'preparedFor'>;
  /** Verdicts on the indexes' files. */
  readonly checked: Pick<
    CheckedIndexes,
    'isReadable' | 'isLocal' | 'noteRead' | 'whenReadable' | 'damagedFileCount'
  >;
  /** Current experimental features; must be read again in each request. */
  readonly features: Features;
  /** Current remote instances; must be read again in each request. */
  readonly network: Network;
  /** Second names of indexes. The pipeline has replaced aliases in paths. */
  readonly aliases: AliasTable;
  /** Current chat workspaces in order of uid; must be read again in each request. */
  readonly chats: readonly ChatWorkspace[];
  readonly chat: ChatParts;
  readonly remoteSearches: Pick<
    RemoteSearches,
    'federated' | 'facetSearch' | 'documents' | 'isAvailable'
  >;
  readonly keys: Pick<KeyRing, 'byUid' | 'byDigest' | 'byUidOrValue' | 'list' | 'valueOf'>;
  /** Tokens of an OpenID provider; null = none is configured. */
  readonly openid: Pick<OpenidTokens, 'isToken' | 'known' | 'verify'> | null;
  readonly guard: AuthRateLimiter;
  readonly rates: KeyRates;
  readonly queryPool: Pick<QueryPool, 'run'>;
  readonly responseCache: ResponseCache;
  readonly keptFingerprints: KeptFingerprints;
  readonly embedders: QueryEmbedders;
  /** Answers a message of the Model Context Protocol. */
  readonly answerMcp: (request: McpHttpRequest) => Promise<Response>;
  /** Reorders hits for a user; null = no service is configured. */
  readonly personalization: Pick<Personalization, 'apply'> | null;
  readonly rerankers: Pick<SearchRerankers, 'scores'>;
  readonly payloads: Payloads;
  /** Shared by all request bodies of this front. */
  readonly bodyMemory: BodyMemory;
  /** Budget of large answers, until clients have read them. */
  readonly answerMemory: BodyMemory;
  readonly config: ApiConfig;
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Milliseconds of a monotonic clock. */
    monotonic(): number;
  };
  readonly requestMetrics: Pick<RequestMetrics, 'ended'>;
  /** Counts usage; null = disabled. */
  readonly usage: Pick<UsageFigures, 'ended'> | null;
  readonly metrics: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly logs: Pick<LogStreams, 'open'>;
  /** null = disabled. */
  readonly searchPage: PageFiles | null;
  readonly documentation: PageFiles;
  readonly backups: BackupDownloads;
  /** null = off. */
  readonly analytics: SearchAnalytics | null;
  /** null = off. */
  readonly audit: AuditLog | null;
  /** null = off. */
  readonly traces: Traces | null;
  /** The index of the documentation, opened at the first call; null where there is no build. */
  documentationIndex(): PublishedIndex | null;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled' | 'for'>;
}
