/** Drafts as stored tasks: their details before and after, and what is kept beside the record. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskDraft } from '../../../src/model/task.ts';
import { mergeDetails, toBatchRecord } from '../../../src/tasks/batch-record.ts';
import { rangesInclude, toNewTask, toRanges, withoutCounts } from '../../../src/tasks/task-content.ts';
import { drafts } from '../../support/indexer-harness.ts';

const { add, remove, clear, settings, create, update, drop, swap, cancel, forget } = drafts;
const detailsOf = (draft: TaskDraft) => toNewTask(draft, [3, 4, 9]).stored.details;

describe('details', () => {
  it('have the members of each type, null until known', () => {
    expect(detailsOf(add('a', [{}, {}]))).toEqual({ receivedDocuments: 2, indexedDocuments: null });
    expect(detailsOf(remove('a', ['1', '1']))).toEqual({
      providedIds: 2,
      deletedDocuments: null,
      originalFilter: null,
    });
    expect(detailsOf(clear('a'))).toEqual({ deletedDocuments: null });
    expect(detailsOf(create('a'))).toEqual({ primaryKey: null });
    expect(detailsOf(update('a', 'id'))).toEqual({ primaryKey: 'id' });
    expect(detailsOf(update('a', null, 'b'))).toEqual({ primaryKey: null, newIndexUid: 'b', oldIndexUid: 'a' });
    expect(detailsOf(drop('a'))).toEqual({ deletedDocuments: null });
    expect(detailsOf(swap(['a', 'b']))).toEqual({ swaps: [{ indexes: ['a', 'b'], rename: false }] });
    expect(detailsOf(cancel({}))).toEqual({ matchedTasks: 3, canceledTasks: null, originalFilter: '?x' });
    expect(detailsOf(forget({}))).toEqual({ matchedTasks: 3, deletedTasks: null, originalFilter: '?y' });
    expect(detailsOf(settings('a', { stopWords: ['b', 'a'], pagination: null }))).toEqual({
      stopWords: ['a', 'b'],
      pagination: null,
    });
  });

  it('hide the keys of embedders', () => {
    const embedders = {
      a: { source: 'openAi', apiKey: 'sk-secret-secret' },
      b: { source: 'x' },
      c: null,
      d: { apiKey: 'abc' },
    };
    const task = toNewTask(settings('a', { embedders }), []);
    expect(task.stored.details).toEqual({
      embedders: {
        a: { source: 'openAi', apiKey: 'sk-seXXX...' },
        b: { source: 'x' },
        c: null,
        d: { apiKey: 'abXXX...' },
      },
    });
    expect(task.stored.work).toMatchObject({ settings: { embedders } });
  });

  it('show counts of a task that did not succeed as 0', () => {
    expect(withoutCounts({ receivedDocuments: 2, indexedDocuments: null, originalFilter: null })).toEqual({
      receivedDocuments: 2,
      indexedDocuments: 0,
      originalFilter: null,
    });
    expect(
      withoutCounts({
        matchedTasks: 2,
        canceledTasks: null,
        deletedTasks: null,
        deletedDocuments: 4,
        primaryKey: null,
      }),
    ).toEqual({
      matchedTasks: 2,
      canceledTasks: 0,
      deletedTasks: 0,
      deletedDocuments: 0,
      primaryKey: null,
    });
  });
});

describe('contents', () => {
  it('of requests are kept beside the record, files stay files', () => {
    const task = toNewTask(add('a', [{ id: 1 }]), []);
    expect(Buffer.from(task.beside ?? []).toString()).toBe('[{"id":1}]');
    expect(task.stored.work).toMatchObject({ content: { kind: 'beside', bytes: 10 } });
    const file = { kind: 'file', name: 'n', bytes: 4 } as const;
    expect(toNewTask(add('a', [], { payload: file }), [])).toMatchObject({
      beside: null,
      stored: { work: { content: file } },
    });
    expect(Buffer.from(toNewTask(remove('a', ['x', 'y']), []).beside ?? []).toString()).toBe('["x","y"]');
    expect(toNewTask(swap(), [])).toMatchObject({ indexUid: null, type: 'indexSwap' });
  });
});

describe('matched uids', () => {
  it('are kept as runs that answer the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 60 })), (uids) => {
        const sorted = uids.sort((a, b) => a - b);
        const ranges = toRanges(sorted);
        for (let uid = 0; uid <= 61; uid++) expect(rangesInclude(ranges, uid)).toBe(sorted.includes(uid));
      }),
    );
    expect(toRanges(Array.from({ length: 1000 }, (_, i) => i + 5))).toEqual([5, 1004]);
  });
});

describe('batch records', () => {
  it('sum counts, join filters, merge settings and leave nulls out', () => {
    expect(
      mergeDetails([
        { receivedDocuments: 2, indexedDocuments: 1 },
        { receivedDocuments: 3, indexedDocuments: null },
        { providedIds: 2, deletedDocuments: 1, originalFilter: null },
        { providedIds: 0, deletedDocuments: 4, originalFilter: '"a"' },
        { providedIds: 0, deletedDocuments: null, originalFilter: '"b"' },
      ]),
    ).toEqual({
      receivedDocuments: 5,
      indexedDocuments: 1,
      providedIds: 2,
      deletedDocuments: 5,
      originalFilter: '"a"&"b"',
    });
    expect(mergeDetails([{ stopWords: ['a'], rankingRules: null }, { stopWords: ['b'] }])).toEqual({
      stopWords: ['b'],
    });
    expect(mergeDetails([{ primaryKey: 'a' }, { primaryKey: 'b' }])).toEqual({ primaryKey: 'a' });
    expect(mergeDetails([])).toEqual({});
  });

  it('count statuses, types and indexes, and show progress while processing', () => {
    const row = {
      uid: 1,
      status: 'processing',
      type: 'indexSwap',
      indexUid: null,
      batchUid: 4,
      canceledBy: null,
      enqueuedAt: 0,
      startedAt: 5,
      finishedAt: null,
    } as const;
    const members = [
      { row, details: {} },
      { row: { ...row, type: 'indexDeletion', indexUid: 'a' } as const, details: { deletedDocuments: null } },
    ];
    const facts = {
      uid: 4,
      members,
      reason: 'r',
      startedAt: 1_000_000,
      finishedAt: null,
      trace: new Map<string, number>(),
    };
    expect(toBatchRecord(facts)).toEqual({
      uid: 4,
      progress: { steps: [{ currentStep: 'processing tasks', finished: 0, total: 2 }], percentage: 0 },
      details: {},
      stats: {
        totalNbTasks: 2,
        status: { processing: 2 },
        types: { indexSwap: 1, indexDeletion: 1 },
        indexUids: { a: 1 },
      },
      duration: null,
      startedAt: '1970-01-01T00:00:01.000000Z',
      finishedAt: null,
      batchStrategy: 'r',
    });
    const done = toBatchRecord({ ...facts, finishedAt: 1_112_000, trace: new Map([['processing tasks', 12.344]]) });
    expect(done).toMatchObject({
      progress: null,
      duration: 'PT0.112S',
      stats: { progressTrace: { 'processing tasks': '12.34ms' } },
    });
  });
});
