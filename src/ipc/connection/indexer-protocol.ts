/**
 * Messages between a front and the indexer: one map of requests (name → [argument, reply]) and one
 * of events.
 */

import type { Alias } from '../../model/alias.ts';
import type { AnalyticsBatch } from '../../model/analytics.ts';
import type { ApiKey, ApiKeyChange, ApiKeyDraft, ApiKeyRotation } from '../../model/api-key.ts';
import type { ChatWorkspace } from '../../model/chat-workspace.ts';
import type { Features, FeaturesUpdate } from '../../model/features.ts';
import type { InstanceState } from '../../model/instance-state.ts';
import type { Network } from '../../model/network.ts';
import type { ChatWorkspaceUpdate } from '../../model/schemas/chat-schema.ts';
import type { NetworkUpdate } from '../../model/schemas/network-schema.ts';
import type { SearchRule } from '../../model/search-rule.ts';
import type { Changed } from '../../model/secret-origin.ts';
import type {
  BatchRecord,
  Changes,
  ChangesQuery,
  CursorPage,
  EnqueueParameters,
  PendingPayload,
  SummarizedTask,
  TaskDraft,
  TaskPageQuery,
  TaskRecord,
} from '../../model/task.ts';
import type { TelemetryPreview, UsageReport } from '../../model/usage-report.ts';
import type { Deliveries, Webhook, WebhookChange } from '../../model/webhook.ts';
import type { LogLine } from '../../observability/logger.ts';
import type { Metric, WrittenMetric } from '../../observability/metric.ts';

/**
 * Raised whenever a message changes shape; both sides send theirs first and disconnect when they
 * differ.
 */
export const PROTOCOL_VERSION = 26;

/**
 * Arguments and replies are JSON data; a payload goes through the spool folder or inline as base64
 * (≤ 64 KB).
 */
export interface IndexerRequests {
  /** Replies when the task is durable. */
  enqueue: [TaskDraft & EnqueueParameters, SummarizedTask];
  listTasks: [TaskPageQuery, CursorPage<TaskRecord>];
  getTask: [{ uid: number }, TaskRecord | null];
  /** Replies true when this node shows the task as ended, and false after `waitMs`. */
  waitForTask: [{ uid: number; waitMs: number }, boolean];
  listBatches: [TaskPageQuery, CursorPage<BatchRecord>];
  getBatch: [{ uid: number }, BatchRecord | null];
  /** The documents of a task; null when it has none or has been processed. */
  getPayload: [{ uid: number }, PendingPayload | null];
  /**
   * Changes after a position in the change log. Replies when there are changes, or after some
   * seconds. Without a position: replies at once with the end of the log.
   */
  watchTasks: [ChangesQuery, Changes<TaskRecord>];
  watchBatches: [ChangesQuery, Changes<BatchRecord>];
  /** State of the instance that only the indexer has: sizes and the index being written. */
  instanceStats: [
    Record<string, never>,
    { databaseSize: number; usedDatabaseSize: number; indexing: readonly string[] },
  ];
  indexingNow: [Record<string, never>, { indexing: readonly string[] }];
  /** A request waits for the file check of this index, so its files are checked next. */
  checkFirst: [{ indexId: number }, null];
  /** Compacts the task database; replies with its sizes in bytes. */
  compactTasks: [Record<string, never>, { bytesBefore: number; bytesAfter: number }];
  /** Replies with the new state when the change is durable; the event about it is sent before. */
  updateFeatures: [FeaturesUpdate, Features];
  updateNetwork: [NetworkUpdate, Changed<Network>];
  /** Alias changes reply when they are durable and every connected front applies them. */
  putAlias: [{ name: string; indexUid: string }, Alias];
  deleteAlias: [{ name: string }, null];
  /** Key changes reply when they are durable and every connected front applies them. */
  createKey: [ApiKeyDraft, ApiKey];
  updateKey: [ApiKeyChange, ApiKey];
  deleteKey: [{ uid: string }, null];
  rotateKey: [ApiKeyRotation, { replaced: ApiKey; created: ApiKey }];
  /** Chat workspace changes reply when they are durable and every connected front applies them. */
  updateChat: [{ uid: string; update: ChatWorkspaceUpdate }, Changed<ChatWorkspace>];
  resetChat: [{ uid: string }, ChatWorkspace];
  deleteChat: [{ uid: string }, null];
  /** Webhooks with their secrets. */
  listWebhooks: [Record<string, never>, readonly Webhook[]];
  getWebhook: [{ uuid: string }, Webhook];
  getDeliveries: [{ uuid: string }, Deliveries];
  /** Webhook changes reply when they are durable and deliveries use them. */
  createWebhook: [Webhook, Webhook];
  updateWebhook: [WebhookChange, Changed<Webhook>];
  deleteWebhook: [{ uuid: string }, null];
  /** Metrics of the indexer and of every connected front, one entry a process. */
  metrics: [Record<string, never>, readonly (readonly (Metric | WrittenMetric)[])[]];
  /** Usage figures for the next telemetry report. */
  previewTelemetry: [Record<string, never>, TelemetryPreview];
  /** Replies when the searches and events survive the end of the indexer. */
  addAnalytics: [AnalyticsBatch, null];
  /** Streams the indexer's log lines to this front; refused while another stream is open. */
  openLogStream: [{ levels: string }, null];
  closeLogStream: [Record<string, never>, null];
  /** Log levels of all processes until their restart, as text. */
  setLogLevels: [{ levels: string }, null];
  /**
   * The front has switched to these generations. Older files may be removed once all fronts have
   * switched.
   */
  acknowledge: [{ indexId: number; generation: number }, null];
}

export interface FrontState extends InstanceState {
  /**
   * Which node writes, of a store that several nodes read. `url` is the node's address, for requests
   * that write; null = there is no writer, or the data is in the folder of this node.
   */
  readonly writer: { readonly isHere: boolean; readonly url: string | null };
}

/** Sent by the indexer. After connecting, `stateChanged` with all members, one `keyPublished` for each key,
 *  one `searchRulePublished` for each rule, one `indexPublished` for each index,
 *  one `indexChecked` for each whose files have been read, and then `ready`. An event about a commit is
 *  always sent before any reply that shows the commit's task as finished, so a client reads its own writes. */
export interface IndexerEvents {
  ready: Record<string, never>;
  /** The members that have changed. */
  stateChanged: Partial<FrontState>;
  /** `manifest` is `encodeManifest` text. */
  indexPublished: { manifest: string };
  indexRemoved: { uid: string; indexId: number };
  /**
   * All files of the index have been read; `damage` lists the damaged files with the reason.
   * `isLocal` false: they are only in the object store, and `checkFirst` fetches them.
   */
  indexChecked: { indexId: number; damage: readonly string[]; isLocal?: false };
  keyPublished: ApiKey;
  keyRemoved: { uid: string };
  searchRulePublished: SearchRule;
  searchRulesRemoved: { uids: readonly string[] };
  /** To the front that streams the log. */
  logLine: { line: LogLine };
  logStreamEnded: Record<string, never>;
  logLevelsChanged: { levels: string };
}

/** Requests that the indexer sends to a front. */
export interface FrontRequests {
  /** Replies when all earlier events have been applied. */
  settle: [Record<string, never>, null];
  /** Indexes that were read since the last request. */
  takeReadIndexes: [Record<string, never>, readonly number[]];
  metrics: [Record<string, never>, readonly Metric[]];
  /** Usage figures of the front since the last request. */
  takeUsage: [Record<string, never>, UsageReport];
}
