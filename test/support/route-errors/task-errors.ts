/** Requests about tasks and batches that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import { get, type RouteErrorCase, raw, remove } from './refused-request.ts';

const taskFilters = [
  ['uids=a', 'invalid_task_uids'],
  ['uids=4294967296', 'invalid_task_uids'],
  ['batchUids=1,x', 'invalid_batch_uids'],
  ['canceledBy=-1', 'invalid_task_canceled_by'],
  ['types=foo', 'invalid_task_types'],
  ['statuses=done', 'invalid_task_statuses'],
  ['indexUids=a%20b', 'invalid_index_uid'],
  ['beforeEnqueuedAt=yesterday', 'invalid_task_before_enqueued_at'],
  ['afterEnqueuedAt=2024-02-30', 'invalid_task_after_enqueued_at'],
  ['beforeStartedAt=2024', 'invalid_task_before_started_at'],
  ['afterStartedAt=2024-01-01T25:00:00Z', 'invalid_task_after_started_at'],
  ['beforeFinishedAt=', 'invalid_task_before_finished_at'],
  ['afterFinishedAt=1700000000', 'invalid_task_after_finished_at'],
  ['foo=1', 'bad_request'],
] as const satisfies readonly (readonly [string, ErrorCode])[];

const pageFilters = [
  ['limit=a', 'invalid_task_limit'],
  ['limit=4294967296', 'invalid_task_limit'],
  ['from=x', 'invalid_task_from'],
  ['from=4294967296', 'invalid_task_from'],
  ['reverse=1', 'invalid_task_reverse'],
] as const;

const DOCUMENTS_ON = { features: { getTaskDocumentsRoute: true } };

const taskCases: readonly RouteErrorCase[] = [
  ...[...taskFilters, ...pageFilters].flatMap(([query, code]) => [
    get('tasks.list', `/tasks?${query}`, code),
    get('batches.list', `/batches?${query}`, code),
  ]),
  ...taskFilters.flatMap(([query, code]) => [
    raw('tasks.cancel', 'POST', `/tasks/cancel?${query}`, {}, code),
    remove('tasks.delete', `/tasks?${query}`, code),
  ]),
  raw('tasks.cancel', 'POST', '/tasks/cancel', {}, 'missing_task_filters'),
  raw('tasks.cancel', 'POST', '/tasks/cancel?limit=1', {}, 'bad_request'),
  remove('tasks.delete', '/tasks', 'missing_task_filters'),
  get('tasks.get', '/tasks/abc', 'invalid_task_uids'),
  get('tasks.get', '/tasks/1', 'task_not_found'),
  get('tasks.documents', '/tasks/1/documents', 'feature_not_enabled'),
  { ...get('tasks.documents', '/tasks/x/documents', 'invalid_task_uids'), ...DOCUMENTS_ON },
  { ...get('tasks.documents', '/tasks/1/documents', 'task_not_found'), ...DOCUMENTS_ON },
  raw('tasks.compact', 'POST', '/tasks/compact', {}, 'feature_not_enabled'),
  get('tasks.stream', '/tasks/stream', 'feature_not_enabled'),
  get('batches.stream', '/batches/stream', 'feature_not_enabled'),
  get('batches.get', '/batches/-1', 'invalid_batch_uids'),
  get('batches.get', '/batches/1', 'batch_not_found'),
];

export const taskErrors: readonly RouteErrorCase[] = [...taskCases];
