/** Parses the expiry date of API keys. */

import { dayMs } from '../core/calendar-day.ts';
import { ApiError } from '../core/errors.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** UTC without an offset. */
const PLAIN_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})$/;
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** The date in RFC 3339 with its offset, or null for an unknown form. */
function toRfc3339(text: string): string | null {
  if (DAY.test(text)) return `${text}T00:00:00Z`;
  const plain = PLAIN_TIME.exec(text);
  if (plain !== null) return `${plain[1]}T${plain[2]}Z`;
  const whole = RFC_3339.exec(text);
  if (whole === null) return null;
  const [, day, time, fraction = '', offset = ''] = whole;
  const digits = fraction.replace(/\.?0+$/, '');
  return `${day}T${time}${digits}${/^([Zz]|[+-]00:00)$/.test(offset) ? 'Z' : offset}`;
}

/** The date as stored and shown; null = never. Throws `invalid_api_key_expires_at`. */
export function readKeyExpiry(given: string | null, nowMs: number): string | null {
  if (given === null) return null;
  const date = toRfc3339(given);
  const ms =
    date === null || Number.isNaN(dayMs(date.slice(0, 10))) ? Number.NaN : Date.parse(date);
  if (date === null || Number.isNaN(ms)) {
    throw new ApiError(
      'invalid_api_key_expires_at',
      `\`expiresAt\` is ${JSON.stringify(given.slice(0, 80))}, expected a date such as \`2090-01-31T12:00:00Z\`, \`2090-01-31 12:00:00\` or \`2090-01-31\`, or null.`,
    );
  }
  if (ms > nowMs) return date;
  throw new ApiError(
    'invalid_api_key_expires_at',
    `\`expiresAt\` is \`${date}\`, expected a date in the future.`,
  );
}
