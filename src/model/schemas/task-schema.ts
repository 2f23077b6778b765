/** Query strings of the task and batch routes, and the values in them. */
import Type, { type Static } from 'typebox';
import { DAY, DAY_MS, dayMs, RFC_3339 } from '../../core/calendar-day.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { SEARCH_RULES_UID } from '../search-rule.ts';
import { TASK_STATUSES, TASK_TYPES, TASK_UID_MAX } from '../task.ts';
import { closed, flag, INDEX_UID, integer, isIndexUid, ruled, text } from './schema.ts';

/** A uid of a path or query string; null for other text. */
export function readUid(uid: string): number | null {
  const number = /^\+?\d{1,10}$/.test(uid) ? Number(uid) : Number.NaN;
  return number <= TASK_UID_MAX ? number : null;
}

const readIn =
  (known: readonly string[]) =>
  (value: string): string | null =>
    known.find((each) => each.toLowerCase() === value.toLowerCase()) ?? null;

const readIndexUid = (uid: string): string | null =>
  isIndexUid(uid) || uid === SEARCH_RULES_UID ? uid : null;

/** The values of the lists that restrict; null for an invalid one. */
export const TASK_LISTS = {
  uids: readUid,
  batchUids: readUid,
  canceledBy: readUid,
  types: readIn(TASK_TYPES),
  statuses: readIn(TASK_STATUSES),
  indexUids: readIndexUid,
} as const;

/**
 * Microseconds since 1970, as in tasks; a plain day is its first instant, or with `wholeDay` the
 * first instant of the next day. NaN for an invalid date.
 */
export function parseDate(date: string, wholeDay: boolean): number {
  if (DAY.test(date)) return (dayMs(date) + (wholeDay ? DAY_MS : 0)) * 1000;
  const [, day, time, fraction = '.', zone] = RFC_3339.exec(date) ?? [];
  if (day === undefined || Number.isNaN(dayMs(day))) return Number.NaN;
  const second = Date.parse(`${day}T${time}${zone?.toUpperCase()}`) * 1000;
  return second + Number(`${fraction.slice(1, 7).padEnd(6, '0')}.${fraction.slice(7)}`);
}

/** @param one a value, in words */
const listOf = (field: keyof typeof TASK_LISTS, code: ErrorCode, values: string, one: string) => {
  const expects = `${values} separated by commas, or \`*\``;
  const problem = (value: string) =>
    value === '*' || TASK_LISTS[field](value) !== null
      ? null
      : `\`${field}\` names \`${value}\`, expected ${one}.`;
  return Type.Optional(Type.Array(ruled(Type.String(), problem), { code, expects, text: 'list' }));
};

const UID = `an integer from 0 to ${TASK_UID_MAX}`;
const oneIn = (known: readonly string[]): string => `one of ${known.join(', ')}`;

const date = (field: string, code: ErrorCode) => {
  const problem = (value: string) =>
    value === '*' || !Number.isNaN(parseDate(value, false))
      ? null
      : `\`${field}\` is \`${value}\`, expected a date such as 2024-08-08T17:05:55Z or 2024-08-08.`;
  return Type.Optional(ruled(text(code, 'a date (RFC 3339 or `YYYY-MM-DD`)'), problem));
};

export const TASK_DATES = {
  beforeEnqueuedAt: date('beforeEnqueuedAt', 'invalid_task_before_enqueued_at'),
  afterEnqueuedAt: date('afterEnqueuedAt', 'invalid_task_after_enqueued_at'),
  beforeStartedAt: date('beforeStartedAt', 'invalid_task_before_started_at'),
  afterStartedAt: date('afterStartedAt', 'invalid_task_after_started_at'),
  beforeFinishedAt: date('beforeFinishedAt', 'invalid_task_before_finished_at'),
  afterFinishedAt: date('afterFinishedAt', 'invalid_task_after_finished_at'),
};

const filterMembers = {
  uids: listOf('uids', 'invalid_task_uids', 'task uids', UID),
  batchUids: listOf('batchUids', 'invalid_batch_uids', 'batch uids', UID),
  canceledBy: listOf('canceledBy', 'invalid_task_canceled_by', 'task uids', UID),
  types: listOf('types', 'invalid_task_types', 'task types', oneIn(TASK_TYPES)),
  statuses: listOf('statuses', 'invalid_task_statuses', 'task statuses', oneIn(TASK_STATUSES)),
  indexUids: listOf('indexUids', 'invalid_index_uid', 'index uids', INDEX_UID.expects),
  ...TASK_DATES,
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
