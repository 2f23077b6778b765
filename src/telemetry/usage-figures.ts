/** Counts the requests of a front, and adds up the counts of all fronts. */
import type { Counts, FigureValues, UsageReport } from '../model/usage-report.ts';
import { type EndedRequest, factOf, USAGE_EVENTS } from './usage-events.ts';

type UsageEvent = (typeof USAGE_EVENTS)[number];

export class UsageFigures {
  /** States of the figures of each event, in their order. */
  #counted = new Map<UsageEvent, readonly Counts[]>();
  readonly #byRoute = new Map<string, readonly UsageEvent[]>();

  ended(request: EndedRequest): void {
    const { routeId } = request;
    let events = this.#byRoute.get(routeId);
    if (events === undefined) {
      events = USAGE_EVENTS.filter(({ routes }) => routes.test(routeId));
      this.#byRoute.set(routeId, events);
    }
    const fact = factOf(request);
    for (const event of events) {
      const states = this.#statesOf(event);
      for (const [member, positions] of event.byMember) {
        if (member !== undefined && fact.asked[member] === undefined) continue;
        for (const i of positions) event.figures[i]?.[1].add(states[i] as Counts, fact);
      }
    }
  }

  /** Adds the counts of a process of the same release. */
  add(report: UsageReport): void {
    for (const event of USAGE_EVENTS) {
      const others = report[event.name];
      if (others === undefined) continue;
      const states = this.#statesOf(event);
      for (const [i, [name, { merge }]] of event.figures.entries())
        merge(states[i] as Counts, others[name] ?? {});
    }
  }

  /** Returns the counts since the last call. */
  take(): UsageReport {
    const counted = this.#counted;
    this.#counted = new Map();
    return Object.fromEntries(
      [...counted].map(([{ name: event, figures }, states]) => {
        const named = figures.map(([name], i) => [name, states[i] as Counts] as const);
        return [event, Object.fromEntries(named)];
      }),
    );
  }

  #statesOf(event: UsageEvent): readonly Counts[] {
    let states = this.#counted.get(event);
    if (states === undefined) {
      states = event.figures.map(() => ({}));
      this.#counted.set(event, states);
    }
    return states;
  }
}

/** The sum of reports of processes of one release. */
export function mergedReports(reports: readonly UsageReport[]): UsageReport {
  const sums = new UsageFigures();
  for (const report of reports) sums.add(report);
  return sums.take();
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
