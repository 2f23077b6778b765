/**
 * Processes a selected batch up to its commit; nothing is visible yet. A failure becomes
 * the error of the tasks; only a failure of the object store rejects.
 */
import type { CatalogChange } from '../../catalog/index-catalog.ts';
import { indexNotFound, type WireError } from '../../core/errors.ts';
import type { BatchKind } from '../batching/autobatcher.ts';
import type { SelectedBatch } from '../batching/select-batch.ts';
import {
  type BatchContext,
  type PreparedBatch,
  toTaskError,
} from '../processing/prepared-batch.ts';
import { failed } from '../processing/task-outcomes.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import { clearIndex } from './document-deletion.ts';
import { changeDocuments } from './documents-batch.ts';
import { deleteIndex } from './index-deletion.ts';
import { changeSearchRules } from './search-rules.ts';
import { changeSettings } from './settings-update.ts';
import type { BackgroundKind } from './task-kind.ts';
import { kindOf, QUEUE_RULES } from './task-kinds.ts';

type Process = (
  batch: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
) => PreparedBatch | Promise<PreparedBatch>;

const MERGED: Readonly<Record<Exclude<BatchKind, 'exclusive' | 'searchRules'>, Process>> = {
  documents: changeDocuments,
  deletions: changeDocuments,
  deletionsByFilter: changeDocuments,
  clear: clearIndex,
  settings: changeSettings,
  clearAndSettings: changeSettings,
  indexDeletion: deleteIndex,
};

export async function processBatch(
  batch: SelectedBatch,
  context: BatchContext,
): Promise<PreparedBatch> {
  try {
    return await process(batch, context);
  } catch (error) {
    const outcomes = failedTasks(batch, toTaskError(error, context));
    return { outcomes, catalog: context.catalog.begin() };
  }
}

const failedTasks = ({ tasks }: SelectedBatch, error: WireError): readonly TaskOutcome[] =>
  tasks.map((task) => failed(task, error));

/** Outcomes of a batch that is not retried. @param times number of process ends during the batch */
export const abandonedTasks = (batch: SelectedBatch, times: number): readonly TaskOutcome[] =>
  failedTasks(batch, {
    code: 'internal',
    message: `The indexer ended unexpectedly ${times} times while it processed this task, which is not tried again.`,
  });

function process(
  batch: SelectedBatch,
  context: BatchContext,
): PreparedBatch | Promise<PreparedBatch> {
  const { tasks, kind, indexUid } = batch;
  const uid = indexUid ?? '';
  if (kind === 'searchRules') return changeSearchRules(batch, context);
  if (kind !== 'exclusive') return MERGED[kind](batch, uid, existing(batch, uid, context), context);
  const [first] = tasks;
  if (first === undefined) throw new Error('a batch without a task');
  const own = kindOf(first.work.type);
  if (own.turn === 'urgent') return own.process(tasks, context);
  if (own.turn === 'alone') return own.process(first, uid, context);
  if (own.turn === 'background') return processInBackground(own, batch, context);
  throw new Error(`task ${first.uid} of type ${first.work.type} is in a batch of its own`);
}

/** The batch runs while other batches are committed. */
async function processInBackground(
  kind: BackgroundKind,
  { tasks }: SelectedBatch,
  context: BatchContext,
): Promise<PreparedBatch> {
  const work = await context.betweenCommits(() => kind.begin(tasks, context));
  return { outcomes: await work(), catalog: context.catalog.begin() };
}

/**
 * A catalog change that contains the index; creates the index if the tasks may. @throws ApiError
 */
function existing({ tasks }: SelectedBatch, uid: string, context: BatchContext): CatalogChange {
  const catalog = context.catalog.begin();
  if (catalog.get(uid) !== null) return catalog;
  const mayCreate = tasks.some(
    ({ work }) => QUEUE_RULES.candidateOf(work).allowIndexCreation === true,
  );
  if (!mayCreate) throw indexNotFound(uid);
  catalog.create(uid, null, context.nowText);
  return catalog;
}
