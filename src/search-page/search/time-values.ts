/** Points in time stored as numbers: recognised by field name and size. Pure. */

export type TimeUnit = 'seconds' | 'milliseconds';

const NAMES = /date|time|_at$|At$|^(?:created|updated|modified|published|released)/;
/** About 1973 in milliseconds, the year 5138 in seconds. */
const MILLISECONDS_MIN = 1e11;
/** Smaller numbers are durations or counts: 1e7 s are 116 days after 1970. */
const SECONDS_MIN = 1e7;
/** The last millisecond of the year 9999. */
const TIME_MAX_MS = 253_402_300_799_999;

const MS_PER_UNIT: Readonly<Record<TimeUnit, number>> = { seconds: 1000, milliseconds: 1 };

/** Unit of a field's numbers, null if they are no points in time. */
export function timeUnitOf(field: string, numbers: readonly number[]): TimeUnit | null {
  if (!NAMES.test(field)) return null;
  const size = Math.max(...numbers.map(Math.abs));
  if (size > TIME_MAX_MS) return null;
  if (size >= MILLISECONDS_MIN) return 'milliseconds';
  return size >= SECONDS_MIN ? 'seconds' : null;
}

/** `2015-11-20`, in UTC. */
export const dayOf = (time: number, unit: TimeUnit): string =>
  new Date(time * MS_PER_UNIT[unit]).toISOString().slice(0, 10);

/** Start of the day in UTC; null if the text is no day. */
export function timeOfDay(day: string, unit: TimeUnit): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? null : ms / MS_PER_UNIT[unit];
}

export const dayLength = (unit: TimeUnit): number => 86_400_000 / MS_PER_UNIT[unit];
