/** Counts the requests of a front, and adds up the counts of all fronts. */
import { getOrCompute } from '../core/get-or-compute.ts';
import { type Json, objectOf } from '../core/json.ts';
import type { Counts, TelemetryBundle, UsageReport } from '../model/usage-report.ts';
import { addCounts } from './measures.ts';
import { EVENTS } from './usage-events.ts';

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

/** Counts by event and figure. */
type Sums = Record<string, Record<string, Counts>>;

function add(sums: Sums, event: string, name: string, counts: Counts): void {
  sums[event] ??= {};
  sums[event][name] ??= {};
  addCounts(sums[event][name], counts);
}

export class UsageFigures {
  #sums: Sums = {};
  /** The events that count the requests of a route. */
  readonly #events = new Map<string, typeof EVENTS>();

  ended(request: EndedRequest): void {
    const { routeId, isIndexNew, durationMs } = request;
    const events = getOrCompute(this.#events, routeId, () =>
      EVENTS.filter(({ routes }) => routes.test(routeId)),
    );
    const isOk = request.status < ERROR_STATUS;
    const outcome = {
      received: true,
      succeeded: isOk,
      failed: !isOk,
      succeededMs: isOk ? durationMs : null,
      createsIndex: isOk && isIndexNew,
    };
    const source = { request, outcome, asked: askedIn(request) };
    for (const { event, figures } of events)
      for (const { name, read, of } of figures) {
        const value = read(source);
        if (value !== null) add(this.#sums, event, name, of(value));
      }
  }

  /** Adds the counts of another process. */
  add(report: UsageReport): void {
    for (const [event, figures] of Object.entries(report))
      for (const [name, counts] of Object.entries(figures)) add(this.#sums, event, name, counts);
  }

  /** Counts since the last `take`. */
  get report(): UsageReport {
    return this.#sums;
  }

  take(): UsageReport {
    const report = this.#sums;
    this.#sums = {};
    return report;
  }
}

/** The figures of a report as they are sent. */
export const shownEvents = (report: UsageReport): TelemetryBundle['events'] =>
  EVENTS.flatMap(({ event, figures }) => {
    const counts = report[event];
    if (counts === undefined) return [];
    const shown = figures.map(({ name, show }) => [name, show(counts[name] ?? {})] as const);
    return [{ event, figures: Object.fromEntries(shown) }];
  });
