/** A task that edits documents by a function; no other joins it. */
import type { DocumentEdition } from '../model/task.ts';
import { type BatchContext, failed, type PreparedBatch, succeeded } from './prepared-batch.ts';
import type { BatchTask } from './select-batch.ts';
import { useWriter } from './use-writer.ts';

/** Throws the `ApiError` that fails the task. */
export async function processEdition(task: BatchTask, uid: string, context: BatchContext): Promise<PreparedBatch> {
  const catalog = context.catalog.begin();
  catalog.must(uid);
  const [content] = await context.tasks.payloads([task.uid]);
  if (!content) throw new Error(`the function of task ${task.uid} is missing`);
  const edition = JSON.parse(new TextDecoder().decode(content)) as DocumentEdition;
  const used = await useWriter(uid, catalog, context, (writer) => writer.editDocuments(edition));
  if (used.error !== null) return { outcomes: [failed(task, used.error)], catalog };
  if (used.change.error !== null) return { outcomes: [failed(task, used.change.error)], catalog };
  const { segments, newSegments, editedDocuments, deletedDocuments } = used.change;
  if (newSegments.length > 0 || deletedDocuments > 0) {
    catalog.update(uid, { segments, updatedAt: context.nowText });
  }
  const outcomes = [succeeded(task, { editedDocuments, deletedDocuments })];
  return { outcomes, catalog, written: used.written };
}
