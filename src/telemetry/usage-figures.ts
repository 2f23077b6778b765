/** Counts the requests of a front, and adds up the counts of all fronts. */
import { type Json, objectOf } from '../core/json.ts';
import type { Counts, TelemetryBundle, UsageReport } from '../model/usage-report.ts';
import { type Figure, USAGE_EVENTS, type ValuePath } from './usage-events.ts';

export interface EndedRequest {
  /** `Route.id`. */
  readonly routeId: string;
  /** As validated; undefined if the request was refused earlier or has none. */
  readonly query: unknown;
  readonly body: unknown;
  /** Header that names the client. */
  readonly client: string;
  readonly contentType: string | null;
  readonly status: number;
  readonly durationMs: number;
  /** The request names an index that did not exist when the response was sent. */
  readonly isIndexNew: boolean;
  /** A search of the request reached its time limit. */
  readonly isDegraded: boolean;
}

type Reader = readonly [Figure, ValuePath];

/** The figures of the requests of a route, by the member that they read. */
function readersOf(routeId: string): ReadonlyMap<string, readonly Reader[]> {
  const readers = new Map<string, Reader[]>();
  for (const figure of USAGE_EVENTS.flatMap(({ routes, figures }) =>
    routes.test(routeId) ? figures : [],
  ))
    for (const reading of figure.readings)
      readers.set(reading.member, [...(readers.get(reading.member) ?? []), [figure, reading]]);
  return readers;
}

const ERROR_STATUS = 400;

/** Members of the body or query string; of settings, only accepted ones. */
function askedIn({ routeId, query, body, status }: EndedRequest): Json {
  const [, setting] = /^settings\.(\w+)\.update$/.exec(routeId) ?? [];
  if (status >= ERROR_STATUS && routeId.startsWith('settings.')) return {};
  return setting === undefined ? objectOf(body ?? query) : { [setting]: body };
}

/** Counts of figures; those of a figure are empty at first. */
class Sums {
  readonly #counts = new Map<Figure, Counts>();

  of(figure: Figure): Counts {
    let counts = this.#counts.get(figure);
    if (counts === undefined) {
      counts = {};
      this.#counts.set(figure, counts);
    }
    return counts;
  }

  report(): UsageReport {
    const report: Record<string, Record<string, Counts>> = {};
    for (const [{ event, name }, counts] of this.#counts)
      report[event] = { ...report[event], [name]: counts };
    return report;
  }
}

export class UsageFigures {
  #sums = new Sums();
  readonly #readers = new Map<string, ReturnType<typeof readersOf>>();

  ended(request: EndedRequest): void {
    const { routeId, isDegraded, durationMs, isIndexNew } = request;
    const readers = this.#readers.get(routeId) ?? readersOf(routeId);
    this.#readers.set(routeId, readers);
    const isOk = request.status < ERROR_STATUS;
    const outcome = {
      received: true,
      succeeded: isOk,
      failed: !isOk,
      degraded: isDegraded,
      succeededMs: isOk ? durationMs : null,
      createsIndex: isOk && isIndexNew,
    };
    const asked = askedIn(request);
    this.#add(readers.get('outcome'), outcome, asked);
    this.#add(readers.get('request'), request, asked);
    for (const member in asked) this.#add(readers.get(member), asked[member], asked);
  }

  #add(readers: readonly Reader[] = [], member: unknown, asked: Json): void {
    for (const [figure, { path, read, argument }] of readers) {
      let value = member;
      for (const name of path) value = objectOf(value)[name];
      if (value !== undefined && value !== null)
        figure.add(this.#sums.of(figure), read(value, argument, asked));
    }
  }

  /** Returns the counts since the last call. */
  take(): UsageReport {
    const report = this.#sums.report();
    this.#sums = new Sums();
    return report;
  }
}

/** The sum of reports of processes of one release. */
export function mergedReports(reports: readonly UsageReport[]): UsageReport {
  const sums = new Sums();
  for (const figure of USAGE_EVENTS.flatMap(({ figures }) => figures))
    for (const report of reports) {
      const counts = report[figure.event]?.[figure.name];
      if (counts !== undefined) figure.merge(sums.of(figure), counts);
    }
  return sums.report();
}

/** The figures of a report as they are sent. */
export const shownEvents = (report: UsageReport): TelemetryBundle['events'] =>
  USAGE_EVENTS.flatMap(({ event, figures }) => {
    const counts = report[event];
    if (counts === undefined) return [];
    const shown = figures.map(({ name, show }) => [name, show(counts[name] ?? {})] as const);
    return [{ event, figures: Object.fromEntries(shown) }];
  });
