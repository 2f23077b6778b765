/** Lines of the log about batches. */
import { expect, it } from 'vitest';
import type { BatchRecord } from '../../../../src/model/task.ts';
import { logBatch } from '../../../../src/tasks/publishing/batch-log.ts';
import type { TaskRow } from '../../../../src/tasks/store/task-table.ts';

it('has one line for a batch and one for each of its tasks that failed', () => {
  const record = {
    uid: 4,
    details: { receivedDocuments: 9, indexedDocuments: 7, deletedDocuments: 2 },
    stats: { totalNbTasks: 3, types: { documentAdditionOrUpdate: 3 }, indexUids: { films: 3 } },
  } as unknown as BatchRecord;
  const row = { uid: 11, indexUid: 'films', type: 'documentAdditionOrUpdate' } as TaskRow;
  const error = { code: 'invalid_document_id', message: 'bad', type: 'invalid_request', link: '' };
  const lines: unknown[] = [];
  const write = (level: string) => (fields: unknown, message?: string) =>
    void lines.push([level, message, fields]);
  const log = { info: write('info'), warn: write('warn') };
  logBatch(
    log,
    record,
    [
      { row, ended: { work: null, details: {}, error: null } },
      { row, ended: { work: null, details: {}, error } },
    ],
    12.3456,
  );
  expect(lines).toEqual([
    [
      'warn',
      'task 11 failed: bad',
      { task: 11, index: 'films', type: row.type, code: 'invalid_document_id' },
    ],
    [
      'info',
      'batch finished',
      { batch: 4, index: 'films', kind: row.type, tasks: 3, documents: 9, ms: 12.3 },
    ],
  ]);
});
