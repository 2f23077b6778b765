/** What route handlers may use; the composition root of the front supplies all of it. No storage exists here. */
import type { KeyRing } from '../auth/key-ring.ts';
import type { Caller } from '../core/caller.ts';
import type { IndexerRequests } from '../ipc/indexer-protocol.ts';
import type { QueryReply, QueryTask } from '../ipc/query-protocol.ts';
import type { Features } from '../model/features.ts';
import type { IndexManifest } from '../model/index-manifest.ts';
import type { PayloadFormat, PayloadRef } from '../model/task.ts';

/** The indexer as routes see it. Rejects with `ApiError`. */
export interface Indexer {
  request<Name extends keyof IndexerRequests>(
    name: Name,
    argument: IndexerRequests[Name][0],
  ): Promise<IndexerRequests[Name][1]>;
}

export interface PublishedIndex {
  readonly manifest: IndexManifest;
  /** `encodeManifest` bytes. */
  readonly shared: SharedArrayBuffer;
  /** `<index id>:<generation>`. */
  readonly key: string;
}

/** The newest published generation of each index, kept up to date by events. */
export interface PublishedIndexes {
  get(uid: string): PublishedIndex | undefined;
  /** Ascending by uid. */
  list(): readonly PublishedIndex[];
}

export interface QueryPool {
  /** Rejects with `ApiError` `too_many_search_requests` when the queue is full. */
  run(task: QueryTask, caller: Caller): Promise<QueryReply>;
}

export interface PayloadOptions {
  readonly format: PayloadFormat | 'csv';
  /** One ASCII character; used with `csv` only. */
  readonly csvDelimiter: string;
}

/** A payload whose syntax has been checked: JSON or NDJSON, whatever it was sent as. */
export interface CheckedPayload {
  readonly payload: PayloadRef;
  readonly format: PayloadFormat;
  readonly documentCount: number;
}

/** A file that grows while the upload arrives. After `finish` or `abort` it takes nothing more; one that fails its check is removed. */
export interface PayloadSpool {
  /** Synchronous: `chunk` may be reused after the call. */
  write(chunk: Uint8Array): void;
  /** The bytes are checked and on disk when this resolves. */
  finish(options: PayloadOptions): Promise<CheckedPayload>;
  abort(): void;
}

/** Checks throw or reject with `ApiError` `malformed_payload`. */
export interface Payloads {
  checkInline(bytes: Uint8Array, options: PayloadOptions): CheckedPayload | Promise<CheckedPayload>;
  createSpool(): PayloadSpool;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
}

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}

export interface ApiConfig {
  /** null = every route is open. */
  readonly masterKey: string | null;
  readonly payloadBytesMax: number;
  readonly version: { readonly commitSha: string; readonly commitDate: string; readonly pkgVersion: string };
}

export interface ApiContext {
  readonly indexer: Indexer;
  readonly indexes: PublishedIndexes;
  /** Experimental features as they are now: read it anew in each request. */
  readonly features: Features;
  readonly keys: Pick<KeyRing, 'byUid' | 'byValue' | 'byUidOrValue' | 'list' | 'valueOf'>;
  readonly queryPool: QueryPool;
  readonly payloads: Payloads;
  readonly config: ApiConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}
