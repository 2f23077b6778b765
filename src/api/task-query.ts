/** Parses the filters of the task and batch routes. */

import { DAY_MS, dayMs, RFC_3339 } from '../core/calendar-day.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { AliasTable } from '../model/alias.ts';
import { INDEX_UID, isIndexUid } from '../model/schemas/schema.ts';
import type { TaskFilterQuery, TaskListQuery } from '../model/schemas/task-schema.ts';
import { SEARCH_RULES_UID } from '../model/search-rule.ts';
import {
  TASK_STATUSES,
  TASK_TYPES,
  TASK_UID_MAX,
  type TaskPageQuery,
  type TaskQuery,
} from '../model/task.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses a uid of a path or query string. */
export function parseUid(text: string, field: string, code: ErrorCode): number {
  const uid = /^\+?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (uid <= TASK_UID_MAX) return uid;
  throw new ApiError(
    code,
    `\`${field}\` is \`${text}\`, expected an integer from 0 to ${TASK_UID_MAX}.`,
  );
}

type ReadValue = (text: string, field: string) => string | number;

const uidWith =
  (code: ErrorCode): ReadValue =>
  (text, field) =>
    parseUid(text, field, code);

const oneOf =
  (known: readonly string[], code: ErrorCode): ReadValue =>
  (text, field) => {
    const lower = text.toLowerCase();
    const found = known.find((value) => value.toLowerCase() === lower);
    if (found !== undefined) return found;
    throw new ApiError(
      code,
      `\`${field}\` names \`${text}\`, expected one of ${known.join(', ')}.`,
    );
  };

function indexUid(text: string): string {
  if (isIndexUid(text) || text === SEARCH_RULES_UID) return text;
  throw new ApiError(
    'invalid_index_uid',
    `\`indexUids\` names \`${text}\`; a uid is ${INDEX_UID.expects}.`,
  );
}

const LISTS = {
  uids: uidWith('invalid_task_uids'),
  batchUids: uidWith('invalid_batch_uids'),
  canceledBy: uidWith('invalid_task_canceled_by'),
  types: oneOf(TASK_TYPES, 'invalid_task_types'),
  statuses: oneOf(TASK_STATUSES, 'invalid_task_statuses'),
  indexUids: indexUid,
} as const satisfies { readonly [Field in keyof TaskFilterQuery]?: ReadValue };

/**
 * Microseconds since 1970, as in tasks; a plain day is its first instant, or with `wholeDay` the
 * first instant of the next day. NaN for an invalid date.
 */
export function parseDate(text: string, wholeDay: boolean): number {
  if (DAY.test(text)) return (dayMs(text) + (wholeDay ? DAY_MS : 0)) * 1000;
  const [, day, time, fraction = '.', zone] = RFC_3339.exec(text) ?? [];
  if (day === undefined || Number.isNaN(dayMs(day))) return Number.NaN;
  const second = Date.parse(`${day}T${time}${zone?.toUpperCase()}`) * 1000;
  return second + Number(`${fraction.slice(1, 7).padEnd(6, '0')}.${fraction.slice(7)}`);
}

const DATES = {
  beforeEnqueuedAt: 'invalid_task_before_enqueued_at',
  afterEnqueuedAt: 'invalid_task_after_enqueued_at',
  beforeStartedAt: 'invalid_task_before_started_at',
  afterStartedAt: 'invalid_task_after_started_at',
  beforeFinishedAt: 'invalid_task_before_finished_at',
  afterFinishedAt: 'invalid_task_after_finished_at',
} as const satisfies { readonly [Field in keyof TaskFilterQuery]?: ErrorCode };

function readDate(text: string, field: keyof typeof DATES): number {
  const micros = parseDate(text, field.startsWith('after'));
  if (!Number.isNaN(micros)) return micros;
  throw new ApiError(
    DATES[field],
    `\`${field}\` is \`${text}\`, expected a date such as 2024-08-08T17:05:55Z or 2024-08-08.`,
  );
}

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(table) as Key[];

/** A list with `*`, or the date `*`, does not restrict. @throws ApiError for an invalid value */
export function toTaskQuery(query: TaskFilterQuery): TaskQuery {
  const lists = keysOf(LISTS).flatMap((field) => {
    const given = query[field] ?? ['*'];
    const values = given.filter((text) => text !== '*').map((text) => LISTS[field](text, field));
    return given.includes('*') ? [] : [[field, values] as const];
  });
  const dates = keysOf(DATES).flatMap((field) => {
    const text = query[field] ?? '*';
    return text === '*' ? [] : [[field, readDate(text, field)] as const];
  });
  return Object.fromEntries([...lists, ...dates]);
}

/** Filters and page of a list. @throws ApiError for an invalid value */
export function toTaskPageQuery({
  limit,
  from,
  reverse,
  ...filters
}: TaskListQuery): TaskPageQuery {
  return {
    ...toTaskQuery(filters),
    limit: limit ?? limits.pageItemsDefault,
    from: from ?? null,
    reverse: reverse ?? false,
  };
}

/** The query with the indexes that aliases in it stand for. */
export const withIndexes = <Query extends Pick<TaskFilterQuery, 'indexUids'>>(
  query: Query,
  aliases: AliasTable,
): Query =>
  query.indexUids === undefined
    ? query
    : { ...query, indexUids: query.indexUids.map((name) => aliases.resolve(name)) };

/** Filters of a cancelation or deletion; at least one is required. */
export function toTaskSelection(query: TaskFilterQuery): TaskQuery {
  if (Object.keys(query).length === 0) {
    throw new ApiError(
      'missing_task_filters',
      'At least one filter is needed: uids, batchUids, canceledBy, types, statuses, indexUids, or a date such as beforeEnqueuedAt.',
    );
  }
  return toTaskQuery(query);
}
