/** Sums of searches and of the events that name them. */
import type { EventRow, SearchRow, SearchSums } from '../model/analytics.ts';

/** Events of one search. */
export interface SearchEvents {
  isClicked: boolean;
  isConverted: boolean;
  isViewed: boolean;
  positions: number;
  positionCount: number;
}

export const noSums = (): SearchSums => ({
  searches: 0,
  withoutHits: 0,
  hits: 0,
  ms: 0,
  tracked: 0,
  clicked: 0,
  converted: 0,
  viewed: 0,
  positions: 0,
  positionCount: 0,
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
  if (events.isClicked) sums.clicked += 1;
  if (events.isConverted) sums.converted += 1;
  if (events.isViewed) sums.viewed += 1;
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
    let events = this.#byUid.get(queryUid);
    if (events === undefined) {
      if (this.#byUid.size >= this.#max) {
        this.isComplete = false;
        return;
      }
      events = {
        isClicked: false,
        isConverted: false,
        isViewed: false,
        positions: 0,
        positionCount: 0,
      };
      this.#byUid.set(queryUid, events);
    }
    if (type === 'conversion') events.isConverted = true;
    else if (type === 'view') events.isViewed = true;
    else {
      events.isClicked = true;
      for (const position of positions) events.positions += position;
      events.positionCount += positions.length;
    }
  }
}
