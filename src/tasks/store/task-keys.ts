/** Keys of tasks and batches in the key-value store, and how they are read. */
import { readStored } from '../../model/schemas/stored-schema.ts';
import type { BatchRecord } from '../../model/task.ts';
import { decodeKey, encodeKey, keyRange } from '../../storage/database/key-encoding.ts';
import type { KeyValueReader } from '../../storage/database/key-value-store.ts';
import type { StoredTask } from './stored-task.ts';
import { isFinished } from './task-record.ts';
import { decodeRow } from './task-row.ts';
import type { TaskRow } from './task-table.ts';

export const rowKey = (uid: number): Uint8Array => encodeKey('row', uid);
export const taskKey = (uid: number): Uint8Array => encodeKey('task', uid);
export const payloadKey = (uid: number): Uint8Array => encodeKey('payload', uid);
export const batchKey = (uid: number): Uint8Array => encodeKey('batch', uid);

/** The number at the end of a task or batch key. */
export function uidOfKey(key: Uint8Array): number {
  const uid = decodeKey(key)[1];
  if (typeof uid !== 'number') throw new Error('a task key without a number');
  return uid;
}

/** Records per read. */
const PAGE = 256;

export interface TaskInStore {
  readonly row: TaskRow;
  readonly stored: StoredTask;
}

/** In uid order. @param isWanted the records of others are not read; default: all tasks */
export async function* tasksInStore(
  reader: KeyValueReader,
  isWanted: (row: TaskRow) => boolean = () => true,
): AsyncGenerator<TaskInStore> {
  let page: TaskRow[] = [];
  for await (const { key, value } of reader.iterate(keyRange('row'))) {
    const row = decodeRow(uidOfKey(key), value);
    if (isWanted(row)) page.push(row);
    if (page.length < PAGE) continue;
    yield* await withRecords(page, reader);
    page = [];
  }
  yield* await withRecords(page, reader);
}

/** Only these need their content. */
export const isWaiting = ({ status }: TaskRow): boolean => !isFinished(status);

async function withRecords(
  rows: readonly TaskRow[],
  reader: KeyValueReader,
): Promise<TaskInStore[]> {
  const values = await reader.getMany(rows.map(({ uid }) => taskKey(uid)));
  return rows.map((row, i) => {
    const value = values[i];
    if (!value) throw new Error(`the record of task ${row.uid} is missing`);
    return { row, stored: readStored<StoredTask>('task', value) };
  });
}

/** All batches in uid order. */
export async function* batchesInStore(reader: KeyValueReader): AsyncGenerator<BatchRecord> {
  for await (const { value } of reader.iterate(keyRange('batch')))
    yield readStored<BatchRecord>('batch', value);
}
