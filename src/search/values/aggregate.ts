/**
 * Start here: aggregations over the documents of a set, as a member of the answer (relevance.md
 * 5.10). They read columns, never documents.
 */

import type { Deadline } from '../../core/deadline.ts';
import { ApiError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { limits } from '../../core/limits.ts';
import { partitionPoint } from '../../core/partition-point.ts';
import type { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { Aggregation, AggregationMeasure, NumberRange } from '../../model/aggregations.ts';
import { filterDocuments, parsedFilter } from '../filter/filter-evaluator.ts';
import { requireFilterable } from '../filter/filterable-fields.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { ForeignIndexes } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import {
  type BucketedValues,
  bucketDocuments,
  mayHaveSeveral,
  type OrdinalRuns,
} from './bucket-documents.ts';
import { calendarBuckets } from './calendar-buckets.ts';
import { type TimedValues, timedValues, timeRange } from './date-values.ts';
import { countValues, findValues, numberOf, numberRange, spellingOf } from './facet-counts.ts';
import { type CountedField, type FoundValue, NUMBERS, STRINGS } from './merged-values.ts';
import { numberSum, percentilesOf } from './number-measures.ts';
import { CountedDocuments } from './segment-counts.ts';

interface Means {
  readonly snapshot: IndexSnapshot;
  readonly foreign: ForeignIndexes;
  readonly deadline: Deadline;
}

/** The buckets of an aggregation by number. */
interface Buckets {
  /** Appends the members of a bucket before its count. */
  readonly writeLabel: (bucket: number) => void;
  readonly countOf: (bucket: number) => number;
  readonly documentsOf: (bucket: number) => DocSet;
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;
const COUNT = encodeUtf8(',"count":');

type Of<Type extends AggregationMeasure['type']> = Extract<AggregationMeasure, { type: Type }>;

/**
 * Appends `"aggregations":{…}`.
 * @throws ApiError `invalid_search_aggregations`, `invalid_search_filter`
 */
export function writeAggregations(
  aggregations: readonly Aggregation[],
  docs: DocSet,
  means: Means,
  out: ByteBuffer,
): void {
  new Aggregator(means, out).write(aggregations, docs);
}

class Aggregator {
  readonly #means: Means;
  readonly #out: ByteBuffer;
  #bucketsLeft: number = limits.aggregation.bucketsMax;
  /** Documents that the filter of an aggregation selects, for all buckets around it. */
  readonly #selected = new Map<Aggregation, DocSet | null>();

  constructor(means: Means, out: ByteBuffer) {
    this.#means = means;
    this.#out = out;
  }

  write(aggregations: readonly Aggregation[], docs: DocSet): void {
    this.#out.pushText('"aggregations":{');
    for (const [i, each] of aggregations.entries()) {
      this.#out.pushText(`${i > 0 ? ',' : ''}${JSON.stringify(each.name)}:`);
      this.#one(each, docs);
    }
    this.#out.pushText('}');
  }

  #one(aggregation: Aggregation, found: DocSet): void {
    const { snapshot, deadline } = this.#means;
    deadline.check();
    const { attribute: path, measure, place } = aggregation;
    requireFilterable(snapshot.manifest.settings, path, {
      code: 'invalid_search_aggregations',
      problem: `\`${place}.attribute\` names \`${path}\`, which is not filterable.`,
    });
    const selected = this.#filtered(aggregation);
    const docs = selected === null ? found : found.retain(selected);
    const documents = new CountedDocuments(docs, deadline);
    const field = new FieldValues(snapshot, path);
    this.#measured(aggregation, measure, { snapshot, field, documents });
    documents.freeCounts();
  }

  #filtered(aggregation: Aggregation): DocSet | null {
    return getOrCompute(this.#selected, aggregation, () => {
      const { snapshot, foreign, deadline } = this.#means;
      const code = 'invalid_search_filter';
      const filter = parsedFilter(aggregation.filter, { code, deadline });
      return filterDocuments(snapshot, filter, foreign);
    });
  }

  #measured(aggregation: Aggregation, measure: AggregationMeasure, counted: CountedField): void {
    switch (measure.type) {
      case 'terms':
        this.#terms(aggregation, measure, counted);
        break;
      case 'range':
        this.#ranges(aggregation, measure, counted);
        break;
      case 'dateHistogram':
        this.#dates(aggregation, measure, counted);
        break;
      default:
        this.#out.pushText(figureJson(measure, counted));
    }
  }

  #terms(aggregation: Aggregation, { size }: Of<'terms'>, counted: CountedField): void {
    const { field, documents } = counted;
    const numbers = findValues(counted, NUMBERS, 'count', size);
    const strings = findValues(counted, STRINGS, 'count', size);
    const best = [
      ...numbers.map((value) => ({ value, kind: 'numbers' as const })),
      ...strings.map((value) => ({ value, kind: 'strings' as const })),
    ]
      .sort((a, b) => b.value.count - a.value.count)
      .slice(0, size);
    this.#take(best.length, aggregation);
    this.#writeBuckets(aggregation, best.length, {
      writeLabel: (i) => {
        const { value, kind } = best[i]!;
        const key =
          kind === 'numbers' ? numberOf(field, value) : spellingOf(field, value, documents);
        this.#out.pushText(`"key":${JSON.stringify(key)}`);
      },
      countOf: (i) => best[i]!.value.count,
      documentsOf: (i) => documentsOf(field, best[i]!.value, best[i]!.kind).retain(documents.docs),
    });
  }

  #ranges(aggregation: Aggregation, { ranges }: Of<'range'>, counted: CountedField): void {
    const { field, documents } = counted;
    this.#take(ranges.length, aggregation);
    const bucketed = field.parts.map((part): BucketedValues => {
      const { numbers: values } = part.column;
      const runs = {
        los: Uint32Array.from(ranges, ({ from }) => (from === null ? 0 : values.lowerBound(from))),
        his: Uint32Array.from(ranges, ({ to }) =>
          to === null ? values.count : values.lowerBound(to),
        ),
        buckets: Uint32Array.from(ranges.keys()),
      };
      return { values, dead: part.dead, runs, mayRepeat: values.hasSeveral };
    });
    this.#bucketed(aggregation, bucketed, documents, ranges.length, (i) =>
      this.#out.pushText(rangeJson(ranges[i]!)),
    );
  }

  #dates(aggregation: Aggregation, measure: Of<'dateHistogram'>, counted: CountedField): void {
    const { snapshot, field, documents } = counted;
    const { check } = documents;
    const out = this.#out;
    const timed = timedValues(snapshot, field, check);
    const range = timeRange(timed, documents);
    if (range === null) {
      out.pushText('{"buckets":[]}');
      return;
    }
    this.#means.deadline.check();
    const countMax = this.#bucketsLeft;
    const calendar = calendarBuckets(measure, { ...range, countMax }, check);
    if (calendar === null) throw this.#tooMany(aggregation);
    const { starts, writeLabel } = calendar;
    this.#take(starts.length - 1, aggregation);
    const repeats = field.parts.some(mayHaveSeveral);
    const bucketed = timed.map((values): BucketedValues => {
      const runs = dateRuns(values, starts, check);
      return { values: values.values, dead: values.dead, runs, mayRepeat: repeats };
    });
    this.#bucketed(aggregation, bucketed, documents, starts.length - 1, (i) =>
      writeLabel(starts[i]!, out),
    );
  }

  #bucketed(
    aggregation: Aggregation,
    bucketed: readonly BucketedValues[],
    documents: CountedDocuments,
    bucketCount: number,
    writeLabel: Buckets['writeLabel'],
  ): void {
    const wantsSets = aggregation.inner.length > 0;
    const areAll = documents.docs.count === this.#means.snapshot.live.count;
    const wanted = { bucketCount, wantsSets, areAll };
    const { counts, sets } = bucketDocuments(bucketed, documents, wanted);
    this.#writeBuckets(aggregation, bucketCount, {
      writeLabel,
      countOf: (i) => counts[i]!,
      documentsOf: (i) => sets![i]!,
    });
  }

  #writeBuckets({ inner }: Aggregation, bucketCount: number, buckets: Buckets): void {
    const out = this.#out;
    out.pushText('{"buckets":[');
    for (let i = 0; i < bucketCount; i++) {
      if (i > 0) out.pushByte(COMMA);
      out.pushByte(OPENING_BRACE);
      buckets.writeLabel(i);
      out.pushBytes(COUNT);
      out.pushInteger(buckets.countOf(i));
      if (inner.length > 0) {
        out.pushByte(COMMA);
        this.write(inner, buckets.documentsOf(i));
      }
      out.pushByte(CLOSING_BRACE);
    }
    out.pushText(']}');
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

function figureJson(
  measure: Exclude<AggregationMeasure, Of<'terms' | 'range' | 'dateHistogram'>>,
  counted: CountedField,
): string {
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
  }
}

const valueJson = (value: number | null): string => `{"value":${JSON.stringify(value)}}`;

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
const dateRuns = (timed: TimedValues, starts: readonly number[], check: () => void): OrdinalRuns =>
  (timed.doAscend ? ascendingRuns : scannedRuns)(timed, starts, check);

function ascendingRuns(
  timed: TimedValues,
  starts: readonly number[],
  check: () => void,
): OrdinalRuns {
  const bounds = new Uint32Array(starts.length);
  const buckets = new Uint32Array(starts.length - 1);
  let bound = 0;
  let guess = 0;
  for (let i = 0; i < starts.length; i++) {
    check();
    const before = bound;
    bound = timed.lowerBoundFrom(starts[i]!, before, guess);
    // The next bucket probably has about as many values.
    guess = bound + (i === 0 ? 0 : bound - before);
    bounds[i] = bound;
    if (i < buckets.length) buckets[i] = i;
  }
  return { los: bounds.subarray(0, buckets.length), his: bounds.subarray(1), buckets };
}

function scannedRuns(
  timed: TimedValues,
  starts: readonly number[],
  check: () => void,
): OrdinalRuns {
  const los: number[] = [];
  const his: number[] = [];
  const buckets: number[] = [];
  let last = -1;
  const { count } = timed.values;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    check();
    const bucket = bucketOf(timed.timeOf(ordinal), starts, last);
    if (bucket === last) continue;
    if (last >= 0) his.push(ordinal);
    if (bucket >= 0) {
      los.push(ordinal);
      buckets.push(bucket);
    }
    last = bucket;
  }
  if (last >= 0) his.push(count);
  return {
    los: Uint32Array.from(los),
    his: Uint32Array.from(his),
    buckets: Uint32Array.from(buckets),
  };
}

/** The bucket of a time, or −1. @param guess the bucket of the value before */
function bucketOf(time: number, starts: readonly number[], guess: number): number {
  if (time >= (starts[guess] ?? Number.NaN) && time < (starts[guess + 1] ?? Number.NaN))
    return guess;
  const end = starts.at(-1) ?? Number.NaN;
  if (!(time >= (starts[0] ?? Number.NaN) && time < end)) return -1;
  return partitionPoint(1, starts.length - 1, (at) => (starts[at] ?? 0) <= time) - 1;
}
