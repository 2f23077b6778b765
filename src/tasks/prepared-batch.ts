/** What a batch works with and what it yields; the ways a task can end. */
import type { CatalogChange, IndexCatalog } from '../catalog/index-catalog.ts';
import { toEnvelope, toWire, type WireError } from '../core/errors.ts';
import { toStorageError } from '../storage/io-errors.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import type { IndexWriterPort, IndexWriters } from './index-writers.ts';
import type { BatchTask } from './select-batch.ts';
import { type Details, withoutCounts } from './task-content.ts';
import type { TaskChange, TaskOutcome, TaskStore } from './task-store.ts';

export interface BatchContext {
  readonly tasks: TaskStore;
  readonly catalog: IndexCatalog;
  readonly writers: IndexWriters;
  readonly payloads: Pick<PayloadStore, 'pathOf' | 'sizeOf'>;
  /** Date for the indexes that the batch changes. */
  readonly nowText: string;
  /** Hears of what is no expected failure: a bug or a fault of the machine. */
  readonly onFault: (error: unknown) => void;
}

export interface PreparedBatch {
  /** How each task ends, those canceled by the batch included. */
  readonly outcomes: readonly TaskOutcome[];
  readonly catalog: CatalogChange;
  /** Further changes of the task list. */
  readonly changeTasks?: (change: TaskChange) => void;
  /** What a writer prepared: without a commit it is to be thrown away. */
  readonly written?: WrittenSegments;
}

export interface WrittenSegments {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  /** Names of the files written for the change. */
  readonly fileNames: readonly string[];
}

/** The error as tasks show it; one that nobody expected is also reported to `onFault`. */
export function toTaskError(error: unknown, { onFault }: Pick<BatchContext, 'onFault'>): WireError {
  const known = toStorageError(error);
  const wire = toWire(known);
  if (wire.code === 'internal' || known !== error) onFault(error);
  return wire;
}

export function succeeded({ uid, stored }: BatchTask, results: Details): TaskOutcome {
  return { uid, status: 'succeeded', details: { ...stored.details, ...results }, error: null };
}

export function failed({ uid, stored }: BatchTask, error: WireError): TaskOutcome {
  return { uid, status: 'failed', details: withoutCounts(stored.details), error: toEnvelope(error) };
}
