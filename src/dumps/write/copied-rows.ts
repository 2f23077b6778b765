/** The database of a snapshot: its entries, and what they show of the tasks that make the snapshot. */
import { throwIfDamaged } from '../../core/errors.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import { decodeKey } from '../../storage/database/key-encoding.ts';
import type { Entry, WriteOperation } from '../../storage/database/key-value-store.ts';
import type { BackupBatch } from '../../tasks/processing/prepared-batch.ts';
import { taskWrites } from '../../tasks/store/task-store.ts';
import type { TaskRow } from '../../tasks/store/task-table.ts';
import { isWaiting, tasksInStore } from '../../tasks/store/tasks-in-store.ts';
import type { Backup } from './held-state.ts';

export interface CopiedRows {
  /** In the order of their keys. @throws BatchCanceled */
  readonly entries: AsyncIterable<Entry>;
  /** Payload files of the enqueued tasks. */
  readonly waiting: readonly StoredPayload[];
}

/** @throws ApiError if files of an index are damaged */
export async function copiedRows({ state, batch, damageOf, clock }: Backup): Promise<CopiedRows> {
  const { view, manifests } = state;
  for (const { uid, id } of manifests)
    throwIfDamaged(uid, damageOf(id), ' and cannot be part of a snapshot');
  const { taskUids, startedAt, progress } = batch;
  progress.begin('copying the database');
  const finished = { startedAt, finishedAt: clock(), status: 'succeeded' } as const;
  const waiting: StoredPayload[] = [];
  const changes: WriteOperation[] = [];
  const isOwn = ({ uid }: TaskRow) => taskUids.includes(uid);
  const isWanted = (row: TaskRow) => isWaiting(row) || isOwn(row);
  for await (const { row, stored } of tasksInStore(view, isWanted)) {
    const content = stored.work?.content;
    if (content?.kind === 'file') waiting.push(content);
    if (isOwn(row))
      changes.push(...taskWrites({ ...row, ...finished }, { ...stored, work: null }, null));
  }
  return { entries: counted(withChanges(view.iterate({}), changes), progress), waiting };
}

async function* counted(
  entries: AsyncIterable<Entry>,
  progress: BackupBatch['progress'],
): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    progress.throwIfCanceled();
    progress.advance();
    yield entry;
  }
}

/** False for the keys of crash-loop notes, which are about this process only. */
function isCopied(key: Uint8Array): boolean {
  const [table, name] = decodeKey(key);
  return !(table === 'meta' && (name === 'attempt' || name === 'attemptBeside'));
}

/** The entries that a copy has, in the order of their keys; every changed key must exist. */
export async function* withChanges(
  entries: AsyncIterable<Entry>,
  changes: readonly WriteOperation[],
): AsyncGenerator<Entry> {
  const changed = new Map(changes.map((change) => [textOf(change.key), change]));
  for await (const entry of entries) {
    if (!isCopied(entry.key)) continue;
    const change = changed.get(textOf(entry.key));
    if (change?.kind !== 'delete') yield change ?? entry;
  }
}

const textOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1');
