/** Start here: one report over kept searches and events, from the files that the indexer writes. */
import { DAY_MS, utcDay } from '../core/calendar-day.ts';
import { getOrCompute } from '../core/get-or-compute.ts';
import type {
  AnalyticsReport,
  EventRow,
  QueryKind,
  ReportGroup,
  ReportRequest,
  SearchRow,
  SearchSums,
} from '../model/analytics.ts';
import type { AnalyticsFiles } from '../storage/analytics-files.ts';
import { addSearch, EventsByQuery, noSums } from './search-sums.ts';
import { TypingSessions } from './typing-sessions.ts';

/** Bounds the memory of a report: of each about 30 MB. */
interface ReportBounds {
  readonly groups: number;
  /** Queries with events. */
  readonly queries: number;
}
const REPORT_BOUNDS: ReportBounds = { groups: 100_000, queries: 200_000 };

/** The next day in UTC. */
const dayAfter = (day: string): string => utcDay(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

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

export async function readReport(
  files: AnalyticsFiles,
  request: ReportRequest,
): Promise<AnalyticsReport> {
  const { from, to } = request;
  const report = new ReportBuilder(request);
  // A row is in the file of its day, or in that of the next one shortly after midnight.
  for await (const rows of files.read('events', from, dayAfter(dayAfter(to))))
    for (const row of rows) report.addEvent(row as EventRow);
  for await (const rows of files.read('searches', from, dayAfter(to)))
    for (const row of rows) report.addSearch(row as SearchRow);
  return report.finish();
}

/** Pure. Events are added before searches. */
export class ReportBuilder {
  readonly #request: ReportRequest;
  readonly #groupsMax: number;
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
    this.#groupsMax = bounds.groups;
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
    if (this.#groups.size < this.#groupsMax || this.#groups.has(group))
      addSearch(getOrCompute(this.#groups, group, noSums), row, events);
    else this.#hasAllGroups = false;
  }
}

function groupOf(by: ReportGroup, row: SearchRow, text: string): string {
  if (by === 'query') return text;
  if (by === 'queryAndFilter') return JSON.stringify([text, row.filter]);
  return by === 'day' ? utcDay(row.at) : row[by];
}
