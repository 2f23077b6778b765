/** Starts of hours, days, weeks, months, quarters and years in a time zone. */
import { DAY_MS, HOUR_MS } from '../../core/calendar-day.ts';
import type { CalendarInterval } from '../../model/aggregations.ts';
import { type LocalClock, timeZoneOf } from './time-zone.ts';

/** Years around the period whose offsets may be needed: a bucket ends at most a year later. */
const MARGIN_MS = 367 * DAY_MS;
const DAYS_PER_WEEK = 7;
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
  /** The start of a bucket in ISO 8601, with its offset. */
  readonly keyOf: (startMs: number) => string;
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
  const starts = interval === 'hour' ? hours(clock, fromMs) : days(clock, interval, fromMs);
  const found: number[] = [];
  for (const startMs of starts) {
    check();
    if (startMs !== found.at(-1)) found.push(startMs);
    if (startMs > toMs) break;
    if (found.length > countMax) return null;
  }
  return { starts: found, keyOf: keysOf(clock) };
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

/** Hours begin where the local clock shows a full hour. */
function* hours(clock: LocalClock, fromMs: number): Generator<number> {
  const pastHour = (utcMs: number): number => mod(utcMs + clock.offsetAt(utcMs), HOUR_MS);
  for (let startMs = fromMs - pastHour(fromMs); ; ) {
    yield startMs;
    startMs += HOUR_MS;
    const past = pastHour(startMs);
    if (past > 0) startMs += HOUR_MS - past;
  }
}

function* days(
  clock: LocalClock,
  interval: Exclude<CalendarInterval, 'hour'>,
  fromMs: number,
): Generator<number> {
  let localMs = localStart(fromMs + clock.offsetAt(fromMs), interval);
  for (;;) {
    yield clock.firstAt(localMs);
    localMs = nextStart(localMs, interval);
  }
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

const mod = (value: number, by: number): number => ((value % by) + by) % by;

const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
const two = (value: number): string => TWO_DIGITS[Math.floor(value)] ?? '';

/** Writes times in ISO 8601 with their offsets. Hours of one day share the text of the day. */
function keysOf(clock: LocalClock): CalendarBuckets['keyOf'] {
  let day = Number.NaN;
  let dayText = '';
  return (startMs) => {
    const offsetMs = clock.offsetAt(startMs);
    const own = Math.floor((startMs + offsetMs) / DAY_MS);
    if (own !== day) {
      day = own;
      dayText = new Date(day * DAY_MS).toISOString().split('T', 1)[0] ?? '';
    }
    const seconds = Math.floor((startMs + offsetMs - day * DAY_MS) / 1000);
    const clockText = `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
    return `${dayText}T${clockText}${offsetMs === 0 ? 'Z' : offsetText(offsetMs)}`;
  };
}

function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`;
  return `${offsetMs < 0 ? '-' : '+'}${two(seconds / 3600)}:${two((seconds / 60) % 60)}${rest}`;
}
