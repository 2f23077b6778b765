/** Tasks about whole indexes that no other task joins: creation, update (primary key, rename) and swaps. */
import { type CatalogChange, indexExists, indexNotFound } from '../catalog/index-catalog.ts';
import { liveDocumentCount } from '../catalog/manifest.ts';
import { ApiError } from '../core/errors.ts';
import type { IndexManifest } from '../model/index-manifest.ts';
import { type BatchContext, type PreparedBatch, succeeded } from './prepared-batch.ts';
import type { BatchTask } from './select-batch.ts';
import type { IndexSwap, TaskWork } from './task-content.ts';
import { isFinished, type TaskChange, type TaskStore } from './task-store.ts';
import type { TaskRow } from './task-table.ts';

/** Throws the `ApiError` that fails the task. */
export function processIndexTask(
  tasks: readonly BatchTask[],
  indexUid: string | null,
  context: BatchContext,
): PreparedBatch {
  const [task] = tasks;
  if (task === undefined || tasks.length !== 1) throw new Error('such a task is never merged with another');
  const catalog = context.catalog.begin();
  const { work } = task;
  const uid = indexUid ?? '';
  if (work.type === 'indexCreation') {
    catalog.create(uid, work.primaryKey, context.nowText);
    return { outcomes: [succeeded(task, {})], catalog };
  }
  if (work.type === 'indexUpdate') return updateIndex(task, work, uid, catalog, context);
  if (work.type === 'indexSwap') return swapIndexes(task, work.swaps, catalog, context);
  throw new ApiError('internal', `Tasks of type \`${work.type}\` cannot be processed.`);
}

function updateIndex(
  task: BatchTask,
  { primaryKey, newUid }: Extract<TaskWork, { type: 'indexUpdate' }>,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): PreparedBatch {
  const index = catalog.must(uid);
  if (primaryKey !== null) checkPrimaryKey(index, primaryKey);
  const isRename = newUid !== null && newUid !== uid;
  catalog.update(uid, {
    ...(primaryKey !== null && { primaryKey }),
    ...(isRename && { uid: newUid }),
    updatedAt: context.nowText,
  });
  const outcomes = [succeeded(task, { primaryKey: primaryKey ?? index.primaryKey })];
  if (!isRename) return { outcomes, catalog };
  const newNames = new Map([[uid, { newUid, createdAt: index.createdAt }]]);
  return { outcomes, catalog, changeTasks: (change) => renameTasks(change, context.tasks, task.uid, newNames) };
}

function checkPrimaryKey(index: IndexManifest, primaryKey: string): void {
  if (index.primaryKey === null || index.primaryKey === primaryKey || liveDocumentCount(index) === 0) return;
  throw new ApiError(
    'index_primary_key_already_exists',
    `Index \`${index.uid}\`: the primary key is \`${index.primaryKey}\` and cannot become \`${primaryKey}\` while the index holds documents.`,
  );
}

function swapIndexes(
  task: BatchTask,
  swaps: readonly IndexSwap[],
  catalog: CatalogChange,
  context: BatchContext,
): PreparedBatch {
  const newNames = new Map<string, NewName>();
  for (const { indexes, rename } of swaps) {
    const [a, b] = indexes;
    checkSwap(catalog, a, b, rename);
    if (rename) {
      newNames.set(a, { newUid: b, createdAt: catalog.must(a).createdAt });
      catalog.update(a, { uid: b, updatedAt: context.nowText });
    } else {
      catalog.swap(a, b, context.nowText);
      newNames.set(a, { newUid: b, createdAt: null });
      newNames.set(b, { newUid: a, createdAt: null });
    }
  }
  const changeTasks = (change: TaskChange) => renameTasks(change, context.tasks, task.uid, newNames);
  return { outcomes: [succeeded(task, {})], catalog, changeTasks };
}

function checkSwap(catalog: CatalogChange, a: string, b: string, rename: boolean): void {
  const missing = [a, ...(rename ? [] : [b])].filter((uid) => catalog.get(uid) === null);
  const [first, second] = missing;
  if (second !== undefined) throw new ApiError('index_not_found', `Indexes \`${first}\`, \`${second}\` not found.`);
  if (first !== undefined) throw indexNotFound(first);
  if (rename && catalog.get(b) !== null) throw indexExists(b);
}

interface NewName {
  readonly newUid: string;
  /** Tasks that failed before this date keep the old name; null = none does. */
  readonly createdAt: string | null;
}

/** Rewrites the index of the tasks that came before the renaming one; they are all finished. */
function renameTasks(
  change: TaskChange,
  tasks: TaskStore,
  before: number,
  newNames: ReadonlyMap<string, NewName>,
): void {
  for (const row of tasks.rows()) {
    if (row.uid >= before) break;
    const name = row.indexUid === null ? undefined : newNames.get(row.indexUid);
    if (name === undefined || !isFinished(row.status) || failedBefore(row, name.createdAt)) continue;
    change.rewriteRow({ ...row, indexUid: name.newUid });
  }
}

function failedBefore({ status, finishedAt }: TaskRow, createdAt: string | null): boolean {
  if (status !== 'failed' || finishedAt === null || createdAt === null) return false;
  return finishedAt / 1000 < Date.parse(createdAt);
}
