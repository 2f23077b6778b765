/** Filters of the task routes. */
import { describe, expect, it } from 'vitest';
import {
  parseUid,
  toTaskPageQuery,
  toTaskQuery,
  toTaskSelection,
} from '../../../src/api/task-query.ts';
import { formatDate } from '../../../src/core/clock.ts';
import { decodeQueryString } from '../../../src/http/query-string.ts';
import { validate } from '../../../src/http/validator.ts';
import { parseDate, TaskListQuery } from '../../../src/model/schemas/task-schema.ts';

describe('parseDate', () => {
  it.each([
    ['2024-08-08T17:05:55.791772Z', Date.UTC(2024, 7, 8, 17, 5, 55, 791) * 1000 + 772],
    ['2024-08-08T17:05:55.7917725Z', Date.UTC(2024, 7, 8, 17, 5, 55, 791) * 1000 + 772.5],
    ['2024-08-08T17:05:55.5Z', Date.UTC(2024, 7, 8, 17, 5, 55, 500) * 1000],
    ['2024-08-08t17:05:55z', Date.UTC(2024, 7, 8, 17, 5, 55) * 1000],
    ['2024-08-08 17:05:55+02:00', Date.UTC(2024, 7, 8, 15, 5, 55) * 1000],
    ['2024-02-29', Date.UTC(2024, 1, 29) * 1000],
  ])('reads %s', (text, micros) => {
    expect(parseDate(text, false)).toBe(micros);
  });

  it('reads the date of a task as the task shows it', () => {
    const micros = Date.UTC(2024, 7, 8, 17, 5, 55, 298) * 1000 + 115;
    expect(parseDate(formatDate(micros), false)).toBe(micros);
  });

  it('takes a plain day for the next day when the whole day counts', () => {
    expect(parseDate('2023-12-31', true)).toBe(Date.UTC(2024, 0, 1) * 1000);
    expect(parseDate('2023-12-31T00:00:00Z', true)).toBe(Date.UTC(2023, 11, 31) * 1000);
  });

  it.each([
    '',
    '*',
    '2023-02-29',
    '2023-13-01',
    '2023-1-1',
    '2023-02-30T00:00:00Z',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:00:00',
    '1700000000',
    'tomorrow',
  ])('refuses %j', (text) => {
    expect(parseDate(text, false)).toBeNaN();
  });
});

describe('toTaskQuery', () => {
  it('reads every filter, values in any case', () => {
    expect(
      toTaskQuery({
        uids: ['1', '02'],
        types: ['documentadditionorupdate'],
        statuses: ['SUCCEEDED'],
        indexUids: ['films'],
        canceledBy: ['3'],
        batchUids: ['4'],
        afterEnqueuedAt: '2024-01-01',
      }),
    ).toEqual({
      uids: [1, 2],
      types: ['documentAdditionOrUpdate'],
      statuses: ['succeeded'],
      indexUids: ['films'],
      canceledBy: [3],
      batchUids: [4],
      afterEnqueuedAt: Date.UTC(2024, 0, 2) * 1000,
    });
  });

  it('takes * for no restriction', () => {
    expect(toTaskQuery({ uids: ['1', '*'], types: ['*'], beforeEnqueuedAt: '*' })).toEqual({});
  });

  it('gives pages their defaults', () => {
    expect(toTaskPageQuery({})).toEqual({ limit: 20, from: null, reverse: false });
    expect(toTaskPageQuery({ limit: 0, from: 9, reverse: true, statuses: ['failed'] })).toEqual({
      limit: 0,
      from: 9,
      reverse: true,
      statuses: ['failed'],
    });
  });

  it('needs a filter to cancel or delete, if only *', () => {
    expect(() => toTaskSelection({})).toThrow(
      expect.objectContaining({ code: 'missing_task_filters' }),
    );
    expect(toTaskSelection({ uids: ['*'] })).toEqual({});
  });
});

describe('the query string of a list', () => {
  it.each([
    ['limit=x&uids=y', 'invalid_task_limit'],
    ['uids=1,y&limit=x', 'invalid_task_uids'],
    ['afterStartedAt=x&beforeEnqueuedAt=x', 'invalid_task_after_started_at'],
    ['beforeEnqueuedAt=2024-02-30&limit=x', 'invalid_task_before_enqueued_at'],
    ['statuses=x&indexUids=a b', 'invalid_task_statuses'],
    ['types=*,x&nope=1', 'invalid_task_types'],
    ['nope=1&types=x', 'bad_request'],
    ['indexUids=a b', 'invalid_index_uid'],
  ])('%s: the first fault is reported', (query, code) => {
    expect(() => validate(TaskListQuery, decodeQueryString(query, TaskListQuery))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe('parseUid', () => {
  it('takes 32 bits, with a plus sign at most', () => {
    expect(parseUid('4294967295', 'uids', 'invalid_task_uids')).toBe(4_294_967_295);
    expect(parseUid('+1', 'uids', 'invalid_task_uids')).toBe(1);
    for (const text of ['', '-1', '1.0', '4294967296', '99999999999', ' 1']) {
      expect(() => parseUid(text, 'uids', 'invalid_task_uids'), text).toThrow(
        expect.objectContaining({ code: 'invalid_task_uids' }),
      );
    }
  });
});
