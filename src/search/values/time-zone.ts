/**
 * Offsets of IANA time zones, found by samples of `Intl` once per year and zone, and local times in
 * them. Local times are milliseconds of a clock without a zone.
 */

import { DAY_MS } from '../../core/calendar-day.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { partitionPoint } from '../../core/partition-point.ts';

/** No zone has kept an offset for less time than this between two changes. */
const SAMPLE_MS = 7 * DAY_MS;
/** Before this year offsets changed at most once a year. */
const SAMPLED_FROM_YEAR = 1850;
/** Years of all zones that are kept; then all are forgotten. */
const KEPT_YEARS_MAX = 20_000;

/** From `startMs` on the zone is `offsetMs` ahead of UTC. */
interface Span {
  readonly startMs: number;
  readonly offsetMs: number;
}

const zones = new Map<string, TimeZone>();
let keptYears = 0;

export function timeZoneOf(name: string): TimeZone {
  return getOrCompute(zones, name, () => new TimeZone(name));
}

/** Start of a year in UTC. */
function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

export class TimeZone {
  readonly #isUtc: boolean;
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, readonly Span[]>();

  constructor(name: string) {
    this.#isUtc = name === 'UTC';
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The offsets between two times. @param check called for each year; may throw */
  between(fromMs: number, toMs: number, check: () => void): LocalClock {
    if (this.#isUtc) return new LocalClock([{ startMs: fromMs, offsetMs: 0 }]);
    const spans: Span[] = [];
    const lastYear = new Date(toMs).getUTCFullYear();
    for (let year = new Date(fromMs).getUTCFullYear(); year <= lastYear; year++) {
      check();
      for (const span of this.#spansOf(year))
        if (span.offsetMs !== spans.at(-1)?.offsetMs) spans.push(span);
    }
    return new LocalClock(spans);
  }

  #spansOf(year: number): readonly Span[] {
    return getOrCompute(this.#years, year, () => {
      if (++keptYears > KEPT_YEARS_MAX) forgetAll();
      return this.#sampled(yearStart(year), yearStart(year + 1), year < SAMPLED_FROM_YEAR);
    });
  }

  #sampled(fromMs: number, endMs: number, isStable: boolean): Span[] {
    const spans = [{ startMs: fromMs, offsetMs: this.#offsetAt(fromMs) }];
    const step = isStable ? endMs - fromMs : SAMPLE_MS;
    for (let atMs = fromMs; atMs < endMs; atMs += step) {
      const offsetMs = this.#offsetAt(Math.min(atMs + step, endMs - 1));
      if (offsetMs === spans.at(-1)?.offsetMs) continue;
      const startMs = this.#changeBetween(atMs, Math.min(atMs + step, endMs - 1), offsetMs);
      spans.push({ startMs, offsetMs });
    }
    return spans;
  }

  /** First second after `low` with the offset, which `high` has. */
  #changeBetween(low: number, high: number, offsetMs: number): number {
    const hasOther = (second: number) => this.#offsetAt(second * 1000) !== offsetMs;
    return partitionPoint(Math.floor(low / 1000) + 1, Math.ceil(high / 1000), hasOther) * 1000;
  }

  #offsetAt(utcMs: number): number {
    const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of this.#format.formatToParts(utcMs))
      if (Object.hasOwn(parts, type)) parts[type as keyof typeof parts] = Number(value);
    const { year, month, day, hour, minute, second } = parts;
    const local = new Date(0);
    local.setUTCFullYear(year, month - 1, day);
    local.setUTCHours(hour, minute, second);
    return local.getTime() - Math.floor(utcMs / 1000) * 1000;
  }
}

function forgetAll(): void {
  zones.clear();
  keptYears = 0;
}

/** Converts between UTC and the local times of a period. */
export class LocalClock {
  /** Ascending; never empty. */
  readonly #spans: readonly Span[];
  /** The offset of the last call and the period that has it. */
  #offsetMs = 0;
  #fromMs = Number.POSITIVE_INFINITY;
  #endMs = Number.NEGATIVE_INFINITY;

  constructor(spans: readonly Span[]) {
    this.#spans = spans;
  }

  offsetAt(utcMs: number): number {
    if (!(utcMs >= this.#fromMs && utcMs < this.#endMs)) this.#find(utcMs);
    return this.#offsetMs;
  }

  #find(utcMs: number): void {
    const spans = this.#spans;
    const next = partitionPoint(1, spans.length, (at) => (spans[at]?.startMs ?? 0) <= utcMs);
    const last = spans[next - 1];
    this.#offsetMs = last?.offsetMs ?? 0;
    this.#fromMs = last?.startMs ?? Number.NEGATIVE_INFINITY;
    this.#endMs = spans[next]?.startMs ?? Number.POSITIVE_INFINITY;
  }

  /** The first moment at or after a local time, which may be skipped or occur twice. */
  firstAt(localMs: number): number {
    const at = partitionPoint(0, this.#spans.length - 1, (span) => {
      const { offsetMs } = this.#spans[span] ?? { offsetMs: 0 };
      const endMs = this.#spans[span + 1]?.startMs ?? Number.POSITIVE_INFINITY;
      return localMs >= endMs + offsetMs;
    });
    const { startMs, offsetMs } = this.#spans[at] ?? { startMs: 0, offsetMs: 0 };
    return at === 0 ? localMs - offsetMs : Math.max(startMs, localMs - offsetMs);
  }
}
