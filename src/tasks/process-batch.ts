/**
 * A selected batch → everything its commit needs, with nothing visible yet. Never rejects: what goes wrong is the error of the tasks
 * it concerns. Tasks that no other joins are in `process-index-task.ts`, those about tasks in `process-task-tasks.ts`.
 */
import { applySettings } from '../catalog/apply-settings.ts';
import { type CatalogChange, indexNotFound } from '../catalog/index-catalog.ts';
import { liveDocumentCount } from '../catalog/manifest.ts';
import type { WireError } from '../core/errors.ts';
import type { DocumentOperation, OperationResult } from '../indexing/document-operations.ts';
import type { Settings } from '../model/settings.ts';
import { type BatchContext, failed, type PreparedBatch, succeeded, toTaskError } from './prepared-batch.ts';
import { processEdition } from './process-edition.ts';
import { processIndexTask } from './process-index-task.ts';
import { cancelTasks, deleteTasks } from './process-task-tasks.ts';
import type { BatchTask, SelectedBatch } from './select-batch.ts';
import type { TaskOutcome } from './task-store.ts';
import { useWriter } from './use-writer.ts';

export async function processBatch(batch: SelectedBatch, context: BatchContext): Promise<PreparedBatch> {
  try {
    return await process(batch, context);
  } catch (error) {
    const wire = toTaskError(error, context);
    return { outcomes: batch.tasks.map((task) => failed(task, wire)), catalog: context.catalog.begin() };
  }
}

function process(batch: SelectedBatch, context: BatchContext): PreparedBatch | Promise<PreparedBatch> {
  const { tasks, kind, indexUid } = batch;
  if (kind === 'taskCancelation') return cancelTasks(tasks, context);
  if (kind === 'taskDeletion') return deleteTasks(tasks, context);
  if (kind === 'exclusive') {
    const [only] = tasks;
    if (only?.work.type === 'documentEdition') return processEdition(only, indexUid ?? '', context);
    return processIndexTask(tasks, indexUid, context);
  }
  const uid = indexUid ?? '';
  const catalog = context.catalog.begin();
  if (catalog.get(uid) === null) {
    if (!tasks.some(mayCreateIndex)) throw indexNotFound(uid);
    catalog.create(uid, null, context.nowText);
  }
  if (kind === 'indexDeletion') return deleteIndex(tasks, uid, catalog);
  if (kind === 'clear') return clear(tasks, uid, catalog, context);
  if (kind === 'settings' || kind === 'clearAndSettings') return changeSettings(batch, uid, catalog, context);
  return changeDocuments(tasks, uid, catalog, context);
}

function mayCreateIndex({ work }: BatchTask): boolean {
  if (work.type === 'settingsUpdate') return work.allowIndexCreation && !work.isReset;
  return work.type === 'documentAdditionOrUpdate' && work.allowIndexCreation;
}

async function changeDocuments(
  tasks: readonly BatchTask[],
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<PreparedBatch> {
  const used = await useWriter(uid, catalog, context, async (writer) => {
    const operations = await toOperations(tasks, context);
    return { ...(await writer.applyDocuments(operations)), operations };
  });
  if (used.error !== null) return { outcomes: tasks.map((task) => failed(task, used.error)), catalog };
  const { results, primaryKey, segments, operations } = used.change;
  if (results.some(({ error }) => error === null)) {
    catalog.update(uid, { primaryKey, segments, updatedAt: context.nowText });
  }
  const isMixed = operations.some(({ kind }) => kind === 'upsert');
  const outcomes = tasks.map((task, i) => {
    const [result, operation] = [results[i], operations[i]];
    if (result?.taskUid !== task.uid || operation === undefined) throw new Error(`no result for task ${task.uid}`);
    const countsGiven = isMixed && operation.kind !== 'deleteFilter';
    return documentOutcome(task, result, countsGiven ? givenIds(operation) : result.deletedDocuments);
  });
  return { outcomes, catalog, written: used.written };
}

function documentOutcome(task: BatchTask, result: OperationResult, deletedDocuments: number): TaskOutcome {
  if (result.error !== null) return failed(task, result.error);
  const { indexedDocuments } = result;
  return succeeded(task, task.work.type === 'documentDeletion' ? { deletedDocuments } : { indexedDocuments });
}

/** Distinct ids that a deletion names. */
const givenIds = (operation: DocumentOperation): number =>
  operation.kind === 'deleteIds' ? new Set(operation.ids).size : 0;

async function toOperations(tasks: readonly BatchTask[], context: BatchContext): Promise<DocumentOperation[]> {
  const beside = tasks.filter(({ work }) => 'content' in work && work.content?.kind === 'beside').map(({ uid }) => uid);
  const values = await context.tasks.payloads(beside);
  const contents = new Map(beside.map((uid, i) => [uid, values[i] ?? null]));
  return tasks.map((task) => toOperation(task, contents.get(task.uid) ?? null, context));
}

function toOperation(
  { uid: taskUid, work }: BatchTask,
  beside: Uint8Array | null,
  context: BatchContext,
): DocumentOperation {
  if (work.type === 'documentAdditionOrUpdate') {
    const { method, format, primaryKey, skipCreation, content } = work;
    const payload = content.kind === 'file' ? spoolFile(taskUid, content, context) : beside;
    if (payload === null) throw new Error(`the payload of task ${taskUid} is missing`);
    const payloadBytes = content.bytes;
    return { taskUid, kind: 'upsert', method, payload, payloadBytes, format, primaryKey, skipCreation };
  }
  if (work.type !== 'documentDeletion') throw new Error(`task ${taskUid} is no document task`);
  if (work.content === null) return { taskUid, kind: 'deleteAll' };
  if (beside === null) throw new Error(`what task ${taskUid} deletes is missing`);
  const given: unknown = JSON.parse(new TextDecoder().decode(beside));
  if (work.hasFilter) return { taskUid, kind: 'deleteFilter', filter: given };
  return { taskUid, kind: 'deleteIds', ids: given as string[] };
}

function spoolFile(taskUid: number, file: { name: string; bytes: number }, { payloads }: BatchContext): string {
  const bytes = payloads.sizeOf(file.name);
  if (bytes !== file.bytes) {
    throw new Error(
      `payload file ${file.name} of task ${taskUid} has ${bytes ?? 'no'} bytes where ${file.bytes} were stored`,
    );
  }
  return payloads.pathOf(file.name);
}

async function changeSettings(
  { tasks, kind }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<PreparedBatch> {
  const isClear = kind === 'clearAndSettings';
  const index = catalog.must(uid);
  const { settings, errors } = foldSettings(tasks, index.settings, context);
  const outcomes = (error: WireError | null): TaskOutcome[] => {
    const cleared = isClear ? clearOutcomes(tasks, liveDocumentCount(index)) : [];
    return tasks.map((task) => {
      if (task.work.type !== 'settingsUpdate')
        return cleared.find(({ uid }) => uid === task.uid) ?? succeeded(task, {});
      const own = errors.get(task.uid) ?? error;
      return own === null ? succeeded(task, {}) : failed(task, own);
    });
  };
  const done = outcomes(null);
  if (done.every(({ status }) => status === 'failed')) return { outcomes: done, catalog };
  const updatedAt = context.nowText;
  const segments = isClear ? [] : index.segments;
  if (segments.length === 0 || JSON.stringify(settings) === JSON.stringify(index.settings)) {
    catalog.update(uid, { settings, segments, updatedAt });
    return { outcomes: done, catalog };
  }
  const used = await useWriter(uid, catalog, context, (writer) => writer.applySettings(settings));
  if (used.error !== null) return { outcomes: outcomes(used.error), catalog };
  catalog.update(uid, { settings, segments: used.change.segments, updatedAt });
  return { outcomes: done, catalog, written: used.written };
}

/** All updates in task order; one that fails changes nothing. */
function foldSettings(
  tasks: readonly BatchTask[],
  stored: Settings,
  context: BatchContext,
): { settings: Settings; errors: ReadonlyMap<number, WireError> } {
  let settings = stored;
  const errors = new Map<number, WireError>();
  for (const { uid, work } of tasks) {
    if (work.type !== 'settingsUpdate') continue;
    try {
      settings = applySettings(settings, work.settings);
    } catch (error) {
      errors.set(uid, toTaskError(error, context));
    }
  }
  return { settings, errors };
}

function clear(tasks: readonly BatchTask[], uid: string, catalog: CatalogChange, context: BatchContext): PreparedBatch {
  const outcomes = clearOutcomes(tasks, liveDocumentCount(catalog.must(uid)));
  catalog.update(uid, { segments: [], updatedAt: context.nowText });
  return { outcomes, catalog };
}

/** The first clear counts all documents; what it absorbed counts nothing. */
function clearOutcomes(tasks: readonly BatchTask[], documentCount: number): TaskOutcome[] {
  let deletedDocuments = documentCount;
  return tasks.map((task) => {
    if (task.work.type !== 'documentDeletion' || task.work.content !== null) return succeeded(task, {});
    const outcome = succeeded(task, { deletedDocuments });
    deletedDocuments = 0;
    return outcome;
  });
}

function deleteIndex(tasks: readonly BatchTask[], uid: string, catalog: CatalogChange): PreparedBatch {
  const deletedDocuments = liveDocumentCount(catalog.must(uid));
  catalog.delete(uid);
  const outcomes = tasks.map((task) => {
    if (task.work.type === 'indexDeletion') return succeeded(task, { deletedDocuments });
    if (task.work.type === 'documentAdditionOrUpdate') return succeeded(task, { indexedDocuments: 0 });
    const isByIds = task.work.type === 'documentDeletion' && task.work.content !== null;
    return succeeded(task, isByIds ? { deletedDocuments: 0 } : {});
  });
  return { outcomes, catalog };
}
