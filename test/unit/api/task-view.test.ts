/** Tasks and batches as a key for some indexes sees them, after a swap or a rename. */
import { describe, expect, it } from 'vitest';
import { batchFor, taskFor } from '../../../src/api/task-view.ts';
import { FULL_ACCESS } from '../../../src/auth/access.ts';
import type { BatchRecord, TaskRecord } from '../../../src/model/task.ts';

const access = { ...FULL_ACCESS, isRestricted: true, reaches: (uid: string) => uid === 'films' };
const task: TaskRecord = {
  uid: 4,
  batchUid: 2,
  indexUid: 'films',
  status: 'failed',
  type: 'indexUpdate',
  canceledBy: null,
  details: { primaryKey: 'id', oldIndexUid: 'payroll', newIndexUid: 'films' },
  error: {
    message: 'Index `payroll`: the primary key is `id`; an index `films` has it.',
    code: 'index_primary_key_already_exists',
    type: 'invalid_request',
    link: '/docs/errors',
  },
  duration: null,
  enqueuedAt: '2024-01-01T00:00:00Z',
  startedAt: null,
  finishedAt: null,
};
const batch: BatchRecord = {
  uid: 2,
  progress: null,
  details: { oldIndexUid: 'payroll', newIndexUid: 'films' },
  stats: {
    totalNbTasks: 2,
    status: { failed: 2 },
    types: { indexUpdate: 2 },
    indexUids: { payroll: 1, films: 1 },
  },
  duration: null,
  startedAt: '2024-01-01T00:00:00Z',
  finishedAt: null,
  batchStrategy: 's',
};

describe('for a key for some indexes', () => {
  it('a task has its present name in its error and no other name in its details', () => {
    expect(taskFor(access, task)).toEqual({
      ...task,
      details: { primaryKey: 'id', newIndexUid: 'films' },
      error: {
        ...task.error,
        message: 'Index `films`: the primary key is `id`; an index `films` has it.',
      },
    });
  });

  it('a batch counts tasks by the names that the key covers', () => {
    expect(batchFor(access, batch)).toEqual({
      ...batch,
      details: { newIndexUid: 'films' },
      stats: { ...batch.stats, indexUids: { films: 1 } },
    });
  });
});

it('a key for all indexes sees everything', () => {
  expect(taskFor(FULL_ACCESS, task)).toBe(task);
  expect(batchFor(FULL_ACCESS, batch)).toBe(batch);
});
