/** Filters of the task and batch routes. */

import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { AliasTable } from '../model/alias.ts';
import {
  parseDate,
  readUid,
  TASK_DATES,
  TASK_LISTS,
  type TaskFilterQuery,
  type TaskListQuery,
} from '../model/schemas/task-schema.ts';
import { TASK_UID_MAX, type TaskPageQuery, type TaskQuery } from '../model/task.ts';

/** Parses a uid of a path. */
export function parseUid(text: string, field: string, code: ErrorCode): number {
  const uid = readUid(text);
  if (uid !== null) return uid;
  throw new ApiError(
    code,
    `\`${field}\` is \`${text}\`, expected an integer from 0 to ${TASK_UID_MAX}.`,
  );
}

const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(table) as Key[];

/** A list with `*`, or the date `*`, does not restrict. @param query as its schema accepts it */
export function toTaskQuery(query: TaskFilterQuery): TaskQuery {
  const lists = keysOf(TASK_LISTS).flatMap((field) => {
    const given = query[field] ?? ['*'];
    return given.includes('*')
      ? []
      : [[field, given.map((text) => TASK_LISTS[field](text))] as const];
  });
  const dates = keysOf(TASK_DATES).flatMap((field) => {
    const text = query[field] ?? '*';
    return text === '*' ? [] : [[field, parseDate(text, field.startsWith('after'))] as const];
  });
  return Object.fromEntries([...lists, ...dates]);
}

/** Filters and page of a list. */
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
