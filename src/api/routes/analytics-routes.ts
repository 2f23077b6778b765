/** Routes of search analytics: events of users, and reports over kept searches. */
import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import { DAY_MS, dayMs, isDay, utcDay } from '../../core/calendar-day.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, indexNotFound } from '../../core/errors.ts';
import { givenMembers } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import {
  type EventRow,
  type QueryKind,
  type ReportGroup,
  recordedFilter,
  type SearchSums,
} from '../../model/analytics.ts';
import {
  type AnalyticsRange,
  CountsQuery,
  EventsBody,
  type ListedEvent,
  QueriesQuery,
} from '../../model/schemas/analytics-schema.ts';
import type { ApiContext, SearchAnalytics } from '../contract/context.ts';
import { defineRoute, type Route, type RouteRequest } from '../contract/route.ts';

const DAYS_SHOWN = 30;

function requireAnalytics({ analytics }: ApiContext): SearchAnalytics {
  if (analytics !== null) return analytics;
  throw new ApiError(
    'feature_not_enabled',
    'Search analytics are off. Start the server with `--search-analytics`.',
  );
}

/** The only event of a body that has no list, in the form of a list. */
function singleEvent(body: EventsBody): ListedEvent {
  const { eventType, eventName, indexUid, userId, queryUid, objectId, position } = body;
  const missing = (name: string, expected: string): ApiError =>
    new ApiError('invalid_event', `\`${name}\` is missing, expected ${expected}.`);
  if (eventType === undefined) throw missing('eventType', '`click`, `conversion` or `view`');
  if (eventName === undefined) throw missing('eventName', 'a string');
  if (indexUid === undefined)
    throw new ApiError('missing_index_uid', '`indexUid` is missing, expected an index name.');
  return givenMembers<ListedEvent>({
    eventType,
    eventName,
    index: indexUid,
    userToken: userId,
    queryID: queryUid,
    objectIDs: objectId === undefined ? null : [String(objectId)],
    positions: position === undefined ? null : [position + 1],
  });
}

/** @throws ApiError if the index does not exist or the key does not reach it */
function toRow(
  context: ApiContext,
  { access, headers }: Pick<RouteRequest<unknown, unknown, unknown>, 'access' | 'headers'>,
  event: ListedEvent,
): EventRow {
  requireReach(access, event.index);
  const index = context.aliases.resolve(event.index);
  if (context.indexes.get(index) === undefined) throw indexNotFound(event.index);
  const now = context.clock.now();
  return givenMembers<EventRow>({
    index,
    at: Math.min(event.timestamp ?? now, now),
    type: event.eventType,
    name: event.eventName,
    user: (event.userToken ?? headers.userId) || null,
    queryUid: event.queryID,
    objects: event.objectIDs,
    positions: event.positions,
  });
}

const invalid = (name: string, text: string, expected: string): ApiError =>
  new ApiError(
    'invalid_analytics_parameter',
    `\`${name}\` is \`${text.slice(0, 100)}\`, expected ${expected}.`,
  );

/** @throws ApiError `invalid_analytics_parameter` */
function daysOf({ from, to }: AnalyticsRange, now: number): { from: string; to: string } {
  const days = { from: from ?? '', to: to ?? utcDay(now) };
  if (!isDay(days.to)) throw invalid('to', days.to, 'a day such as `2026-11-26`');
  if (from === undefined) days.from = utcDay(dayMs(days.to) - (DAYS_SHOWN - 1) * DAY_MS);
  if (!isDay(days.from)) throw invalid('from', days.from, 'a day such as `2026-11-26`');
  if (days.from > days.to) throw invalid('from', days.from, `a day up to \`to\`, ${days.to}`);
  return days;
}

/** Indexes of a report that the key reaches. @throws ApiError `invalid_api_key` */
function indexesOf(
  { aliases, indexes }: ApiContext,
  access: Access,
  indexUid: string | undefined,
): readonly string[] {
  if (indexUid === undefined)
    return indexes.list().flatMap(({ manifest: { uid } }) => (access.reaches(uid) ? [uid] : []));
  requireReach(access, indexUid);
  return [aliases.resolve(indexUid)];
}

const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

/** Rates and means of sums; null = nothing to divide by. */
const figuresOf = (sums: SearchSums) => ({
  searches: sums.searches,
  searchesWithoutResults: sums.withoutHits,
  meanHits: ratio(sums.hits, sums.searches),
  meanMs: ratio(sums.ms, sums.searches),
  trackedSearches: sums.tracked,
  clickedSearches: sums.clicked,
  clickThroughRate: ratio(sums.clicked, sums.tracked),
  meanClickPosition: ratio(sums.positions, sums.positionCount),
  convertedSearches: sums.converted,
  conversionRate: ratio(sums.converted, sums.tracked),
  viewedSearches: sums.viewed,
});

function groupMembers(by: ReportGroup, group: string): Readonly<Record<string, string>> {
  if (by !== 'queryAndFilter') return { [by]: group };
  const [query, filter] = JSON.parse(group) as [string, string];
  return { query, filter };
}

async function report(
  context: ApiContext,
  { access, query, caller }: RouteRequest<unknown, AnalyticsRange, unknown>,
  by: ReportGroup,
  kind: QueryKind = 'top',
) {
  const analytics = requireAnalytics(context);
  const { indexUid, filter, offset = 0, limit = limits.pageItemsDefault } = query;
  const days = daysOf(query, context.clock.now());
  const indexes = indexesOf(context, access, indexUid);
  const { results, total, all, isComplete } = await analytics.report(
    { ...days, by, kind, indexes, ...(filter !== undefined && { filter }), offset, limit },
    caller.signal,
  );
  return {
    ...days,
    results: results.map(([group, sums]) => ({ ...groupMembers(by, group), ...figuresOf(sums) })),
    offset,
    limit,
    total,
    all: figuresOf(all),
    isComplete,
  };
}

/**
 * The most frequent queries of the index, with their filters, in the days that reports show. Queries
 * with a truncated filter are left out.
 * @throws ApiError
 */
export async function recordedQueries(
  context: ApiContext,
  indexUid: string,
  limit: number,
  { signal }: Pick<Requester, 'signal'>,
): Promise<readonly { readonly q: string; readonly filter: unknown }[]> {
  const days = daysOf({}, context.clock.now());
  const request = { ...days, by: 'queryAndFilter', kind: 'top', indexes: [indexUid] } as const;
  const analytics = requireAnalytics(context);
  const { results } = await analytics.report({ ...request, offset: 0, limit }, signal);
  return results.flatMap(([group]) => {
    const [q, text] = JSON.parse(group) as [string, string];
    const filter = recordedFilter(text);
    return filter === undefined ? [] : [{ q, filter }];
  });
}

export const analyticsRoutes: readonly Route[] = [
  defineRoute({
    id: 'events.add',
    endpoint: 'POST /events',
    action: 'events.add',
    summary: 'Record clicks, conversions and views, one or a list',
    body: EventsBody,
    errors: ['feature_not_enabled', 'index_not_found'],
    handler: (context, request) => {
      const analytics = requireAnalytics(context);
      const { events } = request.body;
      const listed = events ?? [singleEvent(request.body)];
      const rows = listed.map((event) => toRow(context, request, event));
      for (const row of rows) analytics.happened(row);
      return { status: events === undefined ? 201 : 200, json: { status: 200, message: 'OK' } };
    },
  }),
  defineRoute({
    id: 'analytics.queries',
    endpoint: 'GET /analytics/queries',
    action: 'analytics.get',
    summary:
      'List searched queries with their clicks: the most frequent, without results, without clicks',
    query: QueriesQuery,
    errors: ['feature_not_enabled', 'search_timeout'],
    handler: async (context, request) => {
      const { kind, byFilter } = request.query;
      const by = byFilter === true ? 'queryAndFilter' : 'query';
      return { status: 200, json: await report(context, request, by, kind) };
    },
  }),
  defineRoute({
    id: 'analytics.counts',
    endpoint: 'GET /analytics/counts',
    action: 'analytics.get',
    summary: 'Count searches and their clicks by day, index or filter',
    query: CountsQuery,
    errors: ['feature_not_enabled', 'search_timeout'],
    handler: async (context, request) => ({
      status: 200,
      json: await report(context, request, request.query.by ?? 'day'),
    }),
  }),
];
