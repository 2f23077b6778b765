/**
 * Messages between a front and the indexer: one map of requests (name → [argument, reply]) and one
 * of events.
 */

import type { ApiKey, ApiKeyChange, ApiKeyDraft, ApiKeyRotation } from '../../model/api-key.ts';
import type { ChatWorkspace } from '../../model/chat-workspace.ts';
import type { Features, FeaturesUpdate } from '../../model/features.ts';
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
  PendingPayload,
  SummarizedTask,
  TaskDraft,
  TaskPageQuery,
  TaskRecord,
} from '../../model/task.ts';
import type { TelemetryPreview, UsageReport } from '../../model/telemetry.ts';
import type { Deliveries, Webhook, WebhookChange } from '../../model/webhook.ts';
import type { LogLine } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';

/**
 * Raised whenever a message changes shape; both sides say theirs first and part when they differ.
 */
export const PROTOCOL_VERSION = 14;

/**
 * Only JSON data in arguments and replies; a payload goes through the spool folder or inline as
 * base64 (≤ 64 KB).
 */
export interface IndexerRequests {
  /** Replies when the task is durable. */
  enqueue: [TaskDraft, SummarizedTask];
  listTasks: [TaskPageQuery, CursorPage<TaskRecord>];
  getTask: [{ uid: number }, TaskRecord | null];
  listBatches: [TaskPageQuery, CursorPage<BatchRecord>];
  getBatch: [{ uid: number }, BatchRecord | null];
  /** The documents that a task brings; null when it brings none or has been processed. */
  getPayload: [{ uid: number }, PendingPayload | null];
  /**
   * What has changed after a place in the list of changes; replies when there is something, or
   * after some seconds. Without a place: the end of the list, at once.
   */
  watchTasks: [ChangesQuery, Changes<TaskRecord>];
  watchBatches: [ChangesQuery, Changes<BatchRecord>];
  /** What only the indexer knows of the instance: sizes and which index is being written. */
  instanceStats: [
    Record<string, never>,
    { databaseSize: number; usedDatabaseSize: number; indexing: readonly string[] },
  ];
  /** Which index is being written. */
  indexingNow: [Record<string, never>, { indexing: readonly string[] }];
  /** Somebody waits for the check of an index's files: it is the next one. */
  checkFirst: [{ indexId: number }, null];
  /** Gives the space of deleted records back; sizes of the database in bytes. */
  compactTasks: [Record<string, never>, { bytesBefore: number; bytesAfter: number }];
  /**
   * Replies when the change is durable, with the state after it; the event about it is sent before.
   */
  updateFeatures: [FeaturesUpdate, Features];
  /** As `updateFeatures`. */
  updateNetwork: [NetworkUpdate, Changed<Network>];
  /** Changes of keys reply when they are durable and every connected front acts by them. */
  createKey: [ApiKeyDraft, ApiKey];
  updateKey: [ApiKeyChange, ApiKey];
  deleteKey: [{ uid: string }, null];
  rotateKey: [ApiKeyRotation, { replaced: ApiKey; created: ApiKey }];
  /** Changes of chat workspaces reply when they are durable and every connected front acts by them. */
  updateChat: [{ uid: string; update: ChatWorkspaceUpdate }, Changed<ChatWorkspace>];
  resetChat: [{ uid: string }, ChatWorkspace];
  deleteChat: [{ uid: string }, null];
  /** Webhooks come with their secrets. */
  listWebhooks: [Record<string, never>, readonly Webhook[]];
  getWebhook: [{ uuid: string }, Webhook];
  getDeliveries: [{ uuid: string }, Deliveries];
  /** Changes of webhooks reply when they are durable and deliveries go by them. */
  createWebhook: [Webhook, Webhook];
  updateWebhook: [WebhookChange, Changed<Webhook>];
  deleteWebhook: [{ uuid: string }, null];
  /** What the indexer and every connected front have counted, each by itself. */
  metrics: [Record<string, never>, readonly (readonly Metric[])[]];
  /** Figures of usage that are told next. */
  previewTelemetry: [Record<string, never>, TelemetryPreview];
  /** Lines of the indexer go to this front from now on; refused while they go to one. */
  openLogStream: [{ levels: string }, null];
  closeLogStream: [Record<string, never>, null];
  /** Of all processes, until they start anew; levels as text. */
  setLogLevels: [{ levels: string }, null];
  /** The front has switched to these generations: older files may go once all fronts say so. */
  acknowledge: [{ indexId: number; generation: number }, null];
}

/** Sent by the indexer. After connecting, `featuresChanged`, `networkChanged`, `chatsChanged`, one `keyPublished` for each key,
 *  one `searchRulePublished` for each rule, one `indexPublished` for each index,
 *  one `indexChecked` for each whose files have been read, and then `ready`. An event about a commit is
 *  always sent before any reply that shows the commit's task as finished, so a client reads its own writes. */
export interface IndexerEvents {
  ready: Record<string, never>;
  /** Sequence number of the event just sent to all fronts; strictly increasing. */
  eventSeq: { seq: number };
  /** `manifest` is `encodeManifest` text. */
  indexPublished: { manifest: string };
  indexRemoved: { uid: string; indexId: number };
  /** All files of the index have been read; `damage` says what is wrong with which. */
  indexChecked: { indexId: number; damage: readonly string[] };
  featuresChanged: Features;
  networkChanged: Network;
  /** All of them, in order of uid, with their secrets. */
  chatsChanged: readonly ChatWorkspace[];
  keyPublished: ApiKey;
  keyRemoved: { uid: string };
  searchRulePublished: SearchRule;
  searchRulesRemoved: { uids: readonly string[] };
  /** To the front that streams the log. */
  logLine: { line: LogLine };
  logStreamEnded: Record<string, never>;
  logLevelsChanged: { levels: string };
}

/** Asked of a front. */
export interface FrontRequests {
  /** Replies when all events sent before have been acted on. */
  settle: [Record<string, never>, null];
  /** What the front has counted. */
  metrics: [Record<string, never>, readonly Metric[]];
  /** What the front has counted of usage since it was asked last. */
  takeUsage: [Record<string, never>, UsageReport];
}
