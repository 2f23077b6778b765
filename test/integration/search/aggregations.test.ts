/** Aggregations: equality with a computation over documents, and facts of each type. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAggregations } from '../../../src/api/searches/parse-aggregations.ts';
import type { Aggregation } from '../../../src/model/aggregations.ts';
import type { AggregationsBody } from '../../../src/model/schemas/aggregation-schema.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type SourceDocument,
} from '../../support/build-snapshot.ts';
import { multiSearchOver } from '../../support/multi-search.ts';
import { amount } from '../../support/run-length.ts';
import { search } from '../../support/search.ts';
import type { Asked } from '../../support/search-request.ts';

type Answer = Readonly<Record<string, unknown>>;
interface Total {
  readonly total: { readonly value: number };
}
interface Bucket {
  readonly key: unknown;
  readonly count: number;
  readonly aggregations?: Answer;
}

const settings = { filterableAttributes: ['brand', 'price', 'at', 'colour'] };
const FEATURES = { containsFilter: true, multimodal: true, foreignKeys: true };
const parsed = (body: object): readonly Aggregation[] =>
  parseAggregations(body as AggregationsBody, FEATURES);
const aggregate = (snapshot: IndexSnapshot, body: object, asked: Asked = {}): Answer =>
  search(snapshot, { ...asked, aggregations: parsed(body), limit: 0 })['aggregations'] as Answer;
const bucketsOf = (answer: Answer, name: string): readonly Bucket[] =>
  (answer[name] as { buckets: readonly Bucket[] }).buckets;

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : [...new Set([value].flat())];
const numbersOf = (documents: readonly SourceDocument[], field: string): number[] =>
  documents
    .flatMap((document) => listOf(document[field]))
    .filter((value): value is number => typeof value === 'number')
    .sort((a, b) => a - b);
const timesOf = (document: SourceDocument): number[] =>
  listOf(document['at']).map((at) => (typeof at === 'number' ? at * 1000 : Date.parse(String(at))));

/** The local calendar fields of a moment, by `Intl` itself. */
function localDay(timeMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return format.format(timeMs);
}
const monthOf = (timeMs: number, timeZone: string): string =>
  localDay(timeMs, timeZone).slice(0, 7);
const hourOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 13);

function countsBy(
  documents: readonly SourceDocument[],
  keysOf: (document: SourceDocument) => readonly unknown[],
): Map<unknown, SourceDocument[]> {
  const groups = new Map<unknown, SourceDocument[]>();
  for (const document of documents)
    for (const key of new Set(keysOf(document)))
      groups.set(key, [...(groups.get(key) ?? []), document]);
  return groups;
}

const START = Date.UTC(2024, 2, 20);
const moment = fc.integer({ min: 0, max: 40 * 24 * 60 }).map((minutes) => START + minutes * 60_000);
const date = fc.oneof(
  moment.map((timeMs) => timeMs / 1000),
  moment.map((timeMs) => new Date(timeMs).toISOString()),
  moment.map((timeMs) => new Date(timeMs).toISOString().slice(0, 10)),
);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const price = fc.integer({ min: -20, max: 60 }).map((value) => value / 4);
const corpusOf = (at: fc.Arbitrary<unknown>, prices: fc.Arbitrary<unknown>) =>
  fc
    .array(
      fc.record({
        brand: maybe(fc.constantFrom('anker', 'bosch', 'casio', 7)),
        price: maybe(prices),
        at: maybe(at),
        words: fc.constantFrom('red lamp', 'lamp', 'fox'),
      }),
      { maxLength: 60 },
    )
    .map((rows): SourceDocument[] => rows.map((row, id) => ({ id, ...row })));
const CORPORA = fc.oneof(
  corpusOf(
    moment.map((timeMs) => timeMs / 1000),
    price,
  ),
  corpusOf(date, fc.uniqueArray(price, { maxLength: 3 })),
  corpusOf(fc.uniqueArray(date, { maxLength: 3 }), price),
);
const FILTERS: readonly Asked[] = [{}, { q: 'lamp' }, { filter: 'price > 2' }];

function matching(documents: readonly SourceDocument[], asked: Asked): readonly SourceDocument[] {
  if (asked.q !== undefined) return documents.filter(({ words }) => String(words).includes('lamp'));
  if (asked.filter === undefined) return documents;
  return documents.filter((document) => numbersOf([document], 'price').some((each) => each > 2));
}

function percentile(sorted: readonly number[], percent: number): number | null {
  const place = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(place)];
  const high = sorted[Math.ceil(place)];
  if (low === undefined || high === undefined) return null;
  return low + (high - low) * (place - Math.floor(place));
}

/** With a deleted copy of each document, with other values, in a segment of its own. */
function indexed(documents: readonly SourceDocument[], segmentCount: number): IndexSnapshot {
  if (segmentCount < 3) return buildSnapshot({ documents, settings, segmentCount });
  const copies = documents.map((document, docId) => ({ docId, document, isDead: false }));
  const dead = copies.map(({ docId, document }, i) => ({
    docId,
    document: { ...documents[documents.length - 1 - i], id: document['id'] },
    isDead: true,
  }));
  return buildPlacedSnapshot({ segments: [dead, copies], settings });
}

describe('aggregations of random documents', () => {
  const cases = fc.tuple(CORPORA, fc.integer({ min: 1, max: 3 }), fc.constantFrom(...FILTERS));

  it('measure numbers as a computation over the documents does', () => {
    const body = Object.fromEntries(
      ['min', 'max', 'sum', 'mean', 'cardinality'].map((type) => [
        type,
        { type, attribute: 'price' },
      ]),
    );
    const percents = [0, 30, 50, 100];
    fc.assert(
      fc.property(cases, ([documents, segmentCount, asked]) => {
        const snapshot = indexed(documents, segmentCount);
        const answer = aggregate(
          snapshot,
          {
            ...body,
            percentiles: { type: 'percentiles', attribute: 'price', percents },
            brands: { type: 'cardinality', attribute: 'brand' },
          },
          asked,
        );
        const found = matching(documents, asked);
        const all = numbersOf(found, 'price');
        const sum = all.reduce((total, each) => total + each, 0);
        expect(answer).toEqual({
          min: { value: all[0] ?? null },
          max: { value: all.at(-1) ?? null },
          sum: { value: sum },
          mean: { value: all.length === 0 ? null : sum / all.length },
          cardinality: { value: new Set(all).size },
          percentiles: {
            values: Object.fromEntries(percents.map((each) => [each, percentile(all, each)])),
          },
          brands: { value: new Set(found.flatMap(({ brand }) => listOf(brand))).size },
        });
      }),
      { numRuns: amount(50, 3000) },
    );
  });

  it('put each document into the buckets of its values, and measure inside them', () => {
    const inner = { aggregations: { total: { type: 'sum', attribute: 'price' } } };
    const ranges = [{ to: 3 }, { from: 3, to: 5 }, { from: 4, key: 'dear' }];
    const insideRange = [
      (value: number) => value < 3,
      (value: number) => value >= 3 && value < 5,
      (value: number) => value >= 4,
    ];
    const zones = ['UTC', 'Europe/Berlin', 'America/Havana', 'Asia/Kolkata'];
    fc.assert(
      fc.property(
        cases,
        fc.constantFrom(...zones),
        fc.boolean(),
        ([documents, segmentCount, asked], timeZone, isNested) => {
          const snapshot = indexed(documents, segmentCount);
          const more = isNested ? inner : {};
          const histogram = { type: 'dateHistogram', attribute: 'at', ...more };
          const answer = aggregate(
            snapshot,
            {
              days: { ...histogram, interval: 'day', timeZone },
              months: { ...histogram, interval: 'month', timeZone },
              hours: { type: 'dateHistogram', attribute: 'at', interval: 'hour' },
              ranges: { type: 'range', attribute: 'price', ranges, ...more },
              terms: { type: 'terms', attribute: 'brand', ...more },
            },
            asked,
          );
          const found = matching(documents, asked);
          const compare = (
            name: string,
            keyOf: (key: string) => string,
            expected: Map<unknown, SourceDocument[]>,
          ) => {
            const filled = bucketsOf(answer, name).filter(({ count }) => count > 0);
            const entries = filled.map(({ key, count, aggregations }) => [
              keyOf(String(key)),
              count,
              isNested ? (aggregations as unknown as Total).total.value : null,
            ]);
            const wanted = [...expected].map(([key, own]) => [
              String(key),
              own.length,
              isNested ? numbersOf(own, 'price').reduce((total, each) => total + each, 0) : null,
            ]);
            const inOrder = (lists: unknown[][]) => lists.map(String).sort();
            expect(inOrder(entries)).toEqual(inOrder(wanted));
          };
          const byTime = (keyOf: (timeMs: number) => string) =>
            countsBy(found, (document) => timesOf(document).map(keyOf));
          compare(
            'days',
            (key) => key.slice(0, 10),
            byTime((each) => localDay(each, timeZone)),
          );
          compare(
            'months',
            (key) => key.slice(0, 7),
            byTime((each) => monthOf(each, timeZone)),
          );
          const hours = bucketsOf(answer, 'hours').filter(({ count }) => count > 0);
          const byHour = byTime(hourOf);
          expect(hours.map(({ key, count }) => [String(key).slice(0, 13), count])).toEqual(
            [...byHour].map(([key, own]) => [key, own.length]).sort(),
          );
          expect(bucketsOf(answer, 'ranges').map(({ count }) => count)).toEqual(
            insideRange.map(
              (holds) => found.filter((each) => numbersOf([each], 'price').some(holds)).length,
            ),
          );
          compare(
            'terms',
            (key) => key,
            countsBy(found, ({ brand }) => listOf(brand)),
          );
        },
      ),
      { numRuns: amount(50, 3000) },
    );
  });
});

const documents = [
  {
    id: 1,
    title: 'red lamp',
    brand: 'Anker',
    colour: 'red',
    price: 3,
    at: '2024-03-31T00:30:00+01:00',
  },
  { id: 2, title: 'lamp', brand: 'anker', colour: 'blue', price: 1, at: 1711850400 },
  { id: 3, title: 'red lamp of wood', brand: 'Bosch', colour: 'red', price: 2, at: '2024-04-01' },
  { id: 4, title: 'red fox', colour: 'red', price: 9, at: 'no date' },
];
const snapshot = buildSnapshot({ documents, settings, segmentCount: 2 });

describe('a date histogram', () => {
  it('has the days of the zone, empty ones included, with summer time', () => {
    const days = {
      type: 'dateHistogram',
      attribute: 'at',
      interval: 'day',
      timeZone: 'Europe/Berlin',
    };
    expect(aggregate(snapshot, { days })).toEqual({
      days: {
        buckets: [
          { key: '2024-03-31T00:00:00+01:00', timestamp: 1711839600, count: 2 },
          { key: '2024-04-01T00:00:00+02:00', timestamp: 1711922400, count: 1 },
        ],
      },
    });
  });

  it('has years, quarters, weeks from Monday and months', () => {
    const keys = (interval: string) =>
      bucketsOf(
        aggregate(snapshot, { each: { type: 'dateHistogram', attribute: 'at', interval } }),
        'each',
      ).map(({ key, count }) => [key, count]);
    expect(keys('year')).toEqual([['2024-01-01T00:00:00Z', 3]]);
    expect(keys('quarter')).toEqual([
      ['2024-01-01T00:00:00Z', 2],
      ['2024-04-01T00:00:00Z', 1],
    ]);
    expect(keys('month')).toEqual([
      ['2024-03-01T00:00:00Z', 2],
      ['2024-04-01T00:00:00Z', 1],
    ]);
    expect(keys('week')).toEqual([
      ['2024-03-25T00:00:00Z', 2],
      ['2024-04-01T00:00:00Z', 1],
    ]);
  });

  it('is refused beyond 10,000 buckets of a request', () => {
    const far = buildSnapshot({ documents: [...documents, { id: 5, at: '2030-01-01' }], settings });
    const hours = { type: 'dateHistogram', attribute: 'at', interval: 'hour' };
    expect(() => aggregate(far, { hours })).toThrow(
      '`aggregations.hours` of the type `dateHistogram` brings the request to more than 10000 buckets',
    );
    expect(
      bucketsOf(aggregate(far, { hours: { ...hours, filter: 'colour EXISTS' } }), 'hours'),
    ).toHaveLength(26);
  });
});

describe('aggregations', () => {
  it('have a filter each, on both levels', () => {
    const answer = aggregate(snapshot, {
      red: { type: 'sum', attribute: 'price', filter: 'colour = red' },
      brands: {
        type: 'terms',
        attribute: 'brand',
        aggregations: { red: { type: 'max', attribute: 'price', filter: 'colour = red' } },
      },
    });
    expect(answer).toEqual({
      red: { value: 14 },
      brands: {
        buckets: [
          { key: 'Anker', count: 2, aggregations: { red: { value: 3 } } },
          { key: 'Bosch', count: 1, aggregations: { red: { value: 2 } } },
        ],
      },
    });
  });

  it('cover all documents of groups, all distinct ones, and those above a threshold', () => {
    const total = { total: { type: 'sum', attribute: 'price' } };
    expect(aggregate(snapshot, total, { groupBy: 'brand' })).toEqual({ total: { value: 15 } });
    expect(aggregate(snapshot, total, { distinct: 'colour' })).toEqual({ total: { value: 4 } });
    const threshold = { q: 'red lamp', rankingScoreThreshold: 0.9 };
    expect(aggregate(snapshot, total, threshold)).toEqual({ total: { value: 5 } });
  });

  it('refuse what is not filterable and members of other types, by their place', () => {
    const refusal = (body: object) => () => aggregate(snapshot, body);
    expect(refusal({ a: { type: 'sum', attribute: 'title' } })).toThrow(
      /`aggregations.a.attribute` names `title`, which is not filterable.*`brand`, `price`/,
    );
    expect(refusal({ a: { type: 'sum', attribute: 'price', size: 3 } })).toThrow(
      '`aggregations.a.size` is not allowed for the type `sum`, which takes `type`, `attribute`, `filter`.',
    );
    expect(
      refusal({ a: { type: 'range', attribute: 'price', ranges: [{ from: 2, to: 2 }] } }),
    ).toThrow('`aggregations.a.ranges[0]` begins at 2 and ends at 2');
    const histogram = { type: 'dateHistogram', attribute: 'at' };
    expect(refusal({ a: histogram })).toThrow('`aggregations.a.interval` is missing');
    expect(refusal({ a: { ...histogram, interval: 'day', timeZone: 'Berlin' } })).toThrow(
      '`aggregations.a.timeZone` is "Berlin", expected an IANA time zone',
    );
    const many = Array.from({ length: 51 }, (_, i) => [
      `a${i}`,
      { type: 'sum', attribute: 'price' },
    ]);
    expect(refusal(Object.fromEntries(many))).toThrow('has 51 aggregations on both levels');
  });

  it('are computed for each query of a multi-search, and refused in a federated one', async () => {
    const indexes = multiSearchOver({ shop: { documents, settings } });
    const aggregations = { total: { type: 'sum', attribute: 'price' } };
    const { results } = await indexes.apart([{ indexUid: 'shop', aggregations }]);
    expect(results[0]?.['aggregations']).toEqual({ total: { value: 15 } });
    await expect(indexes.merged([{ indexUid: 'shop', aggregations }])).rejects.toMatchObject({
      code: 'invalid_multi_search_query_aggregations',
    });
  });
});
