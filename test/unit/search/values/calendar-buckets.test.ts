/** Starts of calendar intervals in time zones, and dates of ISO 8601. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBuffer } from '../../../../src/engine/bytes/byte-buffer.ts';
import { CALENDAR_INTERVALS, type CalendarInterval } from '../../../../src/model/aggregations.ts';
import {
  type CalendarBuckets,
  calendarBuckets,
} from '../../../../src/search/values/calendar-buckets.ts';
import { isoTime } from '../../../../src/search/values/date-values.ts';
import { amount } from '../../../support/run-length.ts';

const none = (): void => undefined;
const keyOf = ({ writeLabel }: CalendarBuckets, startMs: number): string => {
  const out = new ByteBuffer();
  writeLabel(startMs, out);
  const label = JSON.parse(`{${new TextDecoder().decode(out.view())}}`) as { key: string };
  expect(label).toEqual({ key: expect.any(String), timestamp: startMs / 1000 });
  return label.key;
};
const buckets = (interval: CalendarInterval, timeZone: string, from: string, to: string) => {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const found = calendarBuckets({ interval, timeZone }, { fromMs, toMs, countMax: 1000 }, none);
  return found?.starts.slice(0, -1).map((startMs) => keyOf(found, startMs));
};
const time = (text: string): number => isoTime(new TextEncoder().encode(text.toLowerCase()));

describe('buckets of a calendar', () => {
  it('begin after midnight where clocks skip it', () => {
    expect(
      buckets('day', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-05T12:00:00Z'),
    ).toEqual([
      '2018-11-03T00:00:00-03:00',
      '2018-11-04T01:00:00-02:00',
      '2018-11-05T00:00:00-02:00',
    ]);
  });

  it('begin at the first midnight where clocks show it twice', () => {
    expect(
      buckets('day', 'America/Havana', '2024-11-02T12:00:00Z', '2024-11-04T12:00:00Z'),
    ).toEqual([
      '2024-11-02T00:00:00-04:00',
      '2024-11-03T00:00:00-04:00',
      '2024-11-04T00:00:00-05:00',
    ]);
  });

  it('leave out a day that a zone skipped', () => {
    expect(buckets('day', 'Pacific/Apia', '2011-12-29T12:00:00Z', '2012-01-01T00:00:00Z')).toEqual([
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2012-01-01T00:00:00+14:00',
    ]);
  });

  it('have the repeated hour twice, and one and a half hours where half an hour repeats', () => {
    expect(
      buckets('hour', 'Europe/Berlin', '2024-10-27T00:10:00Z', '2024-10-27T02:00:00Z'),
    ).toEqual([
      '2024-10-27T02:00:00+02:00',
      '2024-10-27T02:00:00+01:00',
      '2024-10-27T03:00:00+01:00',
    ]);
    expect(
      buckets('hour', 'Australia/Lord_Howe', '2024-04-06T14:00:00Z', '2024-04-06T16:00:00Z'),
    ).toEqual(['2024-04-07T01:00:00+11:00', '2024-04-07T02:00:00+10:30']);
    expect(buckets('hour', 'Asia/Kolkata', '2024-04-06T14:00:00Z', '2024-04-06T14:40:00Z')).toEqual(
      ['2024-04-06T19:00:00+05:30', '2024-04-06T20:00:00+05:30'],
    );
  });

  it('are as long as the calendar says, in old times too', () => {
    expect(buckets('quarter', 'UTC', '1999-11-01T00:00:00Z', '2000-04-01T00:00:00Z')).toEqual([
      '1999-10-01T00:00:00Z',
      '2000-01-01T00:00:00Z',
      '2000-04-01T00:00:00Z',
    ]);
    expect(buckets('week', 'UTC', '1969-12-29T00:00:00Z', '1970-01-04T23:59:59Z')).toEqual([
      '1969-12-29T00:00:00Z',
    ]);
    expect(
      buckets('year', 'Europe/Amsterdam', '1800-05-01T00:00:00Z', '1801-01-01T00:00:00Z'),
    ).toHaveLength(2);
  });

  it('hold each moment between their start and the next, for every zone and interval', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const moments = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) });
    const intervals = fc.constantFrom(...CALENDAR_INTERVALS);
    fc.assert(
      fc.property(zones, moments, intervals, (timeZone, fromMs, interval) => {
        const toMs = fromMs + 1;
        const found = calendarBuckets({ interval, timeZone }, { fromMs, toMs, countMax: 2 }, none);
        const starts = found?.starts ?? [];
        expect(starts[0]).toBeLessThanOrEqual(fromMs);
        expect(starts.at(-1)).toBeGreaterThan(toMs);
        expect([...starts].sort((a, b) => a - b)).toEqual(starts);
        const key = found === null ? '' : keyOf(found, starts[0] ?? 0);
        const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
        expect(day.format(starts[0])).toBe(key.slice(0, 10));
        if (interval === 'day') expect(day.format(fromMs)).toBe(key.slice(0, 10));
        if (interval === 'month') expect(day.format(fromMs).slice(0, 7)).toBe(key.slice(0, 7));
      }),
      { numRuns: amount(60, 5000) },
    );
  });

  it('have keys that are dates of their start, one after the other, in any year', () => {
    const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns', 'Africa/Monrovia');
    const years = fc.constantFrom(-1, 999, 1890, 1972, 2024, 9999, 12_000);
    const intervals = fc.constantFrom(...CALENDAR_INTERVALS);
    fc.assert(
      fc.property(zones, years, fc.nat(365), intervals, (timeZone, year, day, interval) => {
        const fromMs = new Date(0).setUTCFullYear(year, 0, day);
        const range = { fromMs, toMs: fromMs + 3 * 86_400_000, countMax: 100 };
        const found = calendarBuckets({ interval, timeZone }, range, none);
        for (const startMs of found?.starts ?? []) {
          const key = keyOf(found as CalendarBuckets, startMs);
          // `Date` takes no seconds in an offset.
          if (!/[+-]\d\d:\d\d:\d\d$/.test(key)) expect(Date.parse(key), key).toBe(startMs);
        }
      }),
      { numRuns: amount(60, 1000) },
    );
  });

  it('are none beyond the number that is allowed', () => {
    const range = { fromMs: 0, toMs: 10 * 86_400_000, countMax: 10 };
    expect(calendarBuckets({ interval: 'day', timeZone: 'UTC' }, range, none)).toBeNull();
    expect(
      calendarBuckets({ interval: 'day', timeZone: 'UTC' }, { ...range, countMax: 11 }, none),
    ).not.toBeNull();
  });
});

describe('dates', () => {
  it('are those of ISO 8601, without an offset in UTC', () => {
    for (const text of [
      '2024-05-01',
      '2024-05-01T12:30Z',
      '2024-05-01T12:30:15.250Z',
      '2024-05-01T12:30:15+02:00',
      '2024-05-01T23:00:00-09:30',
      '1066-10-14',
    ])
      expect(time(text), text).toBe(Date.parse(text));
    expect(time('2024-05-01 12:30')).toBe(Date.parse('2024-05-01T12:30Z'));
    expect(time('2024-05-01T12:30:15.123456+0200')).toBe(
      Date.parse('2024-05-01T12:30:15.123+02:00'),
    );
    expect([time('2024'), time('2024-05')]).toEqual([Date.UTC(2024, 0), Date.UTC(2024, 4)]);
  });

  it('are no other texts', () => {
    for (const text of [
      '',
      'red',
      '2024-13-01',
      '2023-02-29',
      '2024-05-01T',
      '2024-05-01T25:00',
      '2024-05-01x',
      '12345',
      '0999-01-01',
      '2024-05-01T12:30+',
      '2024-',
    ])
      expect(time(text), text).toBeNaN();
  });
});
