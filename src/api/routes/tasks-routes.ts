/** Task and batch routes: list, read, stream, cancel, delete. */
import type { Access } from '../../auth/access.ts';
import { ApiError } from '../../core/errors.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { TaskFilterQuery, TaskListQuery } from '../../model/schemas/task-schema.ts';
import type { TaskPageQuery, TaskQuery, TaskRecord } from '../../model/task.ts';
import { eventStream } from '../contract/event-stream.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { parseUid, toTaskPageQuery, toTaskSelection } from '../task-query.ts';

/** Restricts tasks to those that the caller may see. */
const scopeOf = ({ taskIndexes }: Access): Pick<TaskQuery, 'indexScope'> =>
  taskIndexes === null ? {} : { indexScope: taskIndexes };

const isVisible = ({ indexUid }: TaskRecord, { isRestricted, reaches }: Access): boolean =>
  !isRestricted || (indexUid !== null && reaches(indexUid));

const onlyBatch = (uid: number): TaskPageQuery => ({
  batchUids: [uid],
  limit: 1,
  from: null,
  reverse: false,
});

const listTasks = defineRoute({
  id: 'tasks.list',
  method: 'GET',
  path: '/tasks',
  action: 'tasks.get',
  summary: 'List tasks, newest first',
  query: TaskListQuery,
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
    if (task === null || !isVisible(task, access))
      throw new ApiError('task_not_found', `There is no task ${uid}.`);
    return { status: 200, json: task };
  },
});

const getTaskDocuments = defineRoute({
  id: 'tasks.documents',
  method: 'GET',
  path: '/tasks/:taskUid/documents',
  action: 'tasks.get',
  summary: 'Read the documents of a task until it is processed',
  query: NoQuery,
  errors: ['invalid_task_uids', 'feature_not_enabled', 'task_not_found', 'task_file_not_found'],
  handler: async ({ indexer, payloads, features }, { access, params }) => {
    requireFeature(features, 'getTaskDocumentsRoute');
    const uid = parseUid(params.taskUid, 'taskUid', 'invalid_task_uids');
    const task = await indexer.request('getTask', { uid });
    if (task === null || !isVisible(task, access))
      throw new ApiError('task_not_found', `There is no task ${uid}.`);
    const stored = await indexer.request('getPayload', { uid });
    const lines = stored === null ? null : payloads.readDocuments(stored.payload, stored.format);
    if (lines === null)
      throw new ApiError(
        'task_file_not_found',
        `Task ${uid} brings no documents, or has been processed and does not keep them.`,
      );
    return {
      status: 200,
      contentType: 'application/x-ndjson',
      isFinite: true,
      stream: () => lines,
    };
  },
});

const streamTasks = defineRoute({
  id: 'tasks.stream',
  method: 'GET',
  path: '/tasks/stream',
  action: 'tasks.get',
  summary: 'Stream task updates: one event per change of status',
  query: NoQuery,
  errors: ['feature_not_enabled', 'too_many_search_requests'],
  handler: async ({ indexer, features, clock }, { access }) => {
    requireFeature(features, 'tasksStreamingRoute');
    const watch = (after: number | null) =>
      indexer.request('watchTasks', { after, ...scopeOf(access) });
    return eventStream((await watch(null)).next, watch, clock.monotonic);
  },
});

const cancelTasks = defineRoute({
  id: 'tasks.cancel',
  method: 'POST',
  path: '/tasks/cancel',
  action: 'tasks.cancel',
  summary: 'Cancel the selected unfinished tasks',
  query: TaskFilterQuery,
  errors: ['missing_task_filters'],
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
  summary: 'Delete the selected finished tasks',
  query: TaskFilterQuery,
  errors: ['missing_task_filters'],
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
  handler: async ({ indexer }, { access, query }) => ({
    status: 200,
    json: await indexer.request('listBatches', { ...toTaskPageQuery(query), ...scopeOf(access) }),
  }),
});

const streamBatches = defineRoute({
  id: 'batches.stream',
  method: 'GET',
  path: '/batches/stream',
  action: 'tasks.get',
  summary: 'Stream batch updates: one event per start, progress and end',
  query: NoQuery,
  errors: ['feature_not_enabled', 'too_many_search_requests'],
  handler: async ({ indexer, features, clock }, { access }) => {
    requireFeature(features, 'tasksStreamingRoute');
    const watch = (after: number | null) =>
      indexer.request('watchBatches', { after, ...scopeOf(access) });
    return eventStream((await watch(null)).next, watch, clock.monotonic);
  },
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

export const taskRoutes: readonly Route[] = [
  listTasks,
  getTask,
  getTaskDocuments,
  streamTasks,
  cancelTasks,
  deleteTasks,
  listBatches,
  getBatch,
  streamBatches,
];
