/** Log lines of batches that ended. */
import type { BatchRecord } from '../../model/task.ts';
import type { Logger } from '../../observability/logger.ts';
import type { FinishedTask } from '../store/task-record.ts';

const DOCUMENT_COUNTS = ['indexedDocuments', 'editedDocuments', 'deletedDocuments'];

export function logBatch(
  log: Pick<Logger, 'info' | 'warn'>,
  record: BatchRecord,
  members: readonly Pick<FinishedTask, 'row' | 'ended'>[],
  milliseconds: number,
): void {
  const { uid, stats, details } = record;
  for (const { row, ended } of members) {
    const { error } = ended;
    if (error === null) continue;
    const { uid: task, indexUid: index, type } = row;
    log.warn({ task, index, type, code: error.code }, `task ${task} failed: ${error.message}`);
  }
  const facts = {
    batch: uid,
    index: Object.keys(stats.indexUids).join() || null,
    kind: Object.keys(stats.types).join(),
    tasks: stats.totalNbTasks,
    documents: documentCount(details),
    ms: Math.round(milliseconds * 10) / 10,
  };
  log.info(facts, 'batch finished');
}

export const documentCount = (details: BatchRecord['details']): number =>
  DOCUMENT_COUNTS.reduce((sum, name) => {
    const count = details[name];
    return sum + (typeof count === 'number' ? count : 0);
  }, 0);
