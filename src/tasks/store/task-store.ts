/**
 * Tasks and batches: enqueued durably, listed, and changed as part of a commit.
 *
 * Keys, per uid: ("row", uid) → binary row of the task table, until it is in a block
 * (task-blocks.ts); ("task", uid) → JSON of `StoredTask`; ("payload", uid) → content bytes, until
 * the task is finished; ("batch", uid) → JSON of `BatchRecord`.
 */

import type { ErrorEnvelope } from '../../core/errors.ts';
import { jsonBytes } from '../../core/json.ts';
import { TimeSlices } from '../../core/time-slices.ts';
import { readStored } from '../../model/schemas/stored-schema.ts';
import type {
  BatchRecord,
  CursorPage,
  TaskPageQuery,
  TaskRecord,
  TaskType,
} from '../../model/task.ts';
import { valueBytes } from '../../storage/database/group-commit.ts';
import {
  del,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../../storage/database/key-value-store.ts';
import { PendingTasks } from './pending-tasks.ts';
import type { Details, NewTask, StoredTask, TaskWork } from './stored-task.ts';
import {
  type BlockWrites,
  type ChangedRows,
  rowsInStore,
  storedRows,
  TaskBlocks,
} from './task-blocks.ts';
import { batchKey, lastNumber, payloadKey, rowKey, taskKey } from './task-keys.ts';
import { isFinished, toTaskRecord } from './task-record.ts';
import { encodeRow } from './task-row.ts';
import { type TaskCounts, type TaskRow, TaskTable } from './task-table.ts';
import { recordsInStore } from './tasks-in-store.ts';
import { knownOrRead, WaitingRecords } from './waiting-records.ts';

/**
 * Stored bytes of a page of tasks or batches, and records per read: a task may hold settings of
 * 10 MB, and 8 MiB take a tenth of a second of the indexer and of a front.
 */
const PAGE_BYTES_MAX = 8 << 20;
const PAGE_READ = 16;

/** Types whose tasks may touch further indexes, with a function that returns these indexes. */
export type OtherUids = ReadonlyMap<TaskType, (work: TaskWork) => readonly string[]>;

/** @param contentBytes value for the task's payload key; null = none */
export function taskWrites(
  row: TaskRow,
  stored: StoredTask,
  contentBytes: Uint8Array | null,
): WriteOperation[] {
  const { uid } = row;
  const writes = [put(rowKey(uid), encodeRow(row)), put(taskKey(uid), jsonBytes(stored))];
  return contentBytes === null ? writes : [...writes, put(payloadKey(uid), contentBytes)];
}

export const batchWrite = (record: BatchRecord): WriteOperation =>
  put(batchKey(record.uid), jsonBytes(record));

export interface TaskOutcome {
  readonly uid: number;
  readonly status: 'succeeded' | 'failed' | 'canceled';
  /** Or a function of the stored details, for tasks that the batch has not loaded. */
  readonly details: Details | ((stored: Details) => Details);
  readonly error: ErrorEnvelope | null;
  readonly canceledBy?: number;
}

export interface KnownTasks {
  readonly known: TaskStore;
  /** Ascending. */
  readonly changed: readonly number[];
}

export class TaskStore {
  readonly #store: KeyValueStore;
  readonly #table: TaskTable;
  readonly #blocks: TaskBlocks;
  readonly #pending = new PendingTasks();
  readonly #waiting = new WaitingRecords();
  #nextTaskUid: number;
  #nextBatchUid: number;

  private constructor(
    store: KeyValueStore,
    table: TaskTable,
    blocks: TaskBlocks,
    nextBatchUid: number,
  ) {
    this.#store = store;
    this.#table = table;
    this.#blocks = blocks;
    this.#nextTaskUid = table.lastUid + 1;
    this.#nextBatchUid = nextBatchUid;
  }

  static async open(store: KeyValueStore, otherUids: OtherUids): Promise<TaskStore> {
    const table = new TaskTable();
    const stored: number[] = [];
    for await (const { block, rows } of rowsInStore(store)) {
      for (const row of rows) table.append(row);
      if (block !== null) stored.push(block);
    }
    return TaskStore.#of(store, table, stored, otherUids);
  }

  /**
   * As `open`, without reading all rows.
   * @param known shows the rows as stored, except `changed`
   */
  static async openKnown(
    store: KeyValueStore,
    { known, changed }: KnownTasks,
    otherUids: OtherUids,
  ): Promise<TaskStore> {
    const table = known.#table.copy();
    table.apply(await storedRows(store, changed));
    return TaskStore.#of(store, table, known.#blocks.stored, otherUids);
  }

  static async #of(
    store: KeyValueStore,
    table: TaskTable,
    storedBlocks: Iterable<number>,
    otherUids: OtherUids,
  ): Promise<TaskStore> {
    const [blocks, lastBatchUid] = await Promise.all([
      TaskBlocks.open(store, table, storedBlocks),
      lastNumber(store, 'batch'),
    ]);
    const tasks = new TaskStore(store, table, blocks, lastBatchUid + 1);
    await tasks.#findPending(otherUids);
    return tasks;
  }

  get length(): number {
    return this.#table.length;
  }

  /** Greater than every uid assigned so far. */
  get nextTaskUid(): number {
    return this.#nextTaskUid;
  }

  /** Includes tasks that are being processed. */
  get pending(): Omit<PendingTasks, 'add' | 'remove'> {
    return this.#pending;
  }

  /** A uid that no other batch of this process gets. */
  takeBatchUid(): number {
    return this.#nextBatchUid++;
  }

  /**
   * Resolves to the task's row when it is durable; tasks become visible in uid order.
   * @param uid at least the next one
   */
  async enqueue(
    task: NewTask,
    enqueuedAt: number,
    uid: number = this.#nextTaskUid,
  ): Promise<TaskRow> {
    this.#nextTaskUid = uid + 1;
    const { type, indexUid } = task;
    const dates = { enqueuedAt, startedAt: null, finishedAt: null };
    const row: TaskRow = {
      uid,
      status: 'enqueued',
      type,
      indexUid,
      batchUid: null,
      canceledBy: null,
      ...dates,
    };
    const writes = taskWrites(row, task.stored, task.contentBytes);
    await this.#store.write(writes);
    this.#table.append(row);
    this.#pending.add({ uid, type, indexUid, otherUids: task.otherUids });
    this.#waiting.add(uid, { ...task, bytes: valueBytes(writes) });
    return row;
  }

  counts(): TaskCounts {
    return this.#table.counts();
  }

  select(query: Parameters<TaskTable['select']>[0]): number[] {
    return this.#table.select(query);
  }

  row(uid: number): TaskRow | null {
    return this.#table.get(uid);
  }

  rows(): Iterable<TaskRow> {
    return this.#table.rows();
  }

  /** Uids of the batches without another task than these. */
  batchesOf(uids: ReadonlySet<number>): number[] {
    return this.#table.batchesOf(uids);
  }

  /** Stored records of existing tasks, in the given order. */
  load(uids: readonly number[]): Promise<StoredTask[]> {
    return knownOrRead(
      uids,
      (uid) => this.#waiting.stored(uid),
      (missing) => recordsInStore(missing, this.#store),
    );
  }

  /** Values of the tasks' payload keys; null where there is none. */
  payloads(uids: readonly number[]): Promise<(Uint8Array | null)[]> {
    return knownOrRead(
      uids,
      (uid) => this.#waiting.content(uid),
      (missing) => this.#store.getMany(missing.map(payloadKey)),
    );
  }

  /** Writes the payload key of an unfinished task; survives the process. */
  keepContent(uid: number, content: Uint8Array): Promise<void> {
    this.#waiting.remove(uid);
    return this.#store.write([put(payloadKey(uid), content)], 'process');
  }

  async record(uid: number): Promise<TaskRecord | null> {
    const row = this.#table.get(uid);
    if (row === null) return null;
    const value = await this.#store.get(taskKey(uid));
    return value === null ? null : toTaskRecord(row, readStored('task', value));
  }

  async page(query: TaskPageQuery): Promise<CursorPage<TaskRecord>> {
    const { uids, total, next } = this.#table.page(query);
    const values = await this.#pageValues(uids, taskKey);
    const results = values.flatMap((value, i) => {
      const row = this.#table.get(uids[i] ?? -1);
      return row === null || value === null ? [] : [toTaskRecord(row, readStored('task', value))];
    });
    const from = uids[0] ?? null;
    return { results, total, limit: query.limit, from, next: uids[values.length] ?? next };
  }

  /** Stored values of a page; fewer than its uids where `PAGE_BYTES_MAX` ends it. */
  async #pageValues(
    uids: readonly number[],
    keyOf: (uid: number) => Uint8Array,
  ): Promise<(Uint8Array | null)[]> {
    const page: (Uint8Array | null)[] = [];
    let bytes = 0;
    for (let at = 0; at < uids.length; at += PAGE_READ)
      for (const value of await this.#store.getMany(uids.slice(at, at + PAGE_READ).map(keyOf))) {
        bytes += value?.length ?? 0;
        if (bytes > PAGE_BYTES_MAX && page.length > 0) return page;
        page.push(value);
      }
    return page;
  }

  /** @param current the running batches, which are not stored yet */
  async batch(uid: number, current: readonly BatchRecord[]): Promise<BatchRecord | null> {
    const running = current.find((batch) => batch.uid === uid);
    if (running !== undefined) return running;
    const value = await this.#store.get(batchKey(uid));
    return value === null ? null : readStored('batch', value);
  }

  async batchPage(
    query: TaskPageQuery,
    current: readonly BatchRecord[],
  ): Promise<CursorPage<BatchRecord>> {
    const { from, limit, reverse } = query;
    const all = this.#table.selectBatches(query);
    if (!reverse) all.reverse();
    const rest = from === null ? all : all.filter((uid) => (reverse ? uid >= from : uid <= from));
    const uids = rest.slice(0, limit);
    const values = await this.#pageValues(uids, batchKey);
    const results = values.flatMap((value, i) => {
      const running = current.find((batch) => batch.uid === uids[i]);
      if (running !== undefined) return [running];
      return value === null ? [] : [readStored<BatchRecord>('batch', value)];
    });
    const next = rest[values.length] ?? null;
    return { results, total: all.length, limit, from: uids[0] ?? null, next };
  }

  /** Shows the tasks as processing in this batch; not stored. */
  markProcessing(uids: readonly number[], batchUid: number, startedAt: number): void {
    for (const uid of uids) this.#setRow(uid, { status: 'processing', batchUid, startedAt });
  }

  markEnqueued(uids: readonly number[]): void {
    for (const uid of uids)
      this.#setRow(uid, { status: 'enqueued', batchUid: null, startedAt: null });
  }

  /** Rows as stored now, for a process that follows the one that writes; null = deleted. */
  storedRows(uids: readonly number[]): Promise<ReadonlyMap<number, TaskRow | null>> {
    return storedRows(this.#store, uids);
  }

  /** Shows rows that another process has written. @param rows ascending by uid */
  applyCommitted(rows: ReadonlyMap<number, TaskRow | null>): void {
    for (const [uid, row] of rows) {
      if (row === null || isFinished(row.status)) this.#pending.remove(uid);
      else if (!this.#table.has(uid))
        this.#pending.add({ uid, type: row.type, indexUid: row.indexUid, otherUids: [] });
    }
    this.#table.apply(rows);
  }

  begin(slices = new TimeSlices(() => performance.now())): TaskChange {
    return new TaskChange(this.#blocks, (staged) => this.#adopt(staged, slices), slices);
  }

  async #findPending(otherUids: OtherUids): Promise<void> {
    const table = this.#table;
    const rows = table.select({ statuses: ['enqueued'] }).flatMap((uid) => table.get(uid) ?? []);
    const naming = rows.filter(({ type }) => otherUids.has(type)).map(({ uid }) => uid);
    const records = await this.load(naming);
    const works = new Map(naming.map((uid, i) => [uid, records[i]?.work ?? null]));
    for (const { uid, type, indexUid } of rows) {
      const work = works.get(uid) ?? null;
      const others = work === null ? [] : (otherUids.get(type)?.(work) ?? []);
      this.#pending.add({ uid, type, indexUid, otherUids: others });
    }
  }

  #setRow(uid: number, change: Partial<TaskRow>): void {
    const row = this.#table.get(uid);
    if (row !== null) this.#table.set({ ...row, ...change });
  }

  async #adopt({ rows, deleted }: ChangedRows, slices: TimeSlices): Promise<void> {
    for (const row of rows.values()) {
      this.#table.set(row);
      if (isFinished(row.status)) {
        this.#pending.remove(row.uid);
        this.#waiting.remove(row.uid);
      }
      if (slices.isOver) await slices.next();
    }
    if (deleted.size > 0) this.#table.delete(deleted);
  }
}

/**
 * A staged change of tasks and batches; works like a `CatalogChange`. A change of many tasks lets the
 * event loop turn meanwhile.
 */
export class TaskChange {
  readonly #blocks: TaskBlocks;
  readonly #adopt: (staged: ChangedRows) => Promise<void>;
  readonly slices: TimeSlices;
  readonly #rows = new Map<number, TaskRow>();
  readonly #deleted = new Set<number>();
  readonly #operations: WriteOperation[] = [];
  #rowWrites: BlockWrites | null = null;

  constructor(
    blocks: TaskBlocks,
    adopt: (staged: ChangedRows) => Promise<void>,
    slices: TimeSlices,
  ) {
    this.#blocks = blocks;
    this.#adopt = adopt;
    this.slices = slices;
  }

  /** Ends a task; `row` and `stored` are those of the finished task. */
  finish(row: TaskRow, stored: StoredTask): void {
    this.#rows.set(row.uid, row);
    this.#operations.push(put(taskKey(row.uid), jsonBytes(stored)), del(payloadKey(row.uid)));
  }

  /** Replaces the row of a task that this change does not finish. */
  rewriteRow(row: TaskRow): void {
    this.#rows.set(row.uid, row);
  }

  rewriteStored(uid: number, stored: StoredTask): void {
    this.#operations.push(put(taskKey(uid), jsonBytes(stored)));
  }

  delete(uids: Iterable<number>): void {
    for (const uid of uids) {
      this.#deleted.add(uid);
      this.#operations.push(del(taskKey(uid)));
    }
  }

  deleteBatches(uids: Iterable<number>): void {
    for (const uid of uids) this.#operations.push(del(batchKey(uid)));
  }

  storeBatch(record: BatchRecord): void {
    this.#operations.push(batchWrite(record));
  }

  /** Call once no other change is between its operations and `apply`. */
  async operations(): Promise<WriteOperation[]> {
    for (const uid of this.#deleted) this.#rows.delete(uid);
    const changed = { rows: this.#rows, deleted: this.#deleted };
    this.#rowWrites = await this.#blocks.writes(changed, this.slices);
    return [...this.#rowWrites.operations, ...this.#operations];
  }

  /** Makes the change visible after its operations are written; of many tasks, one after the other. */
  async apply(): Promise<void> {
    await this.#adopt({ rows: this.#rows, deleted: this.#deleted });
    if (this.#rowWrites !== null) this.#blocks.written(this.#rowWrites);
  }
}
