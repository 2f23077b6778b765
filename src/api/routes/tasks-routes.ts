/** Task and batch routes: list, read, stream, cancel, delete. */
import type { Access } from '../../auth/access.ts';
import { ApiError } from '../../core/errors.ts';
import { TaskFilterQuery, TaskListQuery } from '../../model/schemas/task-schema.ts';
import type {
  Changes,
  ChangesQuery,
  TaskPageQuery,
  TaskQuery,
  TaskRecord,
} from '../../model/task.ts';
import type { Answer } from '../contract/answer.ts';
import type { ApiContext, Indexer } from '../contract/context.ts';
import { enqueued } from '../contract/enqueued.ts';
import { eventStream } from '../contract/event-stream.ts';
import { defineRoute, type Route, type RouteRequest } from '../contract/route.ts';
import { parseUid, toTaskPageQuery, toTaskSelection, withIndexes } from '../task-query.ts';
import { batchFor, taskFor } from '../task-view.ts';

/** Restricts a query to the tasks that the caller may see. */
const scopeOf = ({ taskIndexes }: Access): Pick<TaskQuery, 'indexScope'> =>
  taskIndexes === null ? {} : { indexScope: taskIndexes };

/** @throws ApiError `invalid_task_uids`, `task_not_found` */
async function taskOf(
  indexer: Indexer,
  { isRestricted, reaches }: Access,
  { taskUid }: { readonly taskUid: string },
): Promise<TaskRecord> {
  const uid = parseUid(taskUid, 'taskUid', 'invalid_task_uids');
  const task = await indexer.request('getTask', { uid });
  if (task === null || (isRestricted && (task.indexUid === null || !reaches(task.indexUid))))
    throw new ApiError('task_not_found', `There is no task ${uid}.`);
  return task;
}

const onSelected =
  (type: 'taskCancelation' | 'taskDeletion') =>
  (
    { indexer, aliases }: Pick<ApiContext, 'indexer' | 'aliases'>,
    { access, query, rawQuery }: RouteRequest<unknown, TaskFilterQuery, unknown>,
  ): Promise<Answer> =>
    enqueued(
      indexer,
      {
        type,
        query: { ...toTaskSelection(withIndexes(query, aliases)), ...scopeOf(access) },
        originalFilter: `?${rawQuery}`,
      },
      200,
    );

/** One event per change. @param shown the record as the caller may see it */
const changesOf =
  <R>(
    changesAfter: (indexer: Indexer, query: ChangesQuery) => Promise<Changes<R>>,
    shown: (access: Access, record: R) => R,
  ) =>
  async ({ indexer, clock }: ApiContext, { access }: { readonly access: Access }) => {
    const watch = async (after: number | null): Promise<Changes<R>> => {
      const changes = await changesAfter(indexer, { after, ...scopeOf(access) });
      return { ...changes, records: changes.records.map((record) => shown(access, record)) };
    };
    return eventStream((await watch(null)).next, watch, clock.monotonic);
  };

const onlyBatch = (uid: number): TaskPageQuery => ({
  batchUids: [uid],
  limit: 1,
  from: null,
  reverse: false,
});

export const taskRoutes: readonly Route[] = [
  defineRoute({
    id: 'tasks.list',
    endpoint: 'GET /tasks',
    action: 'tasks.get',
    summary: 'List tasks, newest first',
    query: TaskListQuery,
    handler: async ({ indexer, aliases }, { access, query }) => {
      const asked = { ...toTaskPageQuery(withIndexes(query, aliases)), ...scopeOf(access) };
      const page = await indexer.request('listTasks', asked);
      const results = page.results.map((each) => taskFor(access, each));
      return { status: 200, json: { ...page, results } };
    },
  }),
  defineRoute({
    id: 'tasks.get',
    endpoint: 'GET /tasks/:taskUid',
    action: 'tasks.get',
    summary: 'Read one task',
    errors: ['invalid_task_uids', 'task_not_found'],
    handler: async ({ indexer }, { access, params }) => {
      return { status: 200, json: taskFor(access, await taskOf(indexer, access, params)) };
    },
  }),
  defineRoute({
    id: 'tasks.documents',
    endpoint: 'GET /tasks/:taskUid/documents',
    action: 'tasks.get',
    summary: 'Read the documents of a task until it is processed',
    feature: 'getTaskDocumentsRoute',
    errors: ['invalid_task_uids', 'task_not_found', 'task_file_not_found'],
    handler: async ({ indexer, payloads }, { access, params }) => {
      const { uid } = await taskOf(indexer, access, params);
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
  }),
  defineRoute({
    id: 'tasks.stream',
    endpoint: 'GET /tasks/stream',
    action: 'tasks.get',
    summary: 'Stream task updates: one event per change of status',
    feature: 'tasksStreamingRoute',
    errors: ['too_many_search_requests'],
    handler: changesOf((indexer, query) => indexer.request('watchTasks', query), taskFor),
  }),
  defineRoute({
    id: 'tasks.cancel',
    endpoint: 'POST /tasks/cancel',
    action: 'tasks.cancel',
    summary: 'Cancel the selected unfinished tasks',
    query: TaskFilterQuery,
    errors: ['missing_task_filters'],
    handler: onSelected('taskCancelation'),
  }),
  defineRoute({
    id: 'tasks.delete',
    endpoint: 'DELETE /tasks',
    action: 'tasks.delete',
    summary: 'Delete the selected finished tasks',
    query: TaskFilterQuery,
    errors: ['missing_task_filters'],
    handler: onSelected('taskDeletion'),
  }),
  defineRoute({
    id: 'batches.list',
    endpoint: 'GET /batches',
    action: 'tasks.get',
    summary: 'List batches, newest first',
    query: TaskListQuery,
    handler: async ({ indexer, aliases }, { access, query }) => {
      const asked = { ...toTaskPageQuery(withIndexes(query, aliases)), ...scopeOf(access) };
      const page = await indexer.request('listBatches', asked);
      const results = page.results.map((each) => batchFor(access, each));
      return { status: 200, json: { ...page, results } };
    },
  }),
  defineRoute({
    id: 'batches.get',
    endpoint: 'GET /batches/:batchUid',
    action: 'tasks.get',
    summary: 'Read one batch',
    errors: ['invalid_batch_uids', 'batch_not_found'],
    handler: async ({ indexer }, { access, params }) => {
      const uid = parseUid(params.batchUid, 'batchUid', 'invalid_batch_uids');
      const batch = access.isRestricted
        ? (await indexer.request('listBatches', { ...onlyBatch(uid), ...scopeOf(access) }))
            .results[0]
        : await indexer.request('getBatch', { uid });
      if (!batch) throw new ApiError('batch_not_found', `There is no batch ${uid}.`);
      return { status: 200, json: batchFor(access, batch) };
    },
  }),
  defineRoute({
    id: 'batches.stream',
    endpoint: 'GET /batches/stream',
    action: 'tasks.get',
    summary: 'Stream batch updates: one event per start, progress and end',
    feature: 'tasksStreamingRoute',
    errors: ['too_many_search_requests'],
    handler: changesOf((indexer, query) => indexer.request('watchBatches', query), batchFor),
  }),
];
