/** Counts the requests of a front, and adds up the counts of all fronts. */
import { type Json, objectOf } from '../core/json.ts';
import type { Counts, TelemetryBundle, UsageReport } from '../model/usage-report.ts';
import { EVENTS, FIGURES, type Figure } from './usage-events.ts';

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

const ERROR_STATUS = 400;

/** Members of the body or query string; of settings, only accepted ones. */
function askedIn({ routeId, query, body, status }: EndedRequest): Json {
  const [, setting] = /^settings\.(\w+)\.update$/.exec(routeId) ?? [];
  if (status >= ERROR_STATUS && routeId.startsWith('settings.')) return {};
  return setting === undefined ? objectOf(body ?? query) : { [setting]: body };
}

type Sums = Record<string, Record<string, Counts>>;

/** Counts of a figure, which are empty at first. */
function countsIn(sums: Sums, { event, name }: Figure): Counts {
  sums[event] ??= {};
  sums[event][name] ??= {};
  return sums[event][name];
}

export class UsageFigures {
  #sums: Sums = {};
  /** The figures that count the requests of a route. */
  readonly #figures = new Map<string, readonly Figure[]>();

  ended(request: EndedRequest): void {
    const { routeId, isDegraded, durationMs, isIndexNew } = request;
    const figures =
      this.#figures.get(routeId) ?? FIGURES.filter(({ routes }) => routes.test(routeId));
    this.#figures.set(routeId, figures);
    const isOk = request.status < ERROR_STATUS;
    const outcome = {
      received: true,
      succeeded: isOk,
      failed: !isOk,
      degraded: isDegraded,
      succeededMs: isOk ? durationMs : null,
      createsIndex: isOk && isIndexNew,
    };
    const source: Json = { request, outcome, asked: askedIn(request) };
    for (const figure of figures)
      for (const { path, read, argument } of figure.readings) {
        let value: unknown = source;
        for (const name of path) value = (value as Json | null | undefined)?.[name];
        if (value !== undefined && value !== null)
          figure.add(countsIn(this.#sums, figure), read(value, argument));
      }
  }

  /** Returns the counts since the last call. */
  take(): UsageReport {
    const report = this.#sums;
    this.#sums = {};
    return report;
  }
}

/** The sum of reports of processes of one release. */
export function mergedReports(reports: readonly UsageReport[]): UsageReport {
  const sums: Sums = {};
  for (const figure of FIGURES)
    for (const report of reports) {
      const counts = report[figure.event]?.[figure.name];
      if (counts !== undefined) figure.merge(countsIn(sums, figure), counts);
    }
  return sums;
}

/** The figures of a report as they are sent. */
export const shownEvents = (report: UsageReport): TelemetryBundle['events'] =>
  EVENTS.flatMap((event) => {
    const counts = report[event];
    if (counts === undefined) return [];
    const shown = FIGURES.filter((figure) => figure.event === event);
    const figures = shown.map(({ name, show }) => [name, show(counts[name] ?? {})] as const);
    return [{ event, figures: Object.fromEntries(figures) }];
  });
