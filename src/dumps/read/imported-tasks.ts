/** Writes the tasks and batches of a dump into the database, with their uids and dates. */

import { toEnvelope } from '../../core/errors.ts';
import type { BatchRecord, PayloadRef, TaskDraft, TaskRecord } from '../../model/task.ts';
import { BulkWrites } from '../../storage/database/bulk-writes.ts';
import type { KeyValueStore, WriteOperation } from '../../storage/database/key-value-store.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import { toNewTask } from '../../tasks/kinds/task-kinds.ts';
import type { StoredTask } from '../../tasks/store/stored-task.ts';
import { batchWrite, taskWrites } from '../../tasks/store/task-store.ts';
import type { TaskRow } from '../../tasks/store/task-table.ts';
import { type DumpedTask, type DumpFiles, mustReadDumpDate, readDumpDate } from '../format/dump.ts';
import { PAYLOAD_BYTES } from './imported-documents.ts';

/** Larger payloads are stored as files in the spool. */
const INLINE_BYTES_MAX = 64 * 1024;

export interface TaskImport {
  readonly files: DumpFiles;
  readonly store: KeyValueStore;
  readonly payloads: PayloadStore;
}

/** Returns the uids of the batches. */
export async function importBatches(
  batches: AsyncIterable<BatchRecord>,
  store: KeyValueStore,
): Promise<ReadonlySet<number>> {
  const uids = new Set<number>();
  const writes = new BulkWrites(store);
  for await (const batch of batches) {
    uids.add(batch.uid);
    await writes.add(batchWrite(batch));
  }
  await writes.end();
  return uids;
}

export interface ImportedTasks {
  readonly count: number;
  /** Unfinished tasks that this server will process. */
  readonly enqueued: number;
  /** Unfinished tasks of kinds that this server does not support: type and uid. */
  readonly refused: readonly string[];
}

/** @param batches uids of those that were imported */
export async function importTasks(
  tasks: AsyncIterable<DumpedTask>,
  batches: ReadonlySet<number>,
  options: TaskImport,
): Promise<ImportedTasks> {
  const refused: string[] = [];
  let [count, enqueued] = [0, 0];
  const writes = new BulkWrites(options.store);
  for await (const task of tasks) {
    count++;
    const { record, work } = task;
    if (record.status === 'enqueued') {
      if (work === null) refused.push(`${record.type} ${record.uid}`);
      else enqueued++;
    }
    await writes.add(...(await writesOf(task, batches, options)));
  }
  await writes.end();
  return { count, enqueued, refused };
}

async function writesOf(
  { record, work }: DumpedTask,
  batches: ReadonlySet<number>,
  options: TaskImport,
): Promise<WriteOperation[]> {
  const row = toRow(record, batches);
  const { details = {}, error, customMetadata } = record;
  const shared = { details, error, ...(customMetadata !== undefined && { customMetadata }) };
  if (row.status !== 'enqueued') return taskWrites(row, { ...shared, work: null }, null);
  if (work === null) {
    const stored: StoredTask = { ...shared, work: null, error: toEnvelope(CANNOT_GO_ON) };
    return taskWrites({ ...row, status: 'failed', finishedAt: row.enqueuedAt }, stored, null);
  }
  const draft = await withPayload(work.draft, work.documents, options);
  const { stored, contentBytes } = toNewTask(draft, work.matched);
  return taskWrites(row, stored, contentBytes);
}

const CANNOT_GO_ON = {
  code: 'internal',
  message: 'The task was waiting in a dump, and is of a type that this server does not offer.',
} as const;

function toRow(record: TaskRecord, batches: ReadonlySet<number>): TaskRow {
  const { uid, status, type, indexUid, batchUid, canceledBy } = record;
  return {
    uid,
    status,
    type,
    indexUid,
    canceledBy,
    batchUid: batchUid !== null && batches.has(batchUid) ? batchUid : null,
    enqueuedAt: mustReadDumpDate(record.enqueuedAt, `task ${uid}`),
    startedAt: readDumpDate(record.startedAt),
    finishedAt: readDumpDate(record.finishedAt),
  };
}

async function withPayload(
  draft: TaskDraft,
  documents: string | null,
  { files, payloads }: TaskImport,
): Promise<TaskDraft> {
  if (draft.type !== 'documentAdditionOrUpdate' || documents === null) return draft;
  const writer = payloads.create();
  const kept: Uint8Array[] = [];
  for await (const piece of files.pieces(documents, PAYLOAD_BYTES)) {
    writer.write(piece);
    if (writer.bytes <= INLINE_BYTES_MAX) kept.push(piece);
  }
  if (writer.bytes > INLINE_BYTES_MAX) {
    const payload: PayloadRef = { kind: 'file', ...(await writer.finish()) };
    return { ...draft, payload };
  }
  writer.abort();
  return { ...draft, payload: { kind: 'inline', base64: Buffer.concat(kept).toString('base64') } };
}
