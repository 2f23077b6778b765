/**
 * Start here: aggregations over the documents of a set, as a member of the answer (relevance.md
 * 5.10). They read columns, never documents.
 */
import type { Deadline } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Aggregation, AggregationMeasure, NumberRange } from '../../model/aggregations.ts';
import { filterDocuments, parsedFilter } from '../filter/filter-evaluator.ts';
import {
  allowsFilter,
  availablePatterns,
  isFilterable,
  refusingRule,
} from '../filter/filterable-fields.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { ForeignIndexes } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import {
  type BucketedValues,
  bucketDocuments,
  mayHaveSeveral,
  type OrdinalRun,
} from './bucket-documents.ts';
import { calendarBuckets } from './calendar-buckets.ts';
import { type TimedValues, timedValues, timeRange } from './date-values.ts';
import {
  countValues,
  findNumbers,
  findStrings,
  numberOf,
  numberRange,
  spellingOf,
} from './facet-counts.ts';
import type { CountedField, FoundValue } from './merged-values.ts';
import { numberSum, percentilesOf } from './number-measures.ts';
import { CountedDocuments } from './segment-counts.ts';

interface Means {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
  readonly deadline: Deadline;
}

type Of<Type extends AggregationMeasure['type']> = Extract<AggregationMeasure, { type: Type }>;

/**
 * `"aggregations":{…}`
 * @throws ApiError `invalid_search_aggregations`, `invalid_search_filter`
 */
export function aggregationMembers(
  aggregations: readonly Aggregation[],
  docs: DocSet,
  means: Means,
): string {
  return new Aggregator(means).members(aggregations, docs);
}

class Aggregator {
  readonly #means: Means;
  #bucketsLeft: number = limits.aggregation.bucketsMax;
  /** Documents that the filter of an aggregation selects, for all buckets around it. */
  readonly #selected = new Map<Aggregation, DocSet | null>();

  constructor(means: Means) {
    this.#means = means;
  }

  members(aggregations: readonly Aggregation[], docs: DocSet): string {
    const texts = aggregations.map(
      (each) => `${JSON.stringify(each.name)}:${this.#one(each, docs)}`,
    );
    return `"aggregations":{${texts.join(',')}}`;
  }

  #one(aggregation: Aggregation, found: DocSet): string {
    const { snapshot, deadline } = this.#means;
    deadline.check();
    const { attribute: path, measure } = aggregation;
    this.#checkAttribute(aggregation);
    const selected = this.#filtered(aggregation);
    const docs = selected === null ? found : found.retain(selected);
    const documents = new CountedDocuments(docs, deadline);
    const field = new FieldValues(snapshot, path);
    const counted = { snapshot, field, documents };
    const text = this.#measured(aggregation, measure, counted);
    documents.freeCounts();
    return text;
  }

  #checkAttribute({ attribute, place }: Aggregation): void {
    const { settings } = this.#means.snapshot.manifest;
    if (isFilterable(settings, attribute)) return;
    throw new ApiError(
      'invalid_search_aggregations',
      `\`${place}.attribute\` names \`${attribute}\`, which is not filterable.${refusingRule(settings, attribute)} ${availablePatterns(settings, allowsFilter)}`,
    );
  }

  #filtered(aggregation: Aggregation): DocSet | null {
    let selected = this.#selected.get(aggregation);
    if (selected === undefined) {
      const { snapshot, foreign, deadline } = this.#means;
      const code = 'invalid_search_filter';
      const filter = parsedFilter(aggregation.filter, { code, deadline });
      selected = filterDocuments(snapshot, filter, foreign);
      this.#selected.set(aggregation, selected);
    }
    return selected;
  }

  #measured(aggregation: Aggregation, measure: AggregationMeasure, counted: CountedField): string {
    const { field, documents } = counted;
    switch (measure.type) {
      case 'min':
      case 'max':
        return valueJson(numberRange(field, documents)?.[measure.type] ?? null);
      case 'sum':
        return valueJson(numberSum(counted).sum);
      case 'mean': {
        const { sum, count } = numberSum(counted);
        return valueJson(count === 0 ? null : sum / count);
      }
      case 'cardinality':
        return valueJson(countValues(counted));
      case 'percentiles': {
        const { percents } = measure;
        const values = percentilesOf(counted, percents);
        const texts = values.map((value, i) => `"${percents[i]}":${JSON.stringify(value)}`);
        return `{"values":{${texts.join(',')}}}`;
      }
      case 'terms':
        return this.#terms(aggregation, measure, counted);
      case 'range':
        return this.#ranges(aggregation, measure, counted);
      case 'dateHistogram':
        return this.#dates(aggregation, measure, counted);
    }
  }

  #terms(aggregation: Aggregation, { size }: Of<'terms'>, counted: CountedField): string {
    const { field, documents } = counted;
    const numbers = findNumbers(counted, 'count', size).map((value) => ({
      value,
      kind: 'numbers' as const,
    }));
    const strings = findStrings(counted, 'count', size).map((value) => ({
      value,
      kind: 'strings' as const,
    }));
    const best = [...numbers, ...strings]
      .sort((a, b) => b.value.count - a.value.count)
      .slice(0, size);
    this.#take(best.length, aggregation);
    const buckets = best.map(({ value, kind }) => {
      const key = kind === 'numbers' ? numberOf(field, value) : spellingOf(field, value, documents);
      const set = (): DocSet => documentsOf(field, value, kind).retain(documents.docs);
      return `{"key":${JSON.stringify(key)},"count":${value.count}${this.#inner(aggregation, set)}}`;
    });
    return bucketsJson(buckets);
  }

  #ranges(aggregation: Aggregation, { ranges }: Of<'range'>, counted: CountedField): string {
    const { field, documents } = counted;
    this.#take(ranges.length, aggregation);
    const bucketed = field.parts.map((part): BucketedValues => {
      const { numbers: values } = part.column;
      const runs = ranges.map(({ from, to }, bucket) => ({
        lo: from === null ? 0 : values.lowerBound(from),
        hi: to === null ? values.count : values.lowerBound(to),
        bucket,
      }));
      return { values, dead: part.dead, runs, mayRepeat: values.hasSeveral };
    });
    return this.#buckets(aggregation, bucketed, documents, ranges.map(rangeJson));
  }

  #dates(aggregation: Aggregation, measure: Of<'dateHistogram'>, counted: CountedField): string {
    const { snapshot, field, documents } = counted;
    const { check } = documents;
    const timed = timedValues(snapshot, field, check);
    const range = timeRange(timed, documents);
    if (range === null) return bucketsJson([]);
    const countMax = this.#bucketsLeft;
    const calendar = calendarBuckets(measure, { ...range, countMax }, () =>
      this.#means.deadline.check(),
    );
    if (calendar === null) throw this.#tooMany(aggregation);
    const { starts, keyOf } = calendar;
    this.#take(starts.length - 1, aggregation);
    const repeats = field.parts.some(mayHaveSeveral);
    const bucketed = timed.map((values): BucketedValues => {
      const runs = dateRuns(values, starts, check);
      return { values: values.values, dead: values.dead, runs, mayRepeat: repeats };
    });
    const labels = starts
      .slice(0, -1)
      .map((startMs) => `"key":"${keyOf(startMs)}","timestamp":${startMs / 1000}`);
    return this.#buckets(aggregation, bucketed, documents, labels);
  }

  /** @param labels members of each bucket before its count */
  #buckets(
    aggregation: Aggregation,
    bucketed: readonly BucketedValues[],
    documents: CountedDocuments,
    labels: readonly string[],
  ): string {
    const wantsSets = aggregation.inner.length > 0;
    const bucketCount = labels.length;
    const areAll = documents.docs.count === this.#means.snapshot.live.count;
    const wanted = { bucketCount, wantsSets, areAll };
    const { counts, sets } = bucketDocuments(bucketed, documents, wanted);
    const buckets = labels.map((label, i) => {
      const inner = this.#inner(aggregation, () => sets![i]!);
      return `{${label},"count":${counts[i]}${inner}}`;
    });
    return bucketsJson(buckets);
  }

  /** With a leading comma; empty without inner aggregations. */
  #inner({ inner }: Aggregation, docs: () => DocSet): string {
    return inner.length === 0 ? '' : `,${this.members(inner, docs())}`;
  }

  #take(count: number, aggregation: Aggregation): void {
    if (count > this.#bucketsLeft) throw this.#tooMany(aggregation);
    this.#bucketsLeft -= count;
  }

  #tooMany({ place, measure: { type } }: Aggregation): ApiError {
    const { bucketsMax } = limits.aggregation;
    return new ApiError(
      'invalid_search_aggregations',
      `\`${place}\` of the type \`${type}\` brings the request to more than ${bucketsMax} buckets, empty ones included. Take a longer \`interval\`, a smaller \`size\`, or restrict the documents with \`filter\`.`,
    );
  }
}

const valueJson = (value: number | null): string => `{"value":${JSON.stringify(value)}}`;
const bucketsJson = (buckets: readonly string[]): string => `{"buckets":[${buckets.join(',')}]}`;

function rangeJson({ key, from, to }: NumberRange): string {
  const bounds = [
    ...(from === null ? [] : [`"from":${from}`]),
    ...(to === null ? [] : [`"to":${to}`]),
  ];
  return [`"key":${JSON.stringify(key)}`, ...bounds].join(',');
}

const documentsOf = (
  field: FieldValues,
  { ordinals }: FoundValue,
  kind: 'numbers' | 'strings',
): DocSet =>
  field.gather((column, bits, part) => {
    const ordinal = ordinals[part] ?? -1;
    if (ordinal >= 0) column[kind].addDocuments(ordinal, ordinal + 1, bits);
  });

/** The ordinals of each bucket: found by search where times ascend, else by a look at each time. */
const dateRuns = (timed: TimedValues, starts: readonly number[], check: () => void): OrdinalRun[] =>
  (timed.doAscend ? ascendingRuns : scannedRuns)(timed, starts, check);

function ascendingRuns(
  timed: TimedValues,
  starts: readonly number[],
  check: () => void,
): OrdinalRun[] {
  const runs: OrdinalRun[] = [];
  let hi = timed.lowerBoundFrom(starts[0] ?? 0, 0);
  for (let bucket = 0; bucket < starts.length - 1; bucket++) {
    check();
    const lo = hi;
    hi = timed.lowerBoundFrom(starts[bucket + 1] ?? 0, lo);
    if (lo < hi) runs.push({ lo, hi, bucket });
  }
  return runs;
}

function scannedRuns(
  timed: TimedValues,
  starts: readonly number[],
  check: () => void,
): OrdinalRun[] {
  const runs: OrdinalRun[] = [];
  let run = { lo: 0, hi: 0, bucket: -1 };
  for (let ordinal = 0; ordinal < timed.values.count; ordinal++) {
    check();
    const bucket = bucketOf(timed.timeOf(ordinal), starts, run.bucket);
    if (bucket !== run.bucket) {
      if (run.bucket >= 0) runs.push(run);
      run = { lo: ordinal, hi: ordinal, bucket };
    }
    run.hi = ordinal + 1;
  }
  if (run.bucket >= 0) runs.push(run);
  return runs;
}

/** The bucket of a time, or −1. @param guess the bucket of the value before */
function bucketOf(time: number, starts: readonly number[], guess: number): number {
  if (time >= (starts[guess] ?? Number.NaN) && time < (starts[guess + 1] ?? Number.NaN))
    return guess;
  const end = starts.at(-1) ?? Number.NaN;
  if (!(time >= (starts[0] ?? Number.NaN) && time < end)) return -1;
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
