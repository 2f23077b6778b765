/** Starts of hours, days, weeks, months, quarters and years in a time zone. */
import { DAY_MS, HOUR_MS } from '../../core/calendar-day.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import type { CalendarInterval } from '../../model/aggregations.ts';
import { type LocalClock, timeZoneOf } from './time-zone.ts';

/** Years around the period whose offsets may be needed: a bucket ends at most a year later. */
const MARGIN_MS = 367 * DAY_MS;
const DAYS_PER_WEEK = 7;
/** Where `T00:00:00` is in `1970-01-01T00:00:00.000Z`. */
const TIME_START = 10;
const TIME_END = 19;
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

/** Starts of one day share the text of the day, and starts at one local time that of the time. */
function labelWriter(clock: LocalClock): CalendarBuckets['writeLabel'] {
  let offset = Number.NaN;
  let day = Number.NaN;
  let dayText = encodeUtf8('');
  /** By local time in milliseconds, of one offset. */
  const times = new Map<number, Uint8Array>();
  return (startMs, out) => {
    const offsetMs = clock.offsetAt(startMs);
    if (offsetMs !== offset) {
      offset = offsetMs;
      times.clear();
    }
    const localMs = startMs + offsetMs;
    if (Math.floor(localMs / DAY_MS) !== day) {
      day = Math.floor(localMs / DAY_MS);
      dayText = encodeUtf8(`"key":"${new Date(localMs).toISOString().split('T', 1)[0]}`);
    }
    const timeMs = localMs - day * DAY_MS;
    let timeText = times.get(timeMs);
    if (timeText === undefined) {
      const time = new Date(timeMs).toISOString().slice(TIME_START, TIME_END);
      timeText = encodeUtf8(`${time}${offsetText(offsetMs)}","timestamp":`);
      times.set(timeMs, timeText);
    }
    out.pushBytes(dayText);
    out.pushBytes(timeText);
    out.pushInteger(startMs / 1000);
  };
}

function offsetText(offsetMs: number): string {
  if (offsetMs === 0) return 'Z';
  const time = new Date(Math.abs(offsetMs)).toISOString().slice(TIME_START + 1, TIME_END);
  return `${offsetMs < 0 ? '-' : '+'}${time.replace(/:00$/, '')}`;
}
