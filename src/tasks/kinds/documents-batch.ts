/** A batch of additions and deletions of one index. */
import type { CatalogChange } from '../../catalog/index-catalog.ts';
import {
  type DocumentOperation,
  manifestChange,
  type OperationResult,
  type PreparedDocuments,
} from '../../indexing/batch/document-operations.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import {
  type BatchContext,
  type PreparedBatch,
  toTaskError,
  withWriter,
} from '../processing/prepared-batch.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import { additionOperation, isAddition, receivedDocuments } from './document-addition.ts';
import { deletionOperation, isDeletion } from './document-deletion.ts';

const STEPS = [
  'reading tasks',
  'parsing documents',
  'resolving document ids',
  'building segments',
  'committing',
] as const;

/** @param catalog contains the index */
export async function changeDocuments(
  { tasks }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<PreparedBatch> {
  context.progress.plan(STEPS);
  try {
    const { change, written } = await withWriter(uid, catalog, context, async (writer) => {
      const operations = await toOperations(tasks, context);
      context.progress.begin('parsing documents', documentCount(tasks));
      return { ...(await writer.applyDocuments(operations, context.progress)), operations };
    });
    const outcomes = toOutcomes(tasks, change);
    if (change.results.some(({ error }) => error === null))
      catalog.update(uid, { ...manifestChange(change), updatedAt: context.nowText });
    return { outcomes, catalog, written };
  } catch (failure) {
    const error = toTaskError(failure, context);
    const isToBeSplit = (error.document ?? null) !== null;
    return { outcomes: tasks.map((task) => failed(task, error)), catalog, isToBeSplit };
  }
}

function toOutcomes(
  tasks: readonly BatchTask[],
  {
    results,
    operations,
  }: Pick<PreparedDocuments, 'results'> & {
    readonly operations: readonly DocumentOperation[];
  },
): TaskOutcome[] {
  const isMixed = operations.some(({ kind }) => kind === 'upsert');
  return tasks.map((task, i) => {
    const [result, operation] = [results[i], operations[i]];
    if (result?.taskUid !== task.uid || operation === undefined)
      throw new Error(`no result for task ${task.uid}`);
    const countsGiven = isMixed && operation.kind !== 'deleteFilter';
    return toOutcome(task, result, countsGiven ? givenIds(operation) : result.deletedDocuments);
  });
}

function toOutcome(
  task: BatchTask,
  { error, indexedDocuments }: OperationResult,
  deletedDocuments: number,
): TaskOutcome {
  if (error !== null) return failed(task, error);
  return succeeded(task, isDeletion(task) ? { deletedDocuments } : { indexedDocuments });
}

const givenIds = (operation: DocumentOperation): number =>
  operation.kind === 'deleteIds' ? new Set(operation.ids).size : 0;

const documentCount = (tasks: readonly BatchTask[]): number =>
  tasks.reduce((sum, task) => sum + (isAddition(task) ? receivedDocuments(task) : 0), 0);

async function toOperations(
  tasks: readonly BatchTask[],
  context: BatchContext,
): Promise<DocumentOperation[]> {
  context.progress.begin('reading tasks', tasks.length);
  const uids = tasks.filter(({ work }) => work.content?.kind === 'beside').map(({ uid }) => uid);
  const values = await context.tasks.payloads(uids);
  const contents = new Map(uids.map((uid, i) => [uid, values[i] ?? null]));
  return tasks.map((task) => {
    const contentBytes = contents.get(task.uid) ?? null;
    if (isAddition(task)) return additionOperation(task, contentBytes, context.payloads);
    if (isDeletion(task)) return deletionOperation(task, contentBytes);
    throw new Error(`task ${task.uid} is no document task`);
  });
}
