/**
 * Task and batch records as the API shows them, and task drafts that fronts send to the indexer.
 */
import type { ErrorEnvelope } from '../core/errors.ts';
import type { StoredPayload } from '../core/stored-payload.ts';
import type { EmbedderRequests } from './batch-progress.ts';
import type { ExportRequest } from './export.ts';
import type { SearchRuleBody } from './schemas/search-rule-schema.ts';
import type { SEARCH_RULES_UID } from './search-rule.ts';
import type { SettingsUpdate } from './settings.ts';

/** Uids of tasks and batches have 32 bits. */
export const TASK_UID_MAX = 2 ** 32 - 1;

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_TYPES = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'indexCompaction',
  'networkTopologyChange',
  'dsrUpdate',
  'dsrClear',
  'indexBranch',
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** Location of a document payload: inside the message, or in a synced file of the spool folder. */
export type PayloadRef =
  | { readonly kind: 'inline'; readonly base64: string }
  | ({ readonly kind: 'file' } & StoredPayload);

/** Format of a stored payload: checked JSON; the front converts CSV to NDJSON. */
export type PayloadFormat = 'json' | 'ndjson';

/** Of the request that enqueues a task. */
export interface EnqueueParameters {
  /** W3C header of the span of the request; absent = it is not traced. */
  readonly traceparent?: string;
  /** Uid of the task, at least the next one. Later tasks get greater uids. */
  readonly taskUid?: number;
  /** True: the task is checked and answered, but not stored. */
  readonly isDryRun?: boolean;
}

/** A write before it is enqueued. The indexer adds dates, uids and results. */
export type TaskDraft = { readonly customMetadata?: string } & (
  | {
      readonly type: 'documentAdditionOrUpdate';
      readonly indexUid: string;
      readonly method: 'replace' | 'update';
      readonly primaryKey: string | null;
      readonly skipCreation: boolean;
      readonly payload: PayloadRef;
      readonly format: PayloadFormat;
      readonly documentCount: number;
      readonly allowIndexCreation: boolean;
    }
  | { readonly type: 'documentDeletion'; readonly indexUid: string; readonly by: DocumentSelection }
  | ({ readonly type: 'documentEdition'; readonly indexUid: string } & DocumentEdit)
  | {
      readonly type: 'settingsUpdate';
      readonly indexUid: string;
      /** Validated; null members reset. */
      readonly settings: SettingsUpdate;
      /** True for a DELETE, which never creates the index. */
      readonly isReset: boolean;
      readonly allowIndexCreation: boolean;
    }
  | {
      readonly type: 'indexCreation';
      readonly indexUid: string;
      readonly primaryKey: string | null;
    }
  | {
      readonly type: 'indexBranch';
      /** Name of the new index. */
      readonly indexUid: string;
      /** Name of the index that is copied. */
      readonly source: string;
      /** Absent = the branch keeps the settings of the source. */
      readonly settings?: SettingsUpdate;
    }
  | {
      readonly type: 'indexUpdate';
      readonly indexUid: string;
      readonly primaryKey: string | null;
      readonly newUid: string | null;
    }
  | { readonly type: 'indexDeletion'; readonly indexUid: string }
  | { readonly type: 'indexCompaction'; readonly indexUid: string }
  | {
      readonly type: 'indexSwap';
      readonly swaps: readonly {
        readonly indexes: readonly [string, string];
        readonly rename: boolean;
      }[];
    }
  | { readonly type: 'snapshotCreation' }
  | {
      readonly type: 'upgradeDatabase';
      /** Versions, for example `v0.1.0`. */
      readonly upgradeFrom: string;
      readonly upgradeTo: string;
    }
  | { readonly type: 'dumpCreation' }
  | {
      readonly type: 'export';
      readonly request: ExportRequest;
      /** As given. */
      readonly payloadSize: string | null;
    }
  | { readonly type: 'taskCancelation'; readonly query: TaskQuery; readonly originalFilter: string }
  | { readonly type: 'taskDeletion'; readonly query: TaskQuery; readonly originalFilter: string }
  | {
      readonly type: 'dsrUpdate';
      readonly indexUid: typeof SEARCH_RULES_UID;
      /** Uid of the rule. */
      readonly uid: string;
      /** null deletes the rule. */
      readonly update: SearchRuleBody | null;
    }
  | { readonly type: 'dsrClear'; readonly indexUid: typeof SEARCH_RULES_UID }
);

export type DocumentSelection =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** JSON form of a syntactically checked filter. */
  | { readonly kind: 'filter'; readonly filter: unknown }
  | { readonly kind: 'all' };

/** A function that edits documents; function and filter were compiled once as a check. */
export interface DocumentEdit {
  readonly function: string;
  /** JSON form of a filter; null = all documents. */
  readonly filter: unknown;
  readonly context: Readonly<Record<string, unknown>> | null;
}

export interface SummarizedTask {
  readonly taskUid: number;
  readonly indexUid: string | null;
  readonly status: 'enqueued';
  readonly type: TaskType;
  readonly enqueuedAt: string;
  readonly customMetadata?: string;
}

export interface TaskRecord {
  readonly uid: number;
  readonly batchUid: number | null;
  readonly indexUid: string | null;
  readonly status: TaskStatus;
  readonly type: TaskType;
  readonly canceledBy: number | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly error: ErrorEnvelope | null;
  /** ISO 8601 duration. */
  readonly duration: string | null;
  /** RFC 3339, UTC. */
  readonly enqueuedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly customMetadata?: string;
}

export interface BatchRecord {
  readonly uid: number;
  readonly progress: null | {
    readonly steps: readonly {
      readonly currentStep: string;
      readonly finished: number;
      readonly total: number;
    }[];
    readonly percentage: number;
  };
  readonly details: Readonly<Record<string, unknown>>;
  readonly stats: {
    readonly totalNbTasks: number;
    readonly status: Readonly<Record<string, number>>;
    readonly types: Readonly<Record<string, number>>;
    readonly indexUids: Readonly<Record<string, number>>;
    readonly progressTrace?: Readonly<Record<string, string>>;
    readonly embedderRequests?: EmbedderRequests;
  };
  readonly duration: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly batchStrategy: string;
}

/**
 * Filters of the task and batch lists; absent members do not restrict. Dates are microseconds since
 * 1970, exclusive.
 */
export interface TaskQuery {
  readonly uids?: readonly number[];
  readonly batchUids?: readonly number[];
  readonly canceledBy?: readonly number[];
  readonly types?: readonly TaskType[];
  readonly statuses?: readonly TaskStatus[];
  readonly indexUids?: readonly string[];
  /** Patterns of index uids: tasks of other indexes or of no index do not match. */
  readonly indexScope?: readonly string[];
  readonly beforeEnqueuedAt?: number;
  readonly afterEnqueuedAt?: number;
  readonly beforeStartedAt?: number;
  readonly afterStartedAt?: number;
  readonly beforeFinishedAt?: number;
  readonly afterFinishedAt?: number;
}

export interface TaskPageQuery extends TaskQuery {
  readonly limit: number;
  readonly from: number | null;
  readonly reverse: boolean;
}

export interface PendingPayload {
  readonly payload: PayloadRef;
  readonly format: PayloadFormat;
}

export interface ChangesQuery {
  /** `next` of the previous answer; null = only later changes. */
  readonly after: number | null;
  /** Patterns of index uids, as in `TaskQuery`. */
  readonly indexScope?: readonly string[];
}

export interface Changes<T> {
  readonly records: readonly T[];
  readonly next: number;
}

export interface CursorPage<T> {
  readonly results: readonly T[];
  readonly total: number;
  readonly limit: number;
  readonly from: number | null;
  readonly next: number | null;
}
