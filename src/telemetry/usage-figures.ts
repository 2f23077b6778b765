/** Counts the requests of a front, and adds up the counts of all fronts. */
import type { Counts, FigureValues, UsageReport } from '../model/usage-report.ts';
import { type EndedRequest, factOf, USAGE_EVENTS } from './usage-events.ts';

type UsageEvent = (typeof USAGE_EVENTS)[number];
type Sums = Record<string, Record<string, Counts>>;

/** @param stateOf undefined = nothing to add to the figure */
function add(
  sums: Sums,
  { name: event, figures }: UsageEvent,
  stateOf: (figure: UsageEvent['figures'][number]) => Counts | undefined,
): void {
  const states = sums[event] ?? {};
  sums[event] = states;
  for (const figure of figures) {
    const [name, { merge }] = figure;
    const state = stateOf(figure);
    const known = states[name];
    if (state !== undefined)
      states[name] = known === undefined ? { ...state } : merge(known, state);
  }
}

export class UsageFigures {
  #counted: Sums = {};
  readonly #byRoute = new Map<string, readonly UsageEvent[]>();

  ended(request: EndedRequest): void {
    const { routeId } = request;
    const events =
      this.#byRoute.get(routeId) ?? USAGE_EVENTS.filter(({ routes }) => routes.test(routeId));
    this.#byRoute.set(routeId, events);
    const fact = factOf(request);
    for (const event of events) add(this.#counted, event, ([, { of }]) => of(fact));
  }

  /** Returns the counts since the last call. */
  take(): UsageReport {
    const counted = this.#counted;
    this.#counted = {};
    return counted;
  }
}

/** The sum of reports of processes of one release. */
export function mergedReports(reports: readonly UsageReport[]): UsageReport {
  const sums: Sums = {};
  for (const report of reports)
    for (const event of USAGE_EVENTS) {
      const states = report[event.name];
      if (states !== undefined) add(sums, event, ([name]) => states[name]);
    }
  return sums;
}

/** The figures of a report as they are sent. */
export const shownEvents = (
  report: UsageReport,
): { readonly event: string; readonly figures: FigureValues }[] =>
  USAGE_EVENTS.flatMap(({ name: event, figures }) => {
    const states = report[event];
    if (states === undefined) return [];
    const values = figures.map(([name, { show }]) => [name, show(states[name] ?? {})] as const);
    return [{ event, figures: Object.fromEntries(values) }];
  });
