/**
 * What route handlers may use; the composition root of the front supplies all of it. No storage
 * exists here.
 */

import type { AuthRateLimiter } from '../../auth/auth-rate-limiter.ts';
import type { KeyRates } from '../../auth/key-rates.ts';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { ChatFigures } from '../../chat/chat-figures.ts';
import type { ChatLimits } from '../../chat/chat-limits.ts';
import type { ChatPlaces } from '../../chat/chat-places.ts';
import type { QueryInput } from '../../embedding/embedder.ts';
import type { SendRequest } from '../../http-client/outgoing-http.ts';
import type { IndexerRequests } from '../../ipc/connection/indexer-protocol.ts';
import type { QueryPool } from '../../ipc/queries/query-pool.ts';
import type { CheckedIndexes } from '../../ipc/replica/checked-indexes.ts';
import type { PublishedIndexes } from '../../ipc/replica/published-indexes.ts';
import type { PublishedRules } from '../../ipc/replica/published-rules.ts';
import type { ChatWorkspace } from '../../model/chat-workspace.ts';
import type { Features } from '../../model/features.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';
import type { Network } from '../../model/network.ts';
import type { PayloadFormat, PayloadRef } from '../../model/task.ts';
import type { CheckedPayload, UploadOptions } from '../../model/upload.ts';
import type { RemoteSearches } from '../../network/remote-searches.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';
import type { RequestFigures } from '../../observability/request-figures.ts';
import type { Personalization } from '../../rerank/personalization.ts';
import type { UsageFigures } from '../../telemetry/usage-figures.ts';
import type { BodyMemory } from './body-memory.ts';
import type { LogStreams } from './log-stream.ts';
import type { PageFiles } from './page-file.ts';
import type { ResponseCache } from './response-cache.ts';

/** The indexer as routes see it. Rejects with `ApiError`. */
export interface Indexer {
  /** Whether indexes and keys are known; once so, also while the indexer is away. */
  readonly isInitialised: boolean;
  request<Name extends keyof IndexerRequests>(
    name: Name,
    argument: IndexerRequests[Name][0],
  ): Promise<IndexerRequests[Name][1]>;
}

/** An upload that has been checked and, if it is a file, is on disk. */
export interface StoredUpload extends CheckedPayload {
  readonly payload: PayloadRef;
}

/**
 * A file that grows while the upload arrives. After `finish` or `abort` it takes nothing more; one
 * that fails its check is removed.
 */
export interface PayloadSpool {
  /** Synchronous: `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void;
  /** The bytes are checked and on disk when this resolves. */
  finish(options: UploadOptions): Promise<StoredUpload>;
  abort(): void;
}

/** Checks throw or reject with `ApiError` `malformed_payload`. */
export interface Payloads {
  /** NDJSON of the documents of a stored payload; null when its file is gone. */
  readDocuments(payload: PayloadRef, format: PayloadFormat): AsyncIterable<Uint8Array> | null;
  checkInline(bytes: Uint8Array, options: UploadOptions): StoredUpload | Promise<StoredUpload>;
  createSpool(): PayloadSpool;
}

export interface ApiConfig {
  /** null = every route is open. */
  readonly masterKey: string | null;
  /** Accepted beside it; null = none is. */
  readonly formerMasterKey: string | null;
  /** Of tenant tokens: those with unknown members or empty filters are accepted. */
  readonly allowLooseTenantRules: boolean;
  /** Answers mask the values of API keys that allow more than the key of the request. */
  readonly maskStrongerKeys: boolean;
  readonly payloadBytesMax: number;
  /** Of all work for one request that reads indexes, from its arrival. */
  readonly searchTimeoutMs: number;
  readonly multiSearchQueriesMax: number;
  /** Of what query threads write for one request, in all. */
  readonly answerBytesMax: number;
  /** From so long on a search is logged; 0 = never. */
  readonly slowSearchMs: number;
  /** A size as launch options write them, such as `24MiB`, in bytes; NaN for what is none. */
  readonly parseSize: (text: string) => number;
  readonly version: {
    readonly commitSha: string;
    readonly commitDate: string;
    readonly pkgVersion: string;
  };
}

/** Turns words and media into vectors. Rejects with `ApiError` `vector_embedding_error`. */
export interface QueryEmbedders {
  /**
   * A vector of the embedder's dimensions.
   * @param isOptional the search is answered without it where there is an error
   */
  embedQuery(
    manifest: IndexManifest,
    embedder: string,
    query: QueryInput,
    isOptional: boolean,
  ): Promise<Float32Array>;
}

/** What chats are made with. */
export interface ChatParts {
  /** To providers. */
  readonly send: SendRequest;
  readonly places: Pick<ChatPlaces, 'take'>;
  readonly figures: ChatFigures;
  readonly limits: ChatLimits;
}

export interface ApiContext {
  readonly indexer: Indexer;
  readonly indexes: Pick<PublishedIndexes, 'get' | 'list'>;
  /** Of this instance; whether they act, `features` says. */
  readonly searchRules: Pick<PublishedRules, 'get' | 'list' | 'preparedFor'>;
  /** What is known of the indexes' files. */
  readonly checked: Pick<CheckedIndexes, 'isReadable' | 'whenReadable' | 'damagedFileCount'>;
  /** Experimental features as they are now: read it anew in each request. */
  readonly features: Features;
  /** The other instances that searches may ask; as `features`. */
  readonly network: Network;
  /** Workspaces of chats, in order of uid; as `features`. */
  readonly chats: readonly ChatWorkspace[];
  readonly chat: ChatParts;
  readonly remoteSearches: Pick<
    RemoteSearches,
    'federated' | 'facetSearch' | 'documents' | 'isAvailable'
  >;
  readonly keys: Pick<KeyRing, 'byUid' | 'byValue' | 'byUidOrValue' | 'list' | 'valueOf'>;
  /** Counts wrong keys. */
  readonly guard: AuthRateLimiter;
  /** Counts what keys ask. */
  readonly rates: KeyRates;
  readonly queryPool: Pick<QueryPool, 'run'>;
  /** Of searches asked before. */
  readonly responseCache: ResponseCache;
  readonly embedders: QueryEmbedders;
  /** Orders hits for a user; null = no service does. */
  readonly personalization: Pick<Personalization, 'apply'> | null;
  readonly payloads: Payloads;
  /** Shared by the bodies of all requests of this front. */
  readonly bodyMemory: BodyMemory;
  /** Budget of large answers, until clients have read them. */
  readonly answerMemory: BodyMemory;
  readonly config: ApiConfig;
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Milliseconds of a clock that never goes back. */
    monotonic(): number;
  };
  /** Counts what the pipeline answers. */
  readonly requestFigures: Pick<RequestFigures, 'ended'>;
  /** Counts what the instance is used for; null = nobody does. */
  readonly usage: Pick<UsageFigures, 'ended'> | null;
  /** What this front has counted. */
  readonly metrics: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly logs: Pick<LogStreams, 'open'>;
  /** Null = it is not served. */
  readonly searchPage: PageFiles | null;
  readonly documentation: PageFiles;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled' | 'for'>;
}
