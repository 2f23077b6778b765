/**
 * The filterable values of every stored task as columns in memory: about 45 bytes a task; filtering
 * a million tasks takes some milliseconds. Rows are in ascending uid order. The columns mirror the
 * rows in the key-value store, but `processing` exists only here: after a crash, interrupted tasks
 * are enqueued.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { partitionPoint } from '../../core/partition-point.ts';
import { matcherOf } from '../../model/index-uid-pattern.ts';
import {
  TASK_STATUSES,
  TASK_TYPES,
  type TaskPageQuery,
  type TaskQuery,
  type TaskStatus,
  type TaskType,
} from '../../model/task.ts';

/** One task's row; dates in microseconds. */
export interface TaskRow {
  readonly uid: number;
  readonly status: TaskStatus;
  readonly type: TaskType;
  readonly indexUid: string | null;
  readonly batchUid: number | null;
  readonly canceledBy: number | null;
  readonly enqueuedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

/** An absent number in a column. */
const NONE = 0xffffffff;
const STATUS_NUMBER = new Map<string, number>(TASK_STATUSES.map((name, number) => [name, number]));
const TYPE_NUMBER = new Map<string, number>(TASK_TYPES.map((name, number) => [name, number]));
/** Column of index uids: number 0 is "no index". */
const NO_INDEX = 0;

interface Columns {
  readonly uid: Uint32Array;
  readonly status: Uint8Array;
  readonly type: Uint8Array;
  readonly index: Uint32Array;
  readonly batch: Uint32Array;
  readonly canceledBy: Uint32Array;
  readonly enqueuedAt: Float64Array;
  readonly startedAt: Float64Array;
  readonly finishedAt: Float64Array;
}

const makeColumns = (capacity: number): Columns => ({
  uid: new Uint32Array(capacity),
  status: new Uint8Array(capacity),
  type: new Uint8Array(capacity),
  index: new Uint32Array(capacity),
  batch: new Uint32Array(capacity),
  canceledBy: new Uint32Array(capacity),
  enqueuedAt: new Float64Array(capacity),
  startedAt: new Float64Array(capacity),
  finishedAt: new Float64Array(capacity),
});

const columnNames = Object.keys(makeColumns(0)) as (keyof Columns)[];

/** Neighbouring rows. Mark `i` is 1 if the row at `first + i` matches, else 0. */
interface MarkedRows {
  readonly first: number;
  readonly marks: Uint8Array;
}

function eachMarked({ first, marks }: MarkedRows, visit: (position: number) => void): void {
  for (let i = 0; i < marks.length; i++) if (marks[i] === 1) visit(first + i);
}

function countOf({ marks }: MarkedRows): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i] as number;
  return count;
}

/** Clears the marks of rows that do not match. Mark `i` is of the row at `first + i`. */
type Narrow = (columns: Columns, first: number, marks: Uint8Array) => void;

/** Rows that are narrowed together: loops over one column are ten times faster than tests of each row. */
const NARROWED_ROWS = 4096;

interface PositionPage {
  readonly uids: number[];
  readonly total: number;
  readonly next: number | null;
}

export interface TaskCounts {
  readonly statuses: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, number>;
  /** Uids of indexes that tasks name, existing or not. */
  readonly indexes: ReadonlyMap<string, number>;
}

export class TaskTable {
  #columns = makeColumns(1024);
  #length = 0;
  readonly #indexNumbers = new Map<string, number>();
  readonly #indexUids: string[] = [''];
  readonly #statusCounts = new Array<number>(TASK_STATUSES.length).fill(0);

  get length(): number {
    return this.#length;
  }

  /** −1 if there is no task. */
  get lastUid(): number {
    return this.#length === 0 ? -1 : (this.#columns.uid[this.#length - 1] ?? -1);
  }

  count(status: TaskStatus): number {
    return this.#statusCounts[statusNumber(status)] ?? 0;
  }

  /** Number of tasks per status, type and index; one pass over all rows. */
  counts(): TaskCounts {
    const types = new Uint32Array(TASK_TYPES.length);
    const indexes = new Uint32Array(this.#indexUids.length);
    const columns = this.#columns;
    for (let position = 0; position < this.#length; position++) {
      const type = columns.type[position] ?? 0;
      types[type] = (types[type] ?? 0) + 1;
      const index = columns.index[position] ?? NO_INDEX;
      indexes[index] = (indexes[index] ?? 0) + 1;
    }
    return {
      statuses: new Map(TASK_STATUSES.map((status) => [status, this.count(status)])),
      types: new Map(TASK_TYPES.map((type, number) => [type, types[number] ?? 0])),
      indexes: new Map(
        this.#indexUids
          .map((uid, number) => [uid, indexes[number] ?? 0] as const)
          .filter(([uid, count]) => uid !== '' && count > 0),
      ),
    };
  }

  /** Uids must ascend over all calls. */
  append(row: TaskRow): void {
    if (row.uid <= this.lastUid)
      throw new RangeError(`task ${row.uid} comes after ${this.lastUid}`);
    if (this.#length === this.#columns.uid.length) this.#grow();
    this.#statusCounts[statusNumber(row.status)] = this.count(row.status) + 1;
    this.#write(this.#length++, row);
  }

  copy(): TaskTable {
    const copy = new TaskTable();
    copy.#columns = makeColumns(this.#columns.uid.length);
    for (const name of columnNames) copy.#columns[name].set(this.#columns[name]);
    copy.#length = this.#length;
    for (const uid of this.#indexUids.slice(1)) copy.#indexNumber(uid);
    for (const [status, count] of this.#statusCounts.entries()) copy.#statusCounts[status] = count;
    return copy;
  }

  /** Replaces, appends and deletes (null) rows. @param rows ascending by uid */
  apply(rows: ReadonlyMap<number, TaskRow | null>): void {
    const deleted = new Set<number>();
    for (const [uid, row] of rows) {
      if (row === null) deleted.add(uid);
      else if (this.has(uid)) this.set(row);
      else this.append(row);
    }
    if (deleted.size > 0) this.delete(deleted);
  }

  has(uid: number): boolean {
    return this.#find(uid) >= 0;
  }

  get(uid: number): TaskRow | null {
    const position = this.#find(uid);
    return position < 0 ? null : this.#row(position);
  }

  /** Rows with uids from `first` to before `end`, ascending. */
  between(first: number, end: number): TaskRow[] {
    const rows: TaskRow[] = [];
    const { uid } = this.#columns;
    for (
      let position = this.#positionFrom(first);
      position < this.#length && (uid[position] ?? end) < end;
      position++
    )
      rows.push(this.#row(position));
    return rows;
  }

  set(row: TaskRow): void {
    const position = this.#find(row.uid);
    if (position < 0) throw new RangeError(`no task ${row.uid}`);
    const before = this.#columns.status[position] ?? 0;
    this.#statusCounts[before] = (this.#statusCounts[before] ?? 0) - 1;
    this.#statusCounts[statusNumber(row.status)] = this.count(row.status) + 1;
    this.#write(position, row);
  }

  /** O(rows). */
  delete(uids: ReadonlySet<number>): void {
    const deleted = [...uids].map((uid) => this.#find(uid)).filter((position) => position >= 0);
    deleted.sort((a, b) => a - b);
    for (const position of deleted) {
      const status = this.#columns.status[position] ?? 0;
      this.#statusCounts[status] = (this.#statusCounts[status] ?? 0) - 1;
    }
    for (const [i, position] of deleted.entries()) {
      // The rows up to the next deleted one move as one piece.
      const end = deleted[i + 1] ?? this.#length;
      if (end === position + 1) continue;
      for (const name of columnNames)
        this.#columns[name].copyWithin(position - i, position + 1, end);
    }
    this.#length -= deleted.length;
  }

  select(query: TaskQuery): number[] {
    const { uid } = this.#columns;
    const uids: number[] = [];
    for (const piece of this.#matching(query, false))
      eachMarked(piece, (position) => uids.push(uid[position] ?? 0));
    return uids;
  }

  page(query: TaskPageQuery): PositionPage {
    const { from, limit, reverse } = query;
    const uids: number[] = [];
    let total = 0;
    for (const piece of this.#matching(query, !reverse)) {
      total += countOf(piece);
      if (uids.length > limit) continue;
      const found: number[] = [];
      eachMarked(piece, (position) => {
        const uid = this.#columns.uid[position] ?? 0;
        if (from === null || (reverse ? uid >= from : uid <= from)) found.push(uid);
      });
      uids.push(...(reverse ? found : found.reverse()));
    }
    return { uids: uids.slice(0, limit), total, next: uids[limit] ?? null };
  }

  /**
   * Uids of the batches that have a matching task and, with a scope, no task outside it; ascending.
   */
  selectBatches(query: TaskQuery): number[] {
    let newest = -1;
    for (let position = 0; position < this.#length; position++) {
      const batch = this.#columns.batch[position] ?? NONE;
      if (batch !== NONE && batch > newest) newest = batch;
    }
    const found = new Uint8Array(newest + 1);
    for (const piece of this.#matching(query, false))
      eachMarked(piece, (position) => {
        const batch = this.#columns.batch[position] ?? NONE;
        if (batch !== NONE) found[batch] = 1;
      });
    if (query.indexScope !== undefined) this.#dropOutOfScope(found, query.indexScope);
    const uids: number[] = [];
    for (let uid = 0; uid <= newest; uid++) if (found[uid] === 1) uids.push(uid);
    return uids;
  }

  /** Uids of the batches that have one of the tasks and no other. */
  batchesOf(uids: ReadonlySet<number>): number[] {
    const { uid: uidOf, batch: batchOf } = this.#columns;
    const batches = new Set<number>();
    for (const uid of uids) {
      const batch = batchOf[this.#find(uid)] ?? NONE;
      if (batch !== NONE) batches.add(batch);
    }
    for (let position = 0; position < this.#length && batches.size > 0; position++) {
      const batch = batchOf[position] ?? NONE;
      if (batches.has(batch) && !uids.has(uidOf[position] ?? NONE)) batches.delete(batch);
    }
    return [...batches];
  }

  #dropOutOfScope(batches: Uint8Array, patterns: readonly string[]): void {
    const inScope = new Set(this.#indexesInScope(patterns));
    for (let position = 0; position < this.#length; position++) {
      const batch = this.#columns.batch[position] ?? NONE;
      if (batch !== NONE && !inScope.has(this.#columns.index[position] ?? NO_INDEX))
        batches[batch] = 0;
    }
  }

  *rows(): Iterable<TaskRow> {
    for (let position = 0; position < this.#length; position++) yield this.#row(position);
  }

  /** Ranges of rows, whose marks are valid until the next range. */
  *#matching(query: TaskQuery, descending: boolean): Generator<MarkedRows> {
    const narrows = this.#narrows(query);
    const marks = new Uint8Array(NARROWED_ROWS);
    const named = query.uids && [...new Set(query.uids)].map((uid) => this.#find(uid));
    const firsts =
      named?.filter((position) => position >= 0).sort((a, b) => a - b) ??
      Array.from({ length: Math.ceil(this.#length / NARROWED_ROWS) }, (_, i) => i * NARROWED_ROWS);
    const count = named === undefined ? NARROWED_ROWS : 1;
    for (const first of descending ? firsts.reverse() : firsts) {
      const marked = marks.subarray(0, Math.min(count, this.#length - first)).fill(1);
      for (const narrow of narrows) narrow(this.#columns, first, marked);
      yield { first, marks: marked };
    }
  }

  #narrows(query: TaskQuery): Narrow[] {
    const narrows: Narrow[] = [];
    const among = (
      name: 'status' | 'type' | 'index' | 'batch' | 'canceledBy',
      values: readonly (number | undefined)[] | undefined,
    ) => {
      if (values === undefined) return;
      const set = new Set(values);
      narrows.push((columns, first, marks) => keepAmong(columns[name], set, first, marks));
    };
    const between = (
      name: 'enqueuedAt' | 'startedAt' | 'finishedAt',
      after = Number.NEGATIVE_INFINITY,
      before = Number.POSITIVE_INFINITY,
    ) => {
      if (after === Number.NEGATIVE_INFINITY && before === Number.POSITIVE_INFINITY) return;
      narrows.push((columns, first, marks) =>
        keepBetween(columns[name], { after, before }, first, marks),
      );
    };
    among('status', query.statuses?.map(statusNumber));
    among('type', query.types?.map(typeNumber));
    among(
      'index',
      query.indexUids?.map((uid) => this.#indexNumbers.get(uid)),
    );
    if (query.indexScope !== undefined) among('index', this.#indexesInScope(query.indexScope));
    among(
      'batch',
      query.batchUids?.filter((uid) => uid !== NONE),
    );
    among(
      'canceledBy',
      query.canceledBy?.filter((uid) => uid !== NONE),
    );
    between('enqueuedAt', query.afterEnqueuedAt, query.beforeEnqueuedAt);
    between('startedAt', query.afterStartedAt, query.beforeStartedAt);
    between('finishedAt', query.afterFinishedAt, query.beforeFinishedAt);
    return narrows;
  }

  #row(position: number): TaskRow {
    const columns = this.#columns;
    const index = columns.index[position] ?? NO_INDEX;
    return {
      uid: columns.uid[position] ?? 0,
      status: TASK_STATUSES[columns.status[position] ?? 0] ?? 'enqueued',
      type: TASK_TYPES[columns.type[position] ?? 0] ?? 'documentAdditionOrUpdate',
      indexUid: index === NO_INDEX ? null : (this.#indexUids[index] ?? null),
      batchUid: orNull(columns.batch[position]),
      canceledBy: orNull(columns.canceledBy[position]),
      enqueuedAt: columns.enqueuedAt[position] ?? 0,
      startedAt: dateOrNull(columns.startedAt[position]),
      finishedAt: dateOrNull(columns.finishedAt[position]),
    };
  }

  #write(position: number, row: TaskRow): void {
    const columns = this.#columns;
    columns.uid[position] = row.uid;
    columns.status[position] = statusNumber(row.status);
    columns.type[position] = typeNumber(row.type);
    columns.index[position] = row.indexUid === null ? NO_INDEX : this.#indexNumber(row.indexUid);
    columns.batch[position] = row.batchUid ?? NONE;
    columns.canceledBy[position] = row.canceledBy ?? NONE;
    columns.enqueuedAt[position] = row.enqueuedAt;
    columns.startedAt[position] = row.startedAt ?? Number.NaN;
    columns.finishedAt[position] = row.finishedAt ?? Number.NaN;
  }

  #indexesInScope(patterns: readonly string[]): number[] {
    const isInScope = matcherOf(patterns);
    return [...this.#indexNumbers].filter(([uid]) => isInScope(uid)).map(([, number]) => number);
  }

  #indexNumber(uid: string): number {
    return getOrCompute(this.#indexNumbers, uid, () => this.#indexUids.push(uid) - 1);
  }

  #grow(): void {
    const grown = makeColumns(this.#columns.uid.length * 2);
    for (const name of columnNames) grown[name].set(this.#columns[name]);
    this.#columns = grown;
  }

  /** Position of the uid, or −1. */
  #find(uid: number): number {
    const at = this.#positionFrom(uid);
    return at < this.#length && this.#columns.uid[at] === uid ? at : -1;
  }

  /** Position of the first row with this uid or a greater one. */
  #positionFrom(uid: number): number {
    const { uid: uids } = this.#columns;
    return partitionPoint(0, this.#length, (position) => (uids[position] ?? 0) < uid);
  }
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || value === NONE ? null : value;
const dateOrNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

function keepAmong(
  column: Uint8Array | Uint32Array,
  values: ReadonlySet<number | undefined>,
  first: number,
  marks: Uint8Array,
): void {
  // Neighbours often have the same value.
  let last = column[first];
  let mark = values.has(last) ? 1 : 0;
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === 0) continue;
    const value = column[first + i];
    if (value !== last) {
      last = value;
      mark = values.has(value) ? 1 : 0;
    }
    marks[i] = mark;
  }
}

/** Absent dates, which are NaN, do not match. */
function keepBetween(
  column: Float64Array,
  { after, before }: { readonly after: number; readonly before: number },
  first: number,
  marks: Uint8Array,
): void {
  for (let i = 0; i < marks.length; i++) {
    const date = column[first + i] as number;
    if (!(date > after && date < before)) marks[i] = 0;
  }
}

export function statusNumber(status: TaskStatus): number {
  return STATUS_NUMBER.get(status) ?? 0;
}

export function typeNumber(type: TaskType): number {
  return TYPE_NUMBER.get(type) ?? 0;
}
