/** What a front's main thread and its serving threads ask and tell each other. */
import type { MessagePort } from 'node:worker_threads';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { LogLevels } from '../../observability/log-levels.ts';
import type { LogLine } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';
import type { QueryReply, QueryTask } from '../queries/query-protocol.ts';
import type { CheckedFile, PayloadCheckTask } from '../threads/payload-pool.ts';

/** By a serving thread. */
export interface MainRequests {
  /** `keyUid` says whose turn it takes while it waits. */
  search: [{ readonly task: QueryTask; readonly keyUid: string | null }, QueryReply];
  checkPayload: [PayloadCheckTask, CheckedFile];
  embed: [SearchEmbeddingTask, unknown];
  /** What the main thread has counted; nothing when another thread tells that. */
  metricsOfMain: [null, readonly Metric[]];
  /** What the main thread and all serving threads have counted. */
  metricsOfAll: [null, readonly Metric[]];
}

/**
 * Of the query threads, those that are started with the front: one for what is long, and one so that
 * what only turned out not to be short does not wait behind it.
 */
export const asideThreadsAtFirst = (queryThreads: number): number => Math.min(2, queryThreads);

/** A task of the embedding thread for a search. */
export interface SearchEmbeddingTask {
  readonly name: 'embed' | 'dimensions' | 'query';
  readonly task: { readonly settings: EmbedderSettings; readonly port: MessagePort };
}

/** By the main thread. */
export interface ServingRequests {
  metrics: [null, readonly Metric[]];
  /** Answers what was accepted, closes everything. */
  stop: [null, null];
}

/** To the main thread. */
export interface ServingNews {
  /** May be given connections: how the HTTP library knows the thread's share of the server. */
  joined: { readonly descriptor: unknown };
  /** Ends by a bug: gets no more connections, please. */
  faulted: { readonly error: string };
  /** Wants the lines that other threads log; null = no longer. */
  listen: LogLevels | null;
  logLine: LogLine;
  levelsChanged: LogLevels;
}

/** To a serving thread. */
export interface MainNews {
  /** It gets no more connections: it may end. */
  dismissed: null;
  listen: LogLevels | null;
  logLine: LogLine;
}

/** `workerData` of a serving thread. */
export interface ServingThreadData<Config> {
  readonly config: Config;
  /** Does what one thread should do for all. */
  readonly isFirst: boolean;
  /** Memory of `ThreadFigures`. */
  readonly figures: SharedArrayBuffer;
  /** Memory of `FrontProgress`. */
  readonly progress: SharedArrayBuffer;
  /** One i32: tasks that somebody asked for, of all threads. */
  readonly askedCount: SharedArrayBuffer;
  /** Memory of `GuessGuard` and `KeyRates`. */
  readonly guesses: SharedArrayBuffer;
  readonly keyRates: SharedArrayBuffer;
}
