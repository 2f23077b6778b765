/** Days: their length in milliseconds, and days and instants as text. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The form of a day; `dayMs` says whether it exists. */
export const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Day, time, fraction, offset. Not the hour 24, which `Date.parse` accepts and RFC 3339 does not. */
export const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?!24)\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** The day in UTC of an instant in epoch milliseconds, `YYYY-MM-DD`. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** First instant of a day `YYYY-MM-DD` in epoch milliseconds; NaN for a day that does not exist. */
export function dayMs(text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, text.length) !== text
    ? Number.NaN
    : ms;
}

/** True for a day `YYYY-MM-DD` that exists. */
export const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(dayMs(text));

/** Epoch milliseconds of an RFC 3339 date and time; NaN for any other text. */
export function instantMs(text: string): number {
  const [, day, time, fraction = '', zone] = RFC_3339.exec(text) ?? [];
  if (day === undefined || Number.isNaN(dayMs(day))) return Number.NaN;
  return Date.parse(`${day}T${time}${fraction}${zone?.toUpperCase()}`);
}
