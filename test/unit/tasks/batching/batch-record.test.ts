/** The public record of a batch from its tasks. */
import { describe, expect, it } from 'vitest';
import type { ProgressReading } from '../../../../src/model/batch-progress.ts';
import type { TaskType } from '../../../../src/model/task.ts';
import { BatchTotals, toBatchRecord } from '../../../../src/tasks/batching/batch-record.ts';
import type { Details } from '../../../../src/tasks/store/stored-task.ts';

const reading = (more: Partial<ProgressReading> = {}): ProgressReading => ({
  step: null,
  unit: 'tasks',
  done: 0,
  total: 0,
  stepsFinished: 0,
  stepsPlanned: 0,
  durations: new Map(),
  embedderRequests: { total: 0, failed: 0 },
  ...more,
});

const ROW = {
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

const merge = (type: TaskType, all: readonly Details[]): Details =>
  BatchTotals.of(all.map((details) => ({ row: { ...ROW, type }, details }))).details;

describe('batch records', () => {
  it('sum counts, join filters, merge settings and leave other nulls out', () => {
    expect(
      merge('documentDeletion', [
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
    const settings = [{ stopWords: ['a'], rankingRules: null, synonyms: {} }, { stopWords: ['b'] }];
    expect(merge('settingsUpdate', [...settings, { synonyms: null }])).toEqual({
      stopWords: ['b'],
      rankingRules: null,
      synonyms: null,
    });
    const updates = [{ primaryKey: null }, { primaryKey: 'a' }, { primaryKey: 'b' }];
    expect(merge('indexUpdate', updates)).toEqual({ primaryKey: 'a' });
    expect(BatchTotals.of([]).details).toEqual({});
  });

  it('count statuses, types and indexes, and show progress while processing', () => {
    const members = [
      { row: ROW, details: {} },
      {
        row: { ...ROW, type: 'indexDeletion', indexUid: 'a' } as const,
        details: { deletedDocuments: null },
      },
    ];
    const facts = {
      uid: 4,
      totals: BatchTotals.of(members),
      reason: 'r',
      startedAt: 1_000_000,
      finishedAt: null,
      progress: reading(),
    };
    expect(toBatchRecord(facts)).toEqual({
      uid: 4,
      progress: { steps: [], percentage: 0 },
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
    const done = toBatchRecord({
      ...facts,
      finishedAt: 1_112_000,
      progress: reading({ durations: new Map([['committing', 12.344]]) }),
    });
    expect(done).toMatchObject({
      progress: null,
      duration: 'PT0.112S',
      stats: { progressTrace: { committing: '12.34ms' } },
    });
  });

  it('show the step under way among all steps, and what it has done of what it counts', () => {
    const facts = {
      uid: 1,
      totals: new BatchTotals(),
      reason: 'r',
      startedAt: 0,
      finishedAt: null,
    };
    const shown = (more: Partial<ProgressReading>) =>
      toBatchRecord({ ...facts, progress: reading(more) }).progress;
    const steps = { stepsFinished: 1, stepsPlanned: 4 };
    const building = { ...steps, step: 'building segments', unit: 'documents' } as const;
    expect(shown({ ...building, done: 50, total: 100 })).toEqual({
      steps: [
        { currentStep: 'building segments', finished: 1, total: 4 },
        { currentStep: 'documents', finished: 50, total: 100 },
      ],
      percentage: 37.5,
    });
    expect(shown({ ...building, done: 50 })).toEqual({
      steps: [{ currentStep: 'building segments', finished: 1, total: 4 }],
      percentage: 25,
    });
  });
});
