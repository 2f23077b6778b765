/**
 * Times of the values of a column: numbers are seconds since 1970, strings are dates of ISO 8601.
 * Values that are neither have no time.
 */
import type { NumberValues, StringValues } from '../../engine/columns/columns-reader.ts';
import { lowerBoundFrom } from '../../engine/sets/sorted.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { DateTimes } from '../snapshot/cached-values.ts';
import type { FieldPart, FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { CountedDocuments } from './segment-counts.ts';

/** Years 1000 to 9999. */
const MIN_MS = -30_610_224_000_000;
const END_MS = 253_402_300_800_000;
const MINUTE_MS = 60_000;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** `Date.UTC` takes a year below it as one of the 20th century. */
const UTC_YEAR_MIN = 100;
/** All months have it. */
const SURE_DAY_MAX = 28;

/** Texts of a cached block: 2^15, of 256 KB. */
const BLOCK_BITS = 15;

/** Values with times, and entries of values in a range of times. */
export interface TimedValues {
  readonly values: NumberValues | StringValues;
  readonly dead: Uint32Array | null;
  /** True if times ascend with the ordinals, but for values without a time at both ends. */
  readonly doAscend: boolean;
  /** Milliseconds since 1970 of an ordinal; NaN for none. */
  timeOf(ordinal: number): number;
  /** First ordinal from `from` on at or after a time, fast near the guess; only if times ascend. */
  lowerBoundFrom(timeMs: number, from: number, guess?: number): number;
}

export function timedValues(
  { queryCache }: IndexSnapshot,
  { parts, path }: FieldValues,
  check: () => void,
  blockBits = BLOCK_BITS,
): TimedValues[] {
  return parts.flatMap(({ fileId, column: { numbers, strings }, dead }): TimedValues[] => {
    const found: TimedValues[] = [];
    if (numbers.count > 0) found.push(numberTimes(numbers, dead));
    if (strings.count > 0) {
      const blocks = Array.from({ length: Math.ceil(strings.count / 2 ** blockBits) }, (_, block) =>
        queryCache.getOrMake(CACHE_KINDS.dateTimes, { fileId, path, block }, () =>
          parsedTimes(strings, block << blockBits, (block + 1) << blockBits, check),
        ),
      );
      found.push(stringTimes(strings, dead, blocks, blockBits));
    }
    return found;
  });
}

const inYears = (timeMs: number): number =>
  timeMs >= MIN_MS && timeMs < END_MS ? timeMs : Number.NaN;

const numberTimes = (values: NumberValues, dead: FieldPart['dead']): TimedValues => ({
  values,
  dead,
  doAscend: true,
  timeOf: (ordinal) => inYears(values.valueAt(ordinal) * 1000),
  lowerBoundFrom: (timeMs, from, guess = from) => values.lowerBoundFrom(timeMs / 1000, from, guess),
});

function stringTimes(
  values: StringValues,
  dead: FieldPart['dead'],
  blocks: readonly DateTimes[],
  blockBits: number,
): TimedValues {
  const mask = (1 << blockBits) - 1;
  const timeOf = (ordinal: number): number => blocks[ordinal >>> blockBits]!.times[ordinal & mask]!;
  const lowerBound = (timeMs: number, from: number, guess = from): number => {
    let start = from;
    for (let i = from >>> blockBits; i < blocks.length; i++) {
      const { times } = blocks[i]!;
      const first = i << blockBits;
      const near = Math.max(start, guess) - first;
      const found = lowerBoundFrom(times, timeMs, start - first, near);
      if (found < times.length) return first + found;
      start = first + times.length;
    }
    return start;
  };
  const doAscend = blocks.every(({ doAscend: isAscending }, i) => {
    const first = i << blockBits;
    return isAscending && (i === 0 || timeOf(first - 1) <= timeOf(first));
  });
  return { values, dead, doAscend, timeOf, lowerBoundFrom: lowerBound };
}

function parsedTimes(
  strings: StringValues,
  from: number,
  end: number,
  check: () => void,
): DateTimes {
  const times = new Float64Array(Math.min(end, strings.count) - from);
  let doAscend = true;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < times.length; i++) {
    check();
    const time = isoTime(strings.bytesAt(from + i));
    // False also for texts that are no dates.
    doAscend &&= time >= last;
    times[i] = time;
    last = time;
  }
  return { times, doAscend };
}

interface TimeRange {
  fromMs: number;
  toMs: number;
}

function extend(range: TimeRange, timeMs: number): void {
  range.fromMs = Math.min(range.fromMs, timeMs);
  range.toMs = Math.max(range.toMs, timeMs);
}

/** First and last time of the documents; null without any. */
export function timeRange(
  timed: readonly TimedValues[],
  documents: CountedDocuments,
): Readonly<TimeRange> | null {
  const range = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };
  for (const each of timed) {
    if (each.doAscend) addEnds(each, documents, range);
    else addAll(each, documents, range);
  }
  return range.fromMs > range.toMs ? null : range;
}

function addEnds(timed: TimedValues, documents: CountedDocuments, range: TimeRange): void {
  const { values, dead } = timed;
  const docs = documents.bitsWithout(dead);
  const start = values.firstEntry(timed.lowerBoundFrom(MIN_MS, 0));
  const end = values.firstEntry(timed.lowerBoundFrom(END_MS, 0));
  const first = values.seekEntry(start, end, docs);
  if (first === end) return;
  const last = values.seekEntry(end - 1, start, docs);
  for (const entry of [first, last]) extend(range, timed.timeOf(values.ordinalOf(entry)));
}

function addAll(timed: TimedValues, documents: CountedDocuments, range: TimeRange): void {
  const { values, dead } = timed;
  const docs = documents.bitsWithout(dead);
  for (let ordinal = 0; ordinal < values.count; ordinal++) {
    documents.check();
    const time = timed.timeOf(ordinal);
    const isOutside = time < range.fromMs || time > range.toMs;
    if (isOutside && values.firstOf(ordinal, docs) >= 0) extend(range, time);
  }
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
  if (!reader.isEnd || !(year >= UTC_YEAR_MIN && month >= 1 && month <= 12 && day >= 1))
    return Number.NaN;
  const dayMs = Date.UTC(year, month - 1, day);
  if (day > SURE_DAY_MAX && new Date(dayMs).getUTCDate() !== day) return Number.NaN;
  return inYears(dayMs + time);
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
