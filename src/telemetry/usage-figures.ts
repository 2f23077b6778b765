/** Counts the requests of a front by the table of events. */
import type { ToldFigures, UsageReport } from '../model/usage-report.ts';
import type { EndedRequest } from './ended-request.ts';
import type { Measure } from './measures.ts';
import { USAGE_EVENTS, type UsageEvent } from './usage-events.ts';

interface CountedFigure {
  readonly name: string;
  readonly measure: Measure<unknown, unknown>;
  readonly of: (fact: never) => unknown;
}

interface CountedEvent {
  readonly event: UsageEvent;
  readonly figures: readonly CountedFigure[];
  /** Of each figure, in their order; null before the first request. */
  states: unknown[] | null;
}

const countedEvents = (): CountedEvent[] =>
  USAGE_EVENTS.map((event) => ({
    event,
    figures: Object.entries(event.figures).map(([name, { measure, of }]) => ({
      name,
      measure,
      of,
    })),
    states: null,
  }));

export class UsageFigures {
  readonly #events = countedEvents();
  readonly #byRoute = new Map<string, readonly CountedEvent[]>();

  ended(request: EndedRequest): void {
    for (const counted of this.#eventsOf(request.routeId)) {
      counted.states ??= counted.figures.map(({ measure }) => measure.start());
      const { states } = counted;
      const facts = counted.event.facts(request) as never;
      for (const [i, { measure, of }] of counted.figures.entries()) {
        const value = of(facts);
        if (value !== undefined) states[i] = measure.add(states[i], value);
      }
    }
  }

  /** What has been counted since the last call. */
  take(): UsageReport {
    const report: Record<string, Record<string, unknown>> = {};
    for (const counted of this.#events) {
      const { states } = counted;
      if (states === null) continue;
      report[counted.event.name] = Object.fromEntries(
        counted.figures.map(({ name }, i) => [name, states[i]]),
      );
      counted.states = null;
    }
    return report;
  }

  #eventsOf(routeId: string): readonly CountedEvent[] {
    const known = this.#byRoute.get(routeId);
    if (known !== undefined) return known;
    const events = this.#events.filter(({ event }) => event.isAbout(routeId));
    this.#byRoute.set(routeId, events);
    return events;
  }
}

/** Reports of processes of one release, added up. */
export function mergedReports(reports: readonly UsageReport[]): UsageReport {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const report of reports)
    for (const { name: event, figures } of USAGE_EVENTS) {
      const states = report[event];
      if (states === undefined) continue;
      const sums = merged[event];
      merged[event] = Object.fromEntries(
        Object.entries(figures).map(([name, { measure }]) => [
          name,
          sums === undefined ? states[name] : measure.merge(sums[name], states[name]),
        ]),
      );
    }
  return merged;
}

/** As the figures of a report are told. */
export const toldEvents = (
  report: UsageReport,
): { readonly event: string; readonly figures: ToldFigures }[] =>
  USAGE_EVENTS.flatMap(({ name: event, figures }) => {
    const states = report[event];
    if (states === undefined) return [];
    const told = Object.entries(figures).map(
      ([name, { measure }]) => [name, measure.show(states[name])] as const,
    );
    return [{ event, figures: Object.fromEntries(told) }];
  });
