/** Search analytics: the rows that are kept, and the figures that reports show. */
import { parseJson } from '../core/json.ts';

/** Longer texts and filters are cut. */
export const RECORDED_LENGTH_MAX = 512;

export interface SearchRow {
  readonly index: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly query: string;
  /** As JSON unless it is a string; '' = none. */
  readonly filter: string;
  /** Estimated or exact number of matching documents. */
  readonly hits: number;
  /** Milliseconds from the request to the answer. */
  readonly ms: number;
  /** Absent = the client named no user. The indexer stores a hash of it. */
  readonly user?: string | undefined;
  /** Present if the client asked for `metadata`: events name it. */
  readonly queryUid?: string | undefined;
}

/** Case and white space around words make no difference between queries. */
export const normalQuery = (query: string): string =>
  query.trim().replace(/\s+/g, ' ').toLowerCase();

/** The filter with this text in a row: null = none, undefined = it was cut, or may have been. */
export function recordedFilter(text: string): unknown {
  if (text === '') return null;
  if (text.length >= RECORDED_LENGTH_MAX) return undefined;
  return text.startsWith('[') ? parseJson(text) : text;
}

export const EVENT_TYPES = ['click', 'conversion', 'view'] as const;
type EventType = (typeof EVENT_TYPES)[number];

export interface EventRow {
  readonly index: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type: EventType;
  readonly name: string;
  readonly user?: string;
  readonly queryUid?: string;
  readonly objects?: readonly string[];
  /** Places in the list of hits, from 1. */
  readonly positions?: readonly number[];
}

export interface AnalyticsBatch {
  readonly searches: readonly SearchRow[];
  readonly events: readonly EventRow[];
}

/** Sums over searches. Rates and means are computed when they are shown. */
export interface SearchSums {
  searches: number;
  withoutHits: number;
  hits: number;
  ms: number;
  /** Searches that events can name. */
  tracked: number;
  clicked: number;
  converted: number;
  viewed: number;
  positions: number;
  positionCount: number;
}

/** Of `queryAndFilter`, a group is the JSON of both. */
export type ReportGroup = 'query' | 'queryAndFilter' | 'day' | 'index' | 'filter';

/** Which queries a report lists, and in which order. */
export const QUERY_KINDS = ['top', 'noResults', 'noClicks'] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

export interface ReportRequest {
  /** First day, `YYYY-MM-DD` in UTC. */
  readonly from: string;
  /** Last day, included. */
  readonly to: string;
  readonly by: ReportGroup;
  readonly kind: QueryKind;
  readonly indexes: readonly string[];
  /** Only searches with this filter; absent = all. */
  readonly filter?: string;
  readonly offset: number;
  readonly limit: number;
}

export interface AnalyticsReport {
  readonly results: readonly (readonly [group: string, sums: SearchSums])[];
  readonly total: number;
  readonly all: SearchSums;
  /** False if there were more groups or events than a report holds. */
  readonly isComplete: boolean;
}
