/** Aggregations of a search: validated, with all defaults; computed over all documents found. */
import type { UnparsedFilter } from './filter/filter-form.ts';

export const AGGREGATION_TYPES = [
  'min',
  'max',
  'sum',
  'mean',
  'percentiles',
  'cardinality',
  'terms',
  'range',
  'dateHistogram',
] as const;
export const CALENDAR_INTERVALS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type CalendarInterval = (typeof CALENDAR_INTERVALS)[number];

/** Numbers from `from` (included) to `to` (excluded); null = unbounded. */
export interface NumberRange {
  readonly key: string;
  readonly from: number | null;
  readonly to: number | null;
}

export type AggregationMeasure =
  | { readonly type: 'min' | 'max' | 'sum' | 'mean' | 'cardinality' }
  | { readonly type: 'percentiles'; readonly percents: readonly number[] }
  | { readonly type: 'terms'; readonly size: number }
  | { readonly type: 'range'; readonly ranges: readonly NumberRange[] }
  | {
      readonly type: 'dateHistogram';
      readonly interval: CalendarInterval;
      /** IANA name. */
      readonly timeZone: string;
    };

export interface Aggregation {
  readonly name: string;
  /** Path in the request, for messages. */
  readonly place: string;
  readonly attribute: string;
  readonly measure: AggregationMeasure;
  /** Restricts the documents; null = all found. */
  readonly filter: UnparsedFilter | null;
  /** For each bucket; empty for types without buckets. */
  readonly inner: readonly Aggregation[];
}
