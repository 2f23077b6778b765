/**
 * Filtered lists against a plain array filter, rows over their bytes, and speed at the size the
 * limit allows.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TASK_STATUSES, TASK_TYPES, type TaskQuery } from '../../../../src/model/task.ts';
import { decodeRow, encodeRow } from '../../../../src/tasks/store/task-row.ts';
import { type TaskRow, TaskTable } from '../../../../src/tasks/store/task-table.ts';
import { amount } from '../../../support/run-length.ts';

const small = fc.nat({ max: 6 });
const date = fc.nat({ max: 9 });
const indexUid = fc.constantFrom('a', 'b', 'ü', 'never-used');
const rowWithoutUid = fc.record({
  status: fc.constantFrom(...TASK_STATUSES),
  type: fc.constantFrom(...TASK_TYPES.slice(0, 4)),
  indexUid: fc.option(fc.constantFrom('a', 'b', 'ü')),
  batchUid: fc.option(small),
  canceledBy: fc.option(small),
  enqueuedAt: date,
  startedAt: fc.option(date),
  finishedAt: fc.option(date),
});
const rows: fc.Arbitrary<TaskRow[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), rowWithoutUid), { maxLength: 25 })
  .map((list) => {
    let uid = -1;
    return list.map(([gap, row]) => {
      uid += gap;
      return { uid, ...row };
    });
  });
const bound = fc.nat({ max: 9 });
const query: fc.Arbitrary<TaskQuery> = fc.record(
  {
    uids: fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
    batchUids: fc.array(small, { maxLength: 3 }),
    canceledBy: fc.array(small, { maxLength: 3 }),
    types: fc.array(fc.constantFrom(...TASK_TYPES.slice(0, 5)), { maxLength: 3 }),
    statuses: fc.array(fc.constantFrom(...TASK_STATUSES), { maxLength: 3 }),
    indexUids: fc.array(indexUid, { maxLength: 2 }),
    beforeEnqueuedAt: bound,
    afterEnqueuedAt: bound,
    beforeStartedAt: bound,
    afterStartedAt: bound,
    beforeFinishedAt: bound,
    afterFinishedAt: bound,
  },
  { requiredKeys: [] },
);

function matches(row: TaskRow, q: TaskQuery): boolean {
  const isIn = <T>(values: readonly T[] | undefined, value: T | null) =>
    values === undefined || (value !== null && values.includes(value));
  const isBetween = (value: number | null, after?: number, before?: number) =>
    (after === undefined || (value !== null && value > after)) &&
    (before === undefined || (value !== null && value < before));
  return (
    isIn(q.uids, row.uid) &&
    isIn(q.batchUids, row.batchUid) &&
    isIn(q.canceledBy, row.canceledBy) &&
    isIn(q.types, row.type) &&
    isIn(q.statuses, row.status) &&
    isIn(q.indexUids, row.indexUid) &&
    isBetween(row.enqueuedAt, q.afterEnqueuedAt, q.beforeEnqueuedAt) &&
    isBetween(row.startedAt, q.afterStartedAt, q.beforeStartedAt) &&
    isBetween(row.finishedAt, q.afterFinishedAt, q.beforeFinishedAt)
  );
}

function tableOf(all: readonly TaskRow[]): TaskTable {
  const table = new TaskTable();
  for (const row of all) table.append(row);
  return table;
}

describe('task table', () => {
  it('shows within a scope only tasks of its indexes, and batches that have no other tasks', () => {
    const table = new TaskTable();
    const facts = { canceledBy: null, enqueuedAt: 1, startedAt: null, finishedAt: null } as const;
    const placed = [
      ['films', 0],
      ['books_en', 1],
      ['books_fr', 1],
      ['films', 2],
      ['books_en', 2],
      [null, 3],
      ['books_en', 3],
      ['books', null],
    ] as const;
    placed.forEach(([indexUid, batchUid], uid) => {
      table.append({
        ...facts,
        uid,
        status: 'enqueued',
        type: 'indexCreation',
        indexUid,
        batchUid,
      });
    });
    const seen = (...indexScope: string[]) => [
      table.select({ indexScope }),
      table.selectBatches({ indexScope }),
    ];
    expect(seen('books_*')).toEqual([[1, 2, 4, 6], [1]]);
    expect(seen('films')).toEqual([[0, 3], [0]]);
    expect(seen('films', 'books_*')).toEqual([
      [0, 1, 2, 3, 4, 6],
      [0, 1, 2],
    ]);
    expect(seen('unknown')).toEqual([[], []]);
    expect(seen()).toEqual([[], []]);
    expect(table.select({ indexScope: ['books_*'], indexUids: ['films', 'books_fr'] })).toEqual([
      2,
    ]);
    expect(table.page({ indexScope: ['books_*'], limit: 2, from: null, reverse: false })).toEqual({
      uids: [6, 4],
      total: 4,
      next: 2,
    });
  });

  it('selects what a plain filter selects, and the batches of it', () => {
    fc.assert(
      fc.property(rows, query, (all, q) => {
        const table = tableOf(all);
        const expected = all.filter((row) => matches(row, q));
        expect(table.select(q)).toEqual(expected.map(({ uid }) => uid));
        const batches = new Set(expected.flatMap(({ batchUid }) => batchUid ?? []));
        expect(table.selectBatches(q)).toEqual([...batches].sort((a, b) => a - b));
      }),
      { numRuns: amount(100, 400) },
    );
  });

  it('walks through all matches by its cursor, in both directions, with the same total', () => {
    fc.assert(
      fc.property(
        rows,
        query,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (all, q, limit, reverse) => {
          const table = tableOf(all);
          const seen: number[] = [];
          let from: number | null = null;
          do {
            const page = table.page({ ...q, limit, from, reverse });
            expect(page.total).toBe(table.select(q).length);
            seen.push(...page.uids);
            from = page.next;
          } while (from !== null);
          expect(reverse ? seen : seen.reverse()).toEqual(table.select(q));
        },
      ),
    );
  });

  it('gives rows back as they were, over their bytes too; processing is stored as enqueued', () => {
    fc.assert(
      fc.property(rows, (all) => {
        expect([...tableOf(all).rows()]).toEqual(all);
        for (const row of all) {
          const cutOff = { ...row, status: 'enqueued', batchUid: null, startedAt: null };
          expect(decodeRow(row.uid, encodeRow(row))).toEqual(
            row.status === 'processing' ? cutOff : row,
          );
        }
      }),
    );
  });

  it('replaces and deletes rows and keeps its counts', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat({ max: 40 })), (all, uids) => {
        const table = tableOf(all);
        const gone = new Set(uids);
        const changed = all.map(
          (row): TaskRow => ({ ...row, status: 'failed', indexUid: 'z', batchUid: 3 }),
        );
        for (const row of changed) table.set(row);
        table.delete(gone);
        const left = changed.filter(({ uid }) => !gone.has(uid));
        expect([...table.rows()]).toEqual(left);
        expect(table.count('failed')).toBe(left.length);
        expect(table.count('enqueued')).toBe(0);
        for (const { uid } of all) expect(table.has(uid)).toBe(!gone.has(uid));
      }),
    );
  });

  it('names the batches that have tasks of a set and no others', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat({ max: 40 })), (all, uids) => {
        const chosen = new Set(uids);
        const batchesOf = (isChosen: boolean) =>
          all.filter(({ uid }) => chosen.has(uid) === isChosen).map(({ batchUid }) => batchUid);
        const others = new Set(batchesOf(false));
        const expected = batchesOf(true).filter((batch) => batch !== null && !others.has(batch));
        expect(new Set(tableOf(all).batchesOf(chosen))).toEqual(new Set(expected));
      }),
    );
  });

  it('refuses uids that do not ascend and rows that it does not have', () => {
    const row: TaskRow = {
      uid: 5,
      status: 'enqueued',
      type: 'indexSwap',
      indexUid: null,
      batchUid: null,
      canceledBy: null,
      enqueuedAt: 1,
      startedAt: null,
      finishedAt: null,
    };
    const table = tableOf([row]);
    expect(() => table.append(row)).toThrow('comes after');
    expect(() => table.set({ ...row, uid: 6 })).toThrow('no task 6');
    expect(table.get(4)).toBeNull();
    expect(() => decodeRow(1, Uint8Array.from([99, ...encodeRow(row).slice(1)]))).toThrow(
      'damaged',
    );
  });

  it('lists a filtered page of 200,000 tasks', () => {
    const table = new TaskTable();
    for (let uid = 0; uid < 200_000; uid++) {
      table.append({
        uid,
        status: uid % 9 === 0 ? 'failed' : 'succeeded',
        type: 'documentDeletion',
        indexUid: `i${uid % 50}`,
        batchUid: uid >> 2,
        canceledBy: null,
        enqueuedAt: uid * 1000,
        startedAt: uid * 1000,
        finishedAt: uid * 1000,
      });
    }
    const filter = { statuses: ['failed'], indexUids: ['i3'], afterEnqueuedAt: 1_000_000 } as const;
    const page = table.page({ limit: 20, from: null, reverse: false, ...filter });
    expect(page.total).toBe(443);
    const uids = Array.from({ length: 200_000 }, (_, uid) => uid).filter(
      (uid) => uid % 9 === 0 && uid % 50 === 3 && uid > 1000,
    );
    expect(table.select(filter)).toEqual(uids);
    expect(page.uids).toEqual(uids.slice(-20).reverse());
  });
});
