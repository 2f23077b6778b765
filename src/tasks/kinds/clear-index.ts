/** A batch that deletes all documents of an index. */
import type { CatalogChange } from '../../catalog/index-catalog.ts';
import { liveDocumentCount } from '../../model/index-manifest.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import type { BatchContext, PreparedBatch } from '../processing/prepared-batch.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import { isClear } from './document-deletion.ts';

/** @param catalog contains the index */
export function clearIndex(
  { tasks }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): PreparedBatch {
  const outcomes = clearOutcomes(tasks, liveDocumentCount(catalog.must(uid)));
  catalog.update(uid, { segments: [], arrivals: [], metPaths: [], updatedAt: context.nowText });
  return { outcomes, catalog };
}

/** The first clear reports all documents; deletions that it absorbed report 0. */
export function clearOutcomes(tasks: readonly BatchTask[], documentCount: number): TaskOutcome[] {
  let deletedDocuments = documentCount;
  return tasks.map((task) => {
    if (!isClear(task)) return succeeded(task, {});
    const outcome = succeeded(task, { deletedDocuments });
    deletedDocuments = 0;
    return outcome;
  });
}
