/** Reads tasks and batches of a database: all, for dumps and snapshots, or records by uid. */
import { readStored } from '../../model/schemas/stored-schema.ts';
import type { BatchRecord } from '../../model/task.ts';
import { keyRange } from '../../storage/database/key-encoding.ts';
import type { KeyValueReader } from '../../storage/database/key-value-store.ts';
import type { StoredTask } from './stored-task.ts';
import { rowsInStore } from './task-blocks.ts';
import { taskKey } from './task-keys.ts';
import { isFinished } from './task-record.ts';
import type { TaskRow } from './task-table.ts';

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
  for await (const { rows } of rowsInStore(reader)) {
    for (const row of rows) if (isWanted(row)) page.push(row);
    for (; page.length >= PAGE; page = page.slice(PAGE))
      yield* await withRecords(page.slice(0, PAGE), reader);
  }
  yield* await withRecords(page, reader);
}

/** Only these need their content. */
export const isWaiting = ({ status }: TaskRow): boolean => !isFinished(status);

async function withRecords(
  rows: readonly TaskRow[],
  reader: KeyValueReader,
): Promise<TaskInStore[]> {
  const records = await recordsInStore(
    rows.map(({ uid }) => uid),
    reader,
  );
  return rows.map((row, i) => ({ row, stored: records[i] as StoredTask }));
}

/** Records of existing tasks, in the given order. */
export async function recordsInStore(
  uids: readonly number[],
  reader: KeyValueReader,
): Promise<StoredTask[]> {
  const values = await reader.getMany(uids.map(taskKey));
  return values.map((value, i) => {
    if (value === null) throw new Error(`the record of task ${uids[i]} is missing`);
    return readStored<StoredTask>('task', value);
  });
}

export async function* batchesInStore(reader: KeyValueReader): AsyncGenerator<BatchRecord> {
  for await (const { value } of reader.iterate(keyRange('batch')))
    yield readStored<BatchRecord>('batch', value);
}
