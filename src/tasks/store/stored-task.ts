/** The stored record of a task; large content has a key of its own. */
import type { ErrorEnvelope } from '../../core/errors.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import type { TaskType } from '../../model/task.ts';

export type Details = Readonly<Record<string, unknown>>;

/**
 * Content in the task's payload key or in a spool file. `bytes` counts against the size limit of
 * batches.
 */
export type ContentPlace =
  | { readonly kind: 'beside'; readonly bytes: number }
  | ({ readonly kind: 'file' } & StoredPayload);

/** The work of a task; each kind adds members (kinds/). Plain JSON. */
export interface TaskWork {
  readonly type: TaskType;
  readonly content?: ContentPlace | null;
}

/** The record of a task without its row in the task table. */
export interface StoredTask {
  /** null once the task is finished. */
  readonly work: TaskWork | null;
  readonly details: Details;
  readonly error: ErrorEnvelope | null;
  readonly customMetadata?: string;
}

export interface NewTask {
  readonly type: TaskType;
  readonly indexUid: string | null;
  readonly otherUids: readonly string[];
  readonly stored: StoredTask;
  /** Value for the task's payload key; null = none. */
  readonly contentBytes: Uint8Array | null;
}
