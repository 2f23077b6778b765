/** How tasks end. */
import { describe, expect, it } from 'vitest';
import { canceled, failed, succeeded } from '../../../../src/tasks/processing/task-outcomes.ts';

const task = (details: Readonly<Record<string, unknown>>) => ({
  uid: 5,
  work: { type: 'indexDeletion' } as const,
  stored: { work: null, details, error: null },
});

describe('details of a task that has ended', () => {
  it('are its results over what it showed before', () => {
    const details = { receivedDocuments: 2, indexedDocuments: null };
    expect(succeeded(task(details), { indexedDocuments: 1 })).toEqual({
      uid: 5,
      status: 'succeeded',
      details: { receivedDocuments: 2, indexedDocuments: 1 },
      error: null,
    });
  });

  it('show counts as 0 when it failed or was canceled, and leave the rest', () => {
    const details = {
      receivedDocuments: 2,
      indexedDocuments: null,
      deletedDocuments: 4,
      canceledTasks: null,
      deletedTasks: null,
      originalFilter: null,
    };
    const shown = {
      receivedDocuments: 2,
      indexedDocuments: 0,
      deletedDocuments: 0,
      canceledTasks: 0,
      deletedTasks: 0,
      originalFilter: null,
    };
    const error = { code: 'index_not_found', message: 'gone' } as const;
    expect(failed(task(details), error)).toMatchObject({
      status: 'failed',
      details: shown,
      error: { code: 'index_not_found', message: 'gone' },
    });
    const { details: detailsOf, ...outcome } = canceled(5, 9);
    expect(outcome).toEqual({ uid: 5, status: 'canceled', error: null, canceledBy: 9 });
    expect(typeof detailsOf === 'function' && detailsOf(details)).toMatchObject(shown);
  });

  it('leave the deletions of an edit unknown', () => {
    const details = { deletedDocuments: null, editedDocuments: null };
    const error = { code: 'index_not_found', message: 'gone' } as const;
    expect(failed(task(details), error)).toMatchObject({
      details: { deletedDocuments: null, editedDocuments: 0 },
    });
  });
});
