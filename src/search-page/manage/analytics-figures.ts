/** Figures of reports for the view of search analytics. Pure. */
import { DAY_MS, utcDay } from '../../core/calendar-day.ts';
import { humanCount } from '../parts/human.ts';

export interface Figures {
  readonly searches: number;
  readonly searchesWithoutResults: number;
  readonly trackedSearches: number;
  readonly clickThroughRate: number | null;
  readonly meanClickPosition: number | null;
}
export type DayFigures = Figures & { readonly day: string };

const NONE: Figures = {
  searches: 0,
  searchesWithoutResults: 0,
  trackedSearches: 0,
  clickThroughRate: null,
  meanClickPosition: null,
};

/** The first of `days` days up to now, in UTC. */
export const firstDay = (days: number, nowMs: number): string =>
  utcDay(nowMs - (days - 1) * DAY_MS);

/** One entry for every day from the first to the last; days without searches are not in a report. */
export function everyDay(results: readonly DayFigures[], from: string, to: string): DayFigures[] {
  const known = new Map(results.map((figures) => [figures.day, figures]));
  const days: DayFigures[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) {
    const day = utcDay(ms);
    days.push(known.get(day) ?? { day, ...NONE });
  }
  return days;
}

export const percent = (ratio: number | null): string =>
  ratio === null ? '–' : `${(ratio * 100).toFixed(1)} %`;

export const place = (position: number | null): string =>
  position === null ? '–' : position.toFixed(1);

/** Names and texts of the figures above the plots. */
export const summaryOf = (all: Figures): readonly (readonly [string, string])[] => [
  ['Searches', humanCount(all.searches)],
  [
    'Without results',
    percent(all.searches === 0 ? null : all.searchesWithoutResults / all.searches),
  ],
  ['Click-through rate', percent(all.clickThroughRate)],
  ['Mean click position', place(all.meanClickPosition)],
];
