/** The record of a task as it is stored; large contents are kept beside it. */
import type { ErrorEnvelope } from '../../core/errors.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import type { TaskType } from '../../model/task.ts';

export type Details = Readonly<Record<string, unknown>>;

/**
 * `beside`: the bytes are the value of the task's payload key. `bytes` counts against the size
 * limit of batches.
 */
export type ContentPlace =
  | { readonly kind: 'beside'; readonly bytes: number }
  | ({ readonly kind: 'file' } & StoredPayload);

/** What a task asks for; each kind adds members of its own (kinds/). Plain JSON. */
export interface TaskWork {
  readonly type: TaskType;
  readonly content?: ContentPlace | null;
}

/** The record of a task apart from its row in the task table. */
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
  /** Further indexes it touches: those of a swap, the new uid of a rename. */
  readonly otherUids: readonly string[];
  readonly stored: StoredTask;
  /** Content to keep beside the record. */
  readonly beside: Uint8Array | null;
}
