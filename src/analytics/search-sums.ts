/** Sums of searches and of the events that name them. */
import type { EventRow, SearchRow, SearchSums } from '../model/analytics.ts';

const NO_EVENTS = { clicked: 0, converted: 0, viewed: 0, positions: 0, positionCount: 0 };

/** What the events of one search add to the sums; it is clicked, converted and viewed at most once. */
type SearchEvents = Record<keyof typeof NO_EVENTS, number>;

export const noSums = (): SearchSums => ({
  searches: 0,
  withoutHits: 0,
  hits: 0,
  ms: 0,
  tracked: 0,
  ...NO_EVENTS,
});

export function addSearch(
  sums: SearchSums,
  row: SearchRow,
  events: SearchEvents | undefined,
): void {
  sums.searches += 1;
  sums.hits += row.hits;
  sums.ms += row.ms;
  if (row.hits === 0) sums.withoutHits += 1;
  if (row.queryUid !== undefined) sums.tracked += 1;
  if (events === undefined) return;
  sums.clicked += events.clicked;
  sums.converted += events.converted;
  sums.viewed += events.viewed;
  sums.positions += events.positions;
  sums.positionCount += events.positionCount;
}

/** Events by the query that they name, up to a number of queries. */
export class EventsByQuery {
  readonly #max: number;
  readonly #byUid = new Map<string, SearchEvents>();
  isComplete = true;

  constructor(max: number) {
    this.#max = max;
  }

  get(queryUid: string | undefined): SearchEvents | undefined {
    return queryUid === undefined ? undefined : this.#byUid.get(queryUid);
  }

  /** Events without a query are in no report. */
  add({ queryUid, type, positions = [] }: EventRow): void {
    if (queryUid === undefined) return;
    const known = this.#byUid.get(queryUid);
    if (known === undefined && this.#byUid.size >= this.#max) {
      this.isComplete = false;
      return;
    }
    const events = known ?? { ...NO_EVENTS };
    if (known === undefined) this.#byUid.set(queryUid, events);
    if (type === 'conversion') events.converted = 1;
    else if (type === 'view') events.viewed = 1;
    else {
      events.clicked = 1;
      for (const position of positions) events.positions += position;
      events.positionCount += positions.length;
    }
  }
}
