/**
 * Rows of finished tasks, up to 1,024 in one value, so that a start reads few values: a read takes
 * about .2 ms in an object store.
 *
 *   ("rowBlock", n) → for each task of n·1024 … n·1024 + 1023 that exists, ascending by uid:
 *   0 uid − n·1024 u16 │ 2 bytes of the row u16 │ 4 row (task-row.ts)
 *
 * A commit writes a block when all of its tasks are finished, and deletes their own rows. Rows move
 * into blocks, never out of them.
 */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import { BLOCK_TASKS } from '../../storage/database/change-log.ts';
import { keyRange } from '../../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueReader,
  put,
  type WriteOperation,
} from '../../storage/database/key-value-store.ts';
import { blockKey, lastNumber, rowKey, uidOfKey } from './task-keys.ts';
import { isFinished } from './task-record.ts';
import { decodeRow, encodeRow } from './task-row.ts';
import type { TaskRow, TaskTable } from './task-table.ts';

const HEAD_BYTES = 4;
/** Rows of a block from which one scan of the block takes less time than a read of each of them. */
const SCANNED_ROWS_MIN = 64;
/** Scans at the same time. */
const SCANS = 8;
/** Complete blocks of earlier commits that a commit writes. */
const OLDER_PER_COMMIT = 4;

const blockOf = (uid: number): number => Math.floor(uid / BLOCK_TASKS);

/** @param rows of tasks of the block, ascending by uid */
export function encodeBlock(block: number, rows: readonly TaskRow[]): Uint8Array {
  const encoded = rows.map(encodeRow);
  const bytes = new Uint8Array(encoded.reduce((sum, row) => sum + HEAD_BYTES + row.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [i, { uid }] of rows.entries()) {
    const row = encoded[i] as Uint8Array;
    view.setUint16(at, uid - block * BLOCK_TASKS, true);
    view.setUint16(at + 2, row.length, true);
    bytes.set(row, at + HEAD_BYTES);
    at += HEAD_BYTES + row.length;
  }
  return bytes;
}

export function decodeBlock(block: number, bytes: Uint8Array): TaskRow[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: TaskRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    const uid = block * BLOCK_TASKS + view.getUint16(at, true);
    const end = at + HEAD_BYTES + view.getUint16(at + 2, true);
    rows.push(decodeRow(uid, bytes.subarray(at + HEAD_BYTES, end)));
    at = end;
  }
  return rows;
}

export interface StoredRows {
  /** null: the row has a key of its own. */
  readonly block: number | null;
  /** Ascending by uid. */
  readonly rows: readonly TaskRow[];
}

/** The rows of all tasks, ascending by uid. Tasks that are added meanwhile may be missing. */
export async function* rowsInStore(reader: KeyValueReader): AsyncGenerator<StoredRows> {
  // A later block would be shown without the single rows before it.
  const lastBlock = Math.max(
    blockOf(await lastNumber(reader, 'row')),
    await lastNumber(reader, 'rowBlock'),
  );
  const single = reader.iterate(keyRange('row'))[Symbol.asyncIterator]();
  // Before the blocks are read: a row that moves meanwhile is then read twice, never missed.
  let next = await single.next();
  const uid = () => (next.done ? Number.POSITIVE_INFINITY : uidOfKey(next.value.key));
  const ownRow = (): StoredRows => ({
    block: null,
    rows: next.done ? [] : [decodeRow(uid(), next.value.value)],
  });
  try {
    const blocks = { ...keyRange('rowBlock'), lt: blockKey(lastBlock + 1) };
    for await (const { key, value } of reader.iterate(blocks)) {
      const block = uidOfKey(key);
      for (; uid() < block * BLOCK_TASKS; next = await single.next()) yield ownRow();
      while (uid() < (block + 1) * BLOCK_TASKS) next = await single.next();
      yield { block, rows: decodeBlock(block, value) };
    }
    for (; !next.done; next = await single.next()) yield ownRow();
  } finally {
    await single.return?.();
  }
}

/** Rows in the order of the uids; null = deleted. */
export async function storedRows(
  store: KeyValueReader,
  uids: readonly number[],
): Promise<ReadonlyMap<number, TaskRow | null>> {
  const found = new Map<number, TaskRow>();
  const inBlocks = await readBlocks(store, uids, found);
  const others = uids.filter((uid) => !inBlocks.has(blockOf(uid)));
  await readOwnRows(store, others, found);
  // Deleted, or moved to a block since.
  const missing = others.filter((uid) => !found.has(uid));
  await readBlocks(store, missing, found);
  return new Map(uids.map((uid) => [uid, found.get(uid) ?? null]));
}

/** Rows with keys of their own. Few calls also for the 100,000 tasks that one task may delete. */
async function readOwnRows(
  store: KeyValueReader,
  uids: readonly number[],
  found: Map<number, TaskRow>,
): Promise<void> {
  const byBlock = new Map<number, number[]>();
  for (const uid of uids) getOrCompute(byBlock, blockOf(uid), () => []).push(uid);
  const isScanned = (uid: number) => (byBlock.get(blockOf(uid))?.length ?? 0) >= SCANNED_ROWS_MIN;
  const single = uids.filter((uid) => !isScanned(uid));
  const values = await store.getMany(single.map(rowKey));
  for (const [i, uid] of single.entries()) {
    const value = values[i];
    if (value) found.set(uid, decodeRow(uid, value));
  }
  const scanned = [...byBlock.values()].filter(({ length }) => length >= SCANNED_ROWS_MIN);
  await mapInParallel(scanned, SCANS, async (ofBlock) => {
    const range = { gte: rowKey(Math.min(...ofBlock)), lt: rowKey(Math.max(...ofBlock) + 1) };
    for await (const { key, value } of store.iterate(range))
      found.set(uidOfKey(key), decodeRow(uidOfKey(key), value));
  });
}

async function readBlocks(
  store: KeyValueReader,
  uids: readonly number[],
  found: Map<number, TaskRow>,
): Promise<ReadonlySet<number>> {
  const blocks = [...new Set(uids.map(blockOf))];
  const values = await store.getMany(blocks.map(blockKey));
  const stored = new Set<number>();
  for (const [i, block] of blocks.entries()) {
    const value = values[i];
    if (!value) continue;
    stored.add(block);
    for (const row of decodeBlock(block, value)) found.set(row.uid, row);
  }
  return stored;
}

export interface ChangedRows {
  /** Without those of deleted tasks. */
  readonly rows: ReadonlyMap<number, TaskRow>;
  readonly deleted: ReadonlySet<number>;
}

export interface BlockWrites {
  readonly operations: readonly WriteOperation[];
  /** Blocks that the store has after the write. */
  readonly blocks: readonly number[];
}

const changedRows = (before: readonly TaskRow[], { rows, deleted }: ChangedRows): TaskRow[] =>
  before.filter(({ uid }) => !deleted.has(uid)).map((row) => rows.get(row.uid) ?? row);

/** Writes of rows that are in no block. */
const ownRows = (uids: readonly number[], { rows }: ChangedRows): WriteOperation[] =>
  uids.map((uid) => {
    const row = rows.get(uid);
    return row === undefined ? del(rowKey(uid)) : put(rowKey(uid), encodeRow(row));
  });

/** Which rows of a table are stored in blocks. */
export class TaskBlocks {
  readonly #table: TaskTable;
  readonly #stored: Set<number>;
  /** Complete blocks whose tasks have rows of their own. */
  #older: readonly number[] = [];

  private constructor(table: TaskTable, stored: Iterable<number>) {
    this.#table = table;
    this.#stored = new Set(stored);
  }

  /** @param stored blocks of the store that are known; others are looked up */
  static async open(
    store: KeyValueReader,
    table: TaskTable,
    stored: Iterable<number>,
  ): Promise<TaskBlocks> {
    const blocks = new TaskBlocks(table, stored);
    const unknown: number[] = [];
    for (let block = 0; block < blockOf(table.lastUid + 1); block++)
      if (!blocks.#stored.has(block) && blocks.#isComplete(block, blocks.#rowsOf(block)))
        unknown.push(block);
    const values = await store.getMany(unknown.map(blockKey));
    for (const [i, block] of unknown.entries()) if (values[i]) blocks.#stored.add(block);
    blocks.#older = unknown.filter((block) => !blocks.#stored.has(block));
    return blocks;
  }

  get stored(): Iterable<number> {
    return this.#stored;
  }

  /** Writes and deletes rows. The change log names all tasks of a block that is written. */
  async writes(change: ChangedRows, slices: TimeSlices): Promise<BlockWrites> {
    const operations: WriteOperation[] = [];
    const blocks: number[] = [];
    for (const [block, uids] of this.#changedBlocks(change)) {
      await slices.between();
      const isStored = this.#stored.has(block);
      const before = isStored || this.#mayBeComplete(block) ? this.#rowsOf(block) : [];
      const after = changedRows(before, change);
      if (!isStored && !this.#isComplete(block, after)) {
        operations.push(...ownRows(uids, change));
        continue;
      }
      if (!isStored) operations.push(...before.map(({ uid }) => del(rowKey(uid))));
      const key = blockKey(block);
      operations.push(after.length === 0 ? del(key) : put(key, encodeBlock(block, after)));
      blocks.push(block);
    }
    return { operations, blocks };
  }

  /** Call when the writes are durable and the table shows them. */
  written({ blocks }: BlockWrites): void {
    for (const block of blocks) this.#stored.add(block);
    this.#older = this.#older.filter((block) => !this.#stored.has(block));
  }

  /** Uids of changed rows by block, with some blocks of earlier commits. */
  #changedBlocks({ rows, deleted }: ChangedRows): ReadonlyMap<number, readonly number[]> {
    const changed = new Map<number, number[]>();
    for (const block of this.#older.slice(0, OLDER_PER_COMMIT)) changed.set(block, []);
    for (const uid of [...rows.keys(), ...deleted])
      getOrCompute(changed, blockOf(uid), () => []).push(uid);
    return changed;
  }

  #rowsOf(block: number): TaskRow[] {
    return this.#table.between(block * BLOCK_TASKS, (block + 1) * BLOCK_TASKS);
  }

  /** True once no task can be added to the block. */
  #mayBeComplete(block: number): boolean {
    return (block + 1) * BLOCK_TASKS <= this.#table.lastUid + 1;
  }

  #isComplete(block: number, rows: readonly TaskRow[]): boolean {
    return (
      this.#mayBeComplete(block) &&
      rows.length > 0 &&
      rows.every(({ status }) => isFinished(status))
    );
  }
}
