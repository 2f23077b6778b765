/** Query strings of the task and batch routes; api/task-query.ts checks their values further. */
import Type, { type Static } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { TASK_UID_MAX } from '../task.ts';
import { closed, flag, integer, text } from './schema.ts';

const list = (code: ErrorCode, expects: string) =>
  Type.Optional(Type.Array(Type.String(), { code, expects, text: 'list' }));
const date = (code: ErrorCode) => Type.Optional(text(code, 'a date (RFC 3339 or `YYYY-MM-DD`)'));

const filterMembers = {
  uids: list('invalid_task_uids', 'task uids separated by commas, or `*`'),
  batchUids: list('invalid_batch_uids', 'batch uids separated by commas, or `*`'),
  canceledBy: list('invalid_task_canceled_by', 'task uids separated by commas, or `*`'),
  types: list('invalid_task_types', 'task types separated by commas, or `*`'),
  statuses: list('invalid_task_statuses', 'task statuses separated by commas, or `*`'),
  indexUids: list('invalid_index_uid', 'index uids separated by commas, or `*`'),
  beforeEnqueuedAt: date('invalid_task_before_enqueued_at'),
  afterEnqueuedAt: date('invalid_task_after_enqueued_at'),
  beforeStartedAt: date('invalid_task_before_started_at'),
  afterStartedAt: date('invalid_task_after_started_at'),
  beforeFinishedAt: date('invalid_task_before_finished_at'),
  afterFinishedAt: date('invalid_task_after_finished_at'),
};

const number32 = (code: ErrorCode) => Type.Optional(integer(code, 0, TASK_UID_MAX));

export const TaskFilterQuery = closed(filterMembers);
export type TaskFilterQuery = Static<typeof TaskFilterQuery>;

export const TaskListQuery = closed({
  ...filterMembers,
  limit: number32('invalid_task_limit'),
  from: number32('invalid_task_from'),
  reverse: Type.Optional(flag('invalid_task_reverse')),
});
export type TaskListQuery = Static<typeof TaskListQuery>;
