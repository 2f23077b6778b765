/** Task and batch routes: list, read, cancel, delete. */
import type { Access } from '../../auth/access.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { NoQuery } from '../../model/index-schema.ts';
import type { TaskPageQuery, TaskQuery, TaskRecord } from '../../model/task.ts';
import { TaskFilterQuery, TaskListQuery } from '../../model/task-schema.ts';
import { defineRoute, type Route } from '../route.ts';
import { parseUid, toTaskPageQuery, toTaskSelection } from '../task-query.ts';

const FILTER_ERRORS: readonly ErrorCode[] = [
  'invalid_task_uids',
  'invalid_batch_uids',
  'invalid_task_canceled_by',
  'invalid_task_types',
  'invalid_task_statuses',
  'invalid_index_uid',
  'invalid_task_before_enqueued_at',
  'invalid_task_after_enqueued_at',
  'invalid_task_before_started_at',
  'invalid_task_after_started_at',
  'invalid_task_before_finished_at',
  'invalid_task_after_finished_at',
];
const LIST_ERRORS: readonly ErrorCode[] = [
  ...FILTER_ERRORS,
  'invalid_task_limit',
  'invalid_task_from',
  'invalid_task_reverse',
];

/** What a task must match to be seen. */
const scopeOf = ({ taskIndexes }: Access): Pick<TaskQuery, 'indexScope'> =>
  taskIndexes === null ? {} : { indexScope: taskIndexes };

const isVisible = ({ indexUid }: TaskRecord, { isRestricted, reaches }: Access): boolean =>
  !isRestricted || (indexUid !== null && reaches(indexUid));

const onlyBatch = (uid: number): TaskPageQuery => ({ batchUids: [uid], limit: 1, from: null, reverse: false });

const listTasks = defineRoute({
  id: 'tasks.list',
  method: 'GET',
  path: '/tasks',
  action: 'tasks.get',
  summary: 'List tasks, newest first',
  query: TaskListQuery,
  errors: LIST_ERRORS,
  handler: async ({ indexer }, { access, query }) => ({
    status: 200,
    json: await indexer.request('listTasks', { ...toTaskPageQuery(query), ...scopeOf(access) }),
  }),
});

const getTask = defineRoute({
  id: 'tasks.get',
  method: 'GET',
  path: '/tasks/:taskUid',
  action: 'tasks.get',
  summary: 'Read one task',
  query: NoQuery,
  errors: ['invalid_task_uids', 'task_not_found'],
  handler: async ({ indexer }, { access, params }) => {
    const uid = parseUid(params.taskUid, 'taskUid', 'invalid_task_uids');
    const task = await indexer.request('getTask', { uid });
    if (task === null || !isVisible(task, access)) throw new ApiError('task_not_found', `There is no task ${uid}.`);
    return { status: 200, json: task };
  },
});

const cancelTasks = defineRoute({
  id: 'tasks.cancel',
  method: 'POST',
  path: '/tasks/cancel',
  action: 'tasks.cancel',
  summary: 'Cancel the selected tasks that have not finished',
  query: TaskFilterQuery,
  errors: [...FILTER_ERRORS, 'missing_task_filters'],
  handler: async ({ indexer }, { access, query, rawQuery }) => ({
    status: 200,
    json: await indexer.request('enqueue', {
      type: 'taskCancelation',
      query: { ...toTaskSelection(query), ...scopeOf(access) },
      originalFilter: `?${rawQuery}`,
    }),
  }),
});

const deleteTasks = defineRoute({
  id: 'tasks.delete',
  method: 'DELETE',
  path: '/tasks',
  action: 'tasks.delete',
  summary: 'Delete the selected tasks that have finished',
  query: TaskFilterQuery,
  errors: [...FILTER_ERRORS, 'missing_task_filters'],
  handler: async ({ indexer }, { access, query, rawQuery }) => ({
    status: 200,
    json: await indexer.request('enqueue', {
      type: 'taskDeletion',
      query: { ...toTaskSelection(query), ...scopeOf(access) },
      originalFilter: `?${rawQuery}`,
    }),
  }),
});

const listBatches = defineRoute({
  id: 'batches.list',
  method: 'GET',
  path: '/batches',
  action: 'tasks.get',
  summary: 'List batches, newest first',
  query: TaskListQuery,
  errors: LIST_ERRORS,
  handler: async ({ indexer }, { access, query }) => ({
    status: 200,
    json: await indexer.request('listBatches', { ...toTaskPageQuery(query), ...scopeOf(access) }),
  }),
});

const getBatch = defineRoute({
  id: 'batches.get',
  method: 'GET',
  path: '/batches/:batchUid',
  action: 'tasks.get',
  summary: 'Read one batch',
  query: NoQuery,
  errors: ['invalid_batch_uids', 'batch_not_found'],
  handler: async ({ indexer }, { access, params }) => {
    const uid = parseUid(params.batchUid, 'batchUid', 'invalid_batch_uids');
    const batch = access.isRestricted
      ? (await indexer.request('listBatches', { ...onlyBatch(uid), ...scopeOf(access) })).results[0]
      : await indexer.request('getBatch', { uid });
    if (!batch) throw new ApiError('batch_not_found', `There is no batch ${uid}.`);
    return { status: 200, json: batch };
  },
});

export const taskRoutes: readonly Route[] = [listTasks, getTask, cancelTasks, deleteTasks, listBatches, getBatch];
