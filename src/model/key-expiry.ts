/** The date at which an API key expires, in the forms that a request may have. */
import { DAY, isDay, RFC_3339 } from '../core/calendar-day.ts';

/** UTC without an offset. */
const PLAIN_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}$/;

/** RFC 3339 with the offset as given, to the nanosecond; null for an unknown form and a day that no month has. */
export function keyExpiry(text: string): string | null {
  const date = toRfc3339(text);
  return date !== null && isDay(date.slice(0, 10)) ? date : null;
}

function toRfc3339(text: string): string | null {
  if (DAY.test(text)) return `${text}T00:00:00Z`;
  const whole = RFC_3339.exec(PLAIN_TIME.test(text) ? `${text}Z` : text);
  if (whole === null) return null;
  const [, day, time, fraction = '', offset = ''] = whole;
  const digits = fraction.slice(0, 10).replace(/\.?0+$/, '');
  return `${day}T${time}${digits}${/^([Zz]|[+-]00:00)$/.test(offset) ? 'Z' : offset}`;
}
