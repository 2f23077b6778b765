/** Which entries of the database a snapshot has, and what it shows of the tasks that made it. */
import type { StoredPayload } from '../../core/stored-payload.ts';
import { decodeKey } from '../../storage/database/key-encoding.ts';
import type { KeyValueReader, WriteOperation } from '../../storage/database/key-value-store.ts';
import type { BackupBatch } from '../../tasks/processing/prepared-batch.ts';
import { taskWrites } from '../../tasks/store/task-store.ts';
import type { TaskRow } from '../../tasks/store/task-table.ts';
import { isWaiting, tasksInStore } from '../../tasks/store/tasks-in-store.ts';

export interface CopiedTasks {
  /** Payload files of the enqueued tasks. */
  readonly waiting: readonly StoredPayload[];
  /** Entries that replace those of the database: in the copy, the snapshot tasks have succeeded. */
  readonly changes: readonly WriteOperation[];
}

/** False for the keys of crash-loop notes, which are about this process only. */
export function isCopied(key: Uint8Array): boolean {
  const [table, name] = decodeKey(key);
  return !(table === 'meta' && (name === 'attempt' || name === 'attemptBeside'));
}

/** @param finishedAt microseconds since 1970 */
export async function tasksOfCopy(
  reader: KeyValueReader,
  { taskUids, startedAt }: BackupBatch,
  finishedAt: number,
): Promise<CopiedTasks> {
  const waiting: StoredPayload[] = [];
  const changes: WriteOperation[] = [];
  const isOwn = ({ uid }: TaskRow) => taskUids.includes(uid);
  const isWanted = (row: TaskRow) => isWaiting(row) || isOwn(row);
  for await (const { row, stored } of tasksInStore(reader, isWanted)) {
    const content = stored.work?.content;
    if (content?.kind === 'file') waiting.push(content);
    if (!isOwn(row)) continue;
    const finished = { ...row, startedAt, finishedAt, status: 'succeeded' } as const;
    changes.push(...taskWrites(finished, { ...stored, work: null }, null));
  }
  return { waiting, changes };
}
