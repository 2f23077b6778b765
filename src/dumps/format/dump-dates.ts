/** Dates in dumps, with up to nine digits of a second and any offset. */
import { DumpRefused } from './dump.ts';

const DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/i;

/** Microseconds since 1970; null for a missing date. */
export function readDumpDate(text: unknown): number | null {
  const match = typeof text === 'string' ? DATE.exec(text) : null;
  if (match === null) return null;
  const [, day, time, fraction = '', offset = 'Z'] = match;
  const ms = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(ms) ? null : ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Microseconds since 1970. @param what describes the object with the date, for the message */
export function mustReadDumpDate(text: unknown, what: string): number {
  const micros = readDumpDate(text);
  if (micros !== null) return micros;
  throw new DumpRefused(`${what} of the dump has ${JSON.stringify(text)} for a date`);
}
