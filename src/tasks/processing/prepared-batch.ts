/** What a batch works with and what it yields. */
import type { CatalogChange, IndexCatalog } from '../../catalog/index-catalog.ts';
import type { SearchRuleStore, SearchRulesChange } from '../../catalog/search-rule-store.ts';
import { toWire, type WireError } from '../../core/errors.ts';
import type { Exporter } from '../../export/exporter.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import { toStorageError } from '../../storage/files/io-errors.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { TaskChange, TaskOutcome, TaskStore } from '../store/task-store.ts';
import type { IndexWriterPort, IndexWriters } from './index-writers.ts';

export interface BatchContext {
  readonly batchUid: number;
  /** Microseconds. */
  readonly startedAt: number;
  readonly tasks: TaskStore;
  readonly catalog: IndexCatalog;
  readonly searchRules: Pick<SearchRuleStore, 'begin'>;
  readonly writers: IndexWriters;
  readonly payloads: Pick<PayloadStore, 'onDisk'>;
  readonly progress: BatchProgress;
  /** Date for the indexes that the batch changes. */
  readonly nowText: string;
  readonly backups: Backups;
  readonly exporter: Pick<Exporter, 'run'>;
  /** Does the work while no batch or merge is being committed. */
  readonly betweenCommits: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Receives what is no expected failure: a bug or a fault of the machine. */
  readonly onFault: (error: unknown) => void;
}

/** Copies of everything, made of one moment. */
export interface Backups {
  /** Resolves when the moment is held, with what writes it; that resolves with the dump's uid. */
  dump(batch: BackupBatch): Promise<() => Promise<string>>;
  /** The same for the snapshot of the data folder. */
  snapshot(batch: BackupBatch): Promise<() => Promise<void>>;
}

/** The batch that makes a backup, whose tasks are done in it. */
export interface BackupBatch {
  readonly taskUids: readonly number[];
  readonly batchUid: number;
  readonly startedAt: number;
  readonly progress: BatchProgress;
}

export interface PreparedBatch {
  /** How each task ends, those canceled by the batch included. */
  readonly outcomes: readonly TaskOutcome[];
  readonly catalog: CatalogChange;
  readonly searchRules?: SearchRulesChange;
  /** Further changes of the task list. */
  readonly changeTasks?: (change: TaskChange) => void;
  /** One document or change fails it: of several tasks, the others are to be tried without it. */
  readonly isToBeSplit?: boolean;
  /** What a writer prepared: without a commit it is to be thrown away. */
  readonly written?: WrittenSegments;
}

export interface WrittenSegments {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  /** They begin the names of the files that were written. */
  readonly changeIds: readonly string[];
  /** To be called when the change is committed or discarded: the writer stays open until then. */
  readonly release: () => void;
}

/** The error as tasks show it; one that nobody expected is also reported to `onFault`. */
export function toTaskError(error: unknown, { onFault }: Pick<BatchContext, 'onFault'>): WireError {
  const known = toStorageError(error);
  const wire = toWire(known);
  if (wire.code === 'internal' || known !== error) onFault(error);
  return wire;
}
