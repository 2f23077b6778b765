/** Start here: one report over kept searches and events; pure. Events are added before searches. */
import { DAY_MS, utcDay } from '../core/calendar-day.ts';
import type {
  AnalyticsReport,
  EventRow,
  QueryKind,
  ReportGroup,
  ReportRequest,
  SearchRow,
  SearchSums,
} from '../model/analytics.ts';
import { addSearch, EventsByQuery, noSums } from './search-sums.ts';
import { TypingSessions } from './typing-sessions.ts';

/** Bounds the memory of a report: of each about 30 MB. */
export interface ReportBounds {
  readonly groups: number;
  /** Queries with events. */
  readonly queries: number;
}
export const REPORT_BOUNDS: ReportBounds = { groups: 100_000, queries: 200_000 };

/** The next day in UTC. */
export const dayAfter = (day: string): string => utcDay(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

type Group = readonly [name: string, sums: SearchSums];

const IS_LISTED: Readonly<Record<QueryKind, (sums: SearchSums) => boolean>> = {
  top: () => true,
  noResults: ({ withoutHits }) => withoutHits > 0,
  noClicks: ({ tracked, clicked }) => tracked > 0 && clicked === 0,
};
/** What the order of a kind is by. */
const COUNT: Readonly<Record<QueryKind, (sums: SearchSums) => number>> = {
  top: ({ searches }) => searches,
  noResults: ({ withoutHits }) => withoutHits,
  noClicks: ({ tracked }) => tracked,
};
const byName = ([a]: Group, [b]: Group): number => (a < b ? -1 : 1);
const most =
  (count: (sums: SearchSums) => number) =>
  (a: Group, b: Group): number =>
    count(b[1]) - count(a[1]) || byName(a, b);

export class ReportBuilder {
  readonly #request: ReportRequest;
  readonly #bounds: ReportBounds;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #events: EventsByQuery;
  readonly #sessions: TypingSessions;
  readonly #indexes: ReadonlySet<string>;
  readonly #groups = new Map<string, SearchSums>();
  readonly #total = noSums();
  #hasAllGroups = true;

  constructor(request: ReportRequest, bounds: ReportBounds = REPORT_BOUNDS) {
    this.#request = request;
    this.#bounds = bounds;
    this.#indexes = new Set(request.indexes);
    this.#startMs = Date.parse(`${request.from}T00:00:00Z`);
    this.#endMs = Date.parse(`${request.to}T00:00:00Z`) + DAY_MS;
    this.#events = new EventsByQuery(bounds.queries);
    this.#sessions = new TypingSessions(
      ({ queryUid }) => this.#events.get(queryUid) !== undefined,
      (row, text) => this.#count(row, text),
    );
  }

  addEvent(row: EventRow): void {
    if (row.at >= this.#startMs && this.#indexes.has(row.index)) this.#events.add(row);
  }

  addSearch(row: SearchRow): void {
    if (row.at < this.#startMs || row.at >= this.#endMs) return;
    const { filter = row.filter } = this.#request;
    if (this.#indexes.has(row.index) && row.filter === filter) this.#sessions.add(row);
  }

  finish(): AnalyticsReport {
    this.#sessions.finish();
    const { by, kind, offset, limit } = this.#request;
    const listed = [...this.#groups].filter(([, sums]) => IS_LISTED[kind](sums));
    listed.sort(by === 'day' ? byName : most(COUNT[kind]));
    return {
      results: listed.slice(offset, offset + limit),
      total: listed.length,
      all: this.#total,
      isComplete: this.#hasAllGroups && this.#events.isComplete,
    };
  }

  #count(row: SearchRow, text: string): void {
    const events = this.#events.get(row.queryUid);
    addSearch(this.#total, row, events);
    const group = groupOf(this.#request.by, row, text);
    let sums = this.#groups.get(group);
    if (sums === undefined) {
      if (this.#groups.size >= this.#bounds.groups) {
        this.#hasAllGroups = false;
        return;
      }
      sums = noSums();
      this.#groups.set(group, sums);
    }
    addSearch(sums, row, events);
  }
}

function groupOf(by: ReportGroup, row: SearchRow, text: string): string {
  if (by === 'query') return text;
  if (by === 'queryAndFilter') return JSON.stringify([text, row.filter]);
  return by === 'day' ? utcDay(row.at) : row[by];
}
