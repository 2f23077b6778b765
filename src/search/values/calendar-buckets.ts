/** Starts of hours, days, weeks, months, quarters and years in a time zone. */
import { DAY_MS, HOUR_MS } from '../../core/calendar-day.ts';
import type { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { CalendarInterval } from '../../model/aggregations.ts';
import { type LocalClock, timeZoneOf } from './time-zone.ts';

/** Years around the period whose offsets may be needed: a bucket ends at most a year later. */
const MARGIN_MS = 367 * DAY_MS;
const DAYS_PER_WEEK = 7;
/** Where `00:00:00` is in `1970-01-01T00:00:00.000Z`, and the length from the `T` on. */
const TIME_START = 11;
const TIME_END = 19;
const TIME_LENGTH = 14;
const DIGIT_0 = 0x30;
/** 1970-01-01 was a Thursday, three days after a Monday. */
const EPOCH_WEEKDAY = 3;
const MONTHS: Readonly<Record<'month' | 'quarter' | 'year', number>> = {
  month: 1,
  quarter: 3,
  year: 12,
};

export interface CalendarBuckets {
  /** Milliseconds since 1970, ascending; the last one is the end of the last bucket. */
  readonly starts: readonly number[];
  /** Appends `"key":"2024-03-31T00:00:00+01:00","timestamp":1711839600` of a bucket. */
  readonly writeLabel: (startMs: number, out: ByteBuffer) => void;
}

/**
 * The buckets from that of `fromMs` to that of `toMs`; null if there are more than `countMax`.
 * @param check called for each bucket; may throw
 */
export function calendarBuckets(
  { interval, timeZone }: { readonly interval: CalendarInterval; readonly timeZone: string },
  { fromMs, toMs, countMax }: { fromMs: number; toMs: number; countMax: number },
  check: () => void,
): CalendarBuckets | null {
  if ((toMs - fromMs) / LONGEST_MS[interval] > countMax + 1) return null;
  const clock = timeZoneOf(timeZone).between(fromMs - MARGIN_MS, toMs + MARGIN_MS, check);
  const next = interval === 'hour' ? hours(clock, fromMs) : days(clock, interval, fromMs);
  const starts: number[] = [];
  for (let last = Number.NEGATIVE_INFINITY; last <= toMs; ) {
    check();
    if (starts.length > countMax) return null;
    const startMs = next();
    if (startMs !== last) starts.push(startMs);
    last = startMs;
  }
  return { starts, writeLabel: labelWriter(clock) };
}

/** Upper bounds. */
const LONGEST_MS: Readonly<Record<CalendarInterval, number>> = {
  hour: 2 * HOUR_MS,
  day: 2 * DAY_MS,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
  quarter: 93 * DAY_MS,
  year: 367 * DAY_MS,
};

/** Returns one start after the other. Hours begin where the local clock shows a full hour. */
function hours(clock: LocalClock, fromMs: number): () => number {
  const pastHour = (utcMs: number): number => mod(utcMs + clock.offsetAt(utcMs), HOUR_MS);
  let next = fromMs - pastHour(fromMs);
  return () => {
    const startMs = next;
    next += HOUR_MS;
    const past = pastHour(next);
    if (past > 0) next += HOUR_MS - past;
    return startMs;
  };
}

function days(
  clock: LocalClock,
  interval: Exclude<CalendarInterval, 'hour'>,
  fromMs: number,
): () => number {
  let localMs = localStart(fromMs + clock.offsetAt(fromMs), interval);
  return () => {
    const startMs = clock.firstAt(localMs);
    localMs = nextStart(localMs, interval);
    return startMs;
  };
}

function localStart(localMs: number, interval: Exclude<CalendarInterval, 'hour'>): number {
  const day = Math.floor(localMs / DAY_MS);
  if (interval === 'day') return day * DAY_MS;
  if (interval === 'week') return (day - mod(day + EPOCH_WEEKDAY, DAYS_PER_WEEK)) * DAY_MS;
  const date = new Date(localMs);
  const month = date.getUTCMonth();
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), month - (month % MONTHS[interval]), 1);
}

function nextStart(localMs: number, interval: Exclude<CalendarInterval, 'hour'>): number {
  if (interval === 'day') return localMs + DAY_MS;
  if (interval === 'week') return localMs + DAYS_PER_WEEK * DAY_MS;
  const date = new Date(localMs);
  return date.setUTCMonth(date.getUTCMonth() + MONTHS[interval]);
}

const mod = (value: number, by: number): number => value - Math.floor(value / by) * by;

/** Keeps the label of the last start and changes the digits that differ in that of the next one. */
function labelWriter(clock: LocalClock): CalendarBuckets['writeLabel'] {
  let year = Number.NaN;
  let offset = Number.NaN;
  let dayMs = Number.NaN;
  let label: Uint8Array = new Uint8Array(0);
  /** Where the `T` between day and time is in the label. */
  let at = 0;
  return (startMs, out) => {
    const offsetMs = clock.offsetAt(startMs);
    const localMs = startMs + offsetMs;
    if (offsetMs !== offset || !(localMs >= dayMs && localMs < dayMs + DAY_MS)) {
      dayMs = Math.floor(localMs / DAY_MS) * DAY_MS;
      const date = new Date(dayMs);
      if (offsetMs !== offset || date.getUTCFullYear() !== year) {
        offset = offsetMs;
        year = date.getUTCFullYear();
        const start = `"key":"${date.toISOString().slice(0, -TIME_LENGTH)}`;
        at = start.length;
        label = encodeUtf8(`${start}T00:00:00${offsetText(offset)}","timestamp":`);
      }
      setTwoDigits(label, at - 5, date.getUTCMonth() + 1);
      setTwoDigits(label, at - 2, date.getUTCDate());
    }
    const second = (localMs - dayMs) / 1000;
    const minute = (second / 60) | 0;
    const hour = (minute / 60) | 0;
    setTwoDigits(label, at + 1, hour);
    setTwoDigits(label, at + 4, minute - hour * 60);
    setTwoDigits(label, at + 7, second - minute * 60);
    out.pushBytes(label);
    out.pushInteger(startMs / 1000);
  };
}

function setTwoDigits(text: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  text[at] = DIGIT_0 + tens;
  text[at + 1] = DIGIT_0 + value - tens * 10;
}

function offsetText(offsetMs: number): string {
  if (offsetMs === 0) return 'Z';
  const time = new Date(Math.abs(offsetMs)).toISOString().slice(TIME_START, TIME_END);
  return `${offsetMs < 0 ? '-' : '+'}${time.replace(/:00$/, '')}`;
}
