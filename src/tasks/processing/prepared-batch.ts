/** The context of a batch, its use of an index writer, and its result before the commit. */
import type { CatalogChange, IndexCatalog } from '../../catalog/index-catalog.ts';
import type { SearchRuleStore, SearchRulesChange } from '../../catalog/search-rule-store.ts';
import { toWire, type WireError } from '../../core/errors.ts';
import type { Exporter } from '../../export/exporter.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import { toStorageError } from '../../storage/files/io-errors.ts';
import { ObjectStoreError } from '../../storage/object-store/object-store.ts';
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
  /** `updatedAt` for the indexes that the batch changes. */
  readonly nowText: string;
  readonly backups: Backups;
  readonly exporter: Pick<Exporter, 'run'>;
  /** Runs `work` while no batch or merge is being committed. */
  readonly betweenCommits: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Receives unexpected failures: bugs and faults of the machine. */
  readonly onFault: (error: unknown) => void;
}

/** Creates backups of the instance's state at one moment. */
export interface Backups {
  /**
   * Resolves, when the state is held, to a function that writes the dump and resolves to its uid.
   */
  dump(batch: BackupBatch): Promise<() => Promise<string>>;
  /** Resolves, when the state is held, to a function that writes the snapshot. */
  snapshot(batch: BackupBatch): Promise<() => Promise<void>>;
}

/** The batch of a backup; the backup shows its tasks as succeeded. */
export interface BackupBatch {
  readonly taskUids: readonly number[];
  readonly batchUid: number;
  readonly startedAt: number;
  readonly progress: BatchProgress;
}

export interface PreparedBatch {
  /** Outcomes of all tasks, including tasks canceled by the batch. */
  readonly outcomes: readonly TaskOutcome[];
  readonly catalog: CatalogChange;
  readonly searchRules?: SearchRulesChange;
  /** Further changes of the task list; called in the commit, while no other batch commits. */
  readonly changeTasks?: (change: TaskChange) => void | Promise<void>;
  /** One document or one settings change failed: several tasks are retried in smaller batches. */
  readonly isToBeSplit?: boolean;
  /** Written segments; must be discarded without a commit. */
  readonly written?: WrittenSegments;
}

interface WrittenSegments {
  readonly indexId: number;
  readonly writer: IndexWriterPort;
  /** Prefixes of the names of the written files. */
  readonly changeIds: readonly string[];
  /** Must be called after commit or discard; the files stay on the disk until then. */
  readonly release: () => void;
}

/** The error as tasks show it; an unexpected error is also reported to `onFault`. */
export function toTaskError(error: unknown, { onFault }: Pick<BatchContext, 'onFault'>): WireError {
  // The next process tries again: the tasks are not at fault.
  if (error instanceof ObjectStoreError) throw error;
  const known = toStorageError(error);
  const wire = toWire(known);
  if (wire.code === 'internal' || known !== error) onFault(error);
  return wire;
}

/** Drops the writer after a failure, because it may hold half a change. */
export async function withWriter<T extends { readonly changeIds: readonly string[] }>(
  uid: string,
  catalog: CatalogChange,
  { writers }: Pick<BatchContext, 'writers'>,
  action: (writer: IndexWriterPort) => Promise<T>,
): Promise<{ readonly change: T; readonly written: WrittenSegments }> {
  const index = catalog.must(uid);
  let release = (): void => undefined;
  try {
    const acquired = await writers.acquire(index);
    release = acquired.release;
    const change = await action(acquired.writer);
    const { changeIds } = change;
    return { change, written: { indexId: index.id, ...acquired, changeIds } };
  } catch (error) {
    writers.drop(index.id);
    release();
    throw error;
  }
}
