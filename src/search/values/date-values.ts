/**
 * Times of the values of a column: numbers are seconds since 1970, strings are dates of ISO 8601.
 * Values that are neither have no time.
 */
import type { NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import { lowerBound } from '../../engine/sets/sorted.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { DateTimes } from '../snapshot/cached-values.ts';
import type { FieldPart, FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { CountedDocuments } from './segment-counts.ts';

/** Years 1000 to 9999. */
const MIN_MS = -30_610_224_000_000;
const MAX_MS = 253_402_300_799_999;
const MINUTE_MS = 60_000;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Values with times, and entries of values in a range of times. */
export interface TimedValues {
  readonly values: NumberValues | StringValues;
  readonly dead: Uint32Array | null;
  /** Milliseconds since 1970 of an ordinal; NaN for none. */
  readonly timeOf: (ordinal: number) => number;
  /** First ordinal at or after a time; null if the times do not ascend. */
  readonly lowerBound: ((timeMs: number) => number) | null;
}

export function timedValues(
  { kept }: IndexSnapshot,
  { parts, path }: FieldValues,
  check: () => void,
): TimedValues[] {
  return parts.flatMap((part): TimedValues[] => {
    const { numbers, strings } = part.column;
    const { dead } = part;
    const found: TimedValues[] = [];
    if (numbers.count > 0) {
      found.push({
        values: numbers,
        dead,
        timeOf: (ordinal) => inYears(numbers.valueAt(ordinal) * 1000),
        lowerBound: (timeMs) => numbers.lowerBound(timeMs / 1000),
      });
    }
    if (strings.count > 0) {
      const key = { fileId: part.fileId, path };
      const make = (): DateTimes => timesOf(part, check);
      const { times, doAscend } = kept.getOrMake(CACHE_KINDS.dateTimes, key, make);
      found.push({
        values: strings,
        dead,
        timeOf: (ordinal) => times[ordinal] ?? Number.NaN,
        lowerBound: doAscend ? (timeMs) => lowerBound(times, timeMs) : null,
      });
    }
    return found;
  });
}

const inYears = (timeMs: number): number =>
  timeMs >= MIN_MS && timeMs <= MAX_MS ? timeMs : Number.NaN;

function timesOf({ column: { strings } }: FieldPart, check: () => void): DateTimes {
  const times = new Float64Array(strings.count);
  let doAscend = true;
  for (let ordinal = 0; ordinal < times.length; ordinal++) {
    check();
    times[ordinal] = isoTime(strings.bytesAt(ordinal));
    // False also for texts that are no dates.
    doAscend &&= times[ordinal]! >= (times[ordinal - 1] ?? Number.NEGATIVE_INFINITY);
  }
  return { times, doAscend };
}

/** First and last time of the documents; null without any. */
export function timeRange(
  timed: readonly TimedValues[],
  documents: CountedDocuments,
): { readonly fromMs: number; readonly toMs: number } | null {
  const firsts = timed.map((values) => -lastTime(values, documents, -1));
  const lasts = timed.map((values) => lastTime(values, documents, 1));
  const fromMs = firsts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const toMs = lasts.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return fromMs > toMs ? null : { fromMs, toMs };
}

/**
 * The greatest time × `sign`, from the last value back or from the first value on: where times
 * ascend, the first value that documents have decides.
 */
function lastTime(
  { values, dead, timeOf, lowerBound }: TimedValues,
  documents: CountedDocuments,
  sign: 1 | -1,
): number {
  const docs = documents.bitsWithout(dead);
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.count; i++) {
    documents.check();
    const ordinal = sign > 0 ? values.count - 1 - i : i;
    const time = timeOf(ordinal) * sign;
    if (time > last && values.firstOf(ordinal, docs) >= 0) last = time;
    if (lowerBound !== null && last > Number.NEGATIVE_INFINITY) break;
  }
  return last;
}

/**
 * `2024`, `2024-05`, `2024-05-01`, and the last with `T12:30`, seconds, fractions, `Z` or `+02:00`;
 * without an offset in UTC. NaN for any other text.
 */
export function isoTime(bytes: Uint8Array): number {
  const reader = new DateReader(bytes);
  const year = reader.digits(4);
  const month = reader.skip('-') ? reader.digits(2) : 1;
  const day = reader.skip('-') ? reader.digits(2) : 1;
  const hasTime = reader.skip('t') || reader.skip(' ');
  const time = hasTime ? reader.time() : 0;
  if (!reader.isEnd || !(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day ? inYears(date.getTime() + time) : Number.NaN;
}

/** Reads normalised text, which is in lower case. */
class DateReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skip(text: string): boolean {
    if (this.#bytes[this.#at] !== text.charCodeAt(0)) return false;
    this.#at++;
    return true;
  }

  /** A number of exactly `count` digits, or NaN. */
  digits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const byte = this.#bytes[this.#at + i] ?? 0;
      if (byte < DIGIT_0 || byte > DIGIT_9) return Number.NaN;
      value = value * 10 + byte - DIGIT_0;
    }
    this.#at += count;
    return value;
  }

  /** Milliseconds from the start of the day in UTC. */
  time(): number {
    const hour = this.digits(2);
    const minute = this.skip(':') ? this.digits(2) : Number.NaN;
    const second = this.skip(':') ? this.digits(2) : 0;
    const fraction = this.skip('.') ? this.#fraction() : 0;
    if (!(hour <= 24 && minute <= 59 && second <= 60)) return Number.NaN;
    const ms = (hour * 60 + minute) * MINUTE_MS + second * 1000 + fraction;
    if (this.skip('z')) return ms;
    if (this.skip('+')) return ms - this.#offset();
    return this.skip('-') ? ms + this.#offset() : ms;
  }

  #fraction(): number {
    let ms = 0;
    for (let unit = 100; ; unit /= 10) {
      const digit = this.digits(1);
      if (Number.isNaN(digit)) return Math.floor(ms);
      ms += digit * unit;
    }
  }

  #offset(): number {
    const hours = this.digits(2);
    this.skip(':');
    return (hours * 60 + this.digits(2)) * MINUTE_MS;
  }
}
