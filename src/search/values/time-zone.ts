/**
 * Offsets of IANA time zones, found by samples of `Intl` once per year and zone, and local times in
 * them. Local times are milliseconds of a clock without a zone.
 */
import { DAY_MS } from '../../core/calendar-day.ts';

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
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = new TimeZone(name);
    zones.set(name, zone);
  }
  return zone;
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
    let spans = this.#years.get(year);
    if (spans === undefined) {
      if (++keptYears > KEPT_YEARS_MAX) forgetAll();
      spans = this.#sampled(yearStart(year), yearStart(year + 1), year < SAMPLED_FROM_YEAR);
      this.#years.set(year, spans);
    }
    return spans;
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
    let before = Math.floor(low / 1000);
    let after = Math.ceil(high / 1000);
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(middle * 1000) === offsetMs) after = middle;
      else before = middle;
    }
    return after * 1000;
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

  constructor(spans: readonly Span[]) {
    this.#spans = spans;
  }

  offsetAt(utcMs: number): number {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#spans[middle]?.startMs ?? 0) <= utcMs) low = middle;
      else high = middle - 1;
    }
    return this.#spans[low]?.offsetMs ?? 0;
  }

  /** The first moment at or after a local time, which may be skipped or occur twice. */
  firstAt(localMs: number): number {
    let low = 0;
    let high = this.#spans.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { offsetMs } = this.#spans[middle] ?? { offsetMs: 0 };
      const endMs = this.#spans[middle + 1]?.startMs ?? Number.POSITIVE_INFINITY;
      if (localMs < endMs + offsetMs) high = middle;
      else low = middle + 1;
    }
    const { startMs, offsetMs } = this.#spans[low] ?? { startMs: 0, offsetMs: 0 };
    return low === 0 ? localMs - offsetMs : Math.max(startMs, localMs - offsetMs);
  }
}
