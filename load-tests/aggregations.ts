/**
 * Aggregations over documents in memory, in one thread, each over all documents, over half of them
 * and over a thousandth. Goal: a date histogram over a million documents in 5 ms.
 *
 *     npm run build && node dist/load-tests/aggregations.js [--documents N] [--rounds N]
 *
 * Prints the median and the least time of each, in milliseconds, without the search itself.
 */
import { parseArgs } from 'node:util';
import { parseAggregations } from '../src/api/searches/parse-aggregations.ts';
import { Deadline } from '../src/core/deadline.ts';
import { ByteBuffer } from '../src/engine/bytes/byte-buffer.ts';
import type { AggregationsBody } from '../src/model/schemas/aggregation-schema.ts';
import { DEFAULT_SETTINGS, type Settings } from '../src/model/settings.ts';
import { DocSet } from '../src/search/sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../src/search/sets/typed-array-pool.ts';
import { NO_FOREIGN_INDEXES } from '../src/search/snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../src/search/snapshot/index-snapshot.ts';
import { writeAggregations } from '../src/search/values/aggregate.ts';
import { memoryIndex } from './bench/memory-index.ts';
import { percentile } from './bench/statistics.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '21' },
  },
});
const documentCount = Number(options.documents);
const YEAR_SECONDS = 365 * 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;
const BRANDS = 1000;
const PRICES = 20_000;
const TAGS = 50;

/** A repeatable number below `end`. */
const drawn = (i: number, end: number): number => ((i * 2_654_435_761) % 4_294_967_296) % end;

const documentOf = (id: number): object => {
  const at = START + drawn(id, YEAR_SECONDS);
  return {
    id,
    at,
    iso: new Date(at * 1000).toISOString(),
    day: new Date(at * 1000).toISOString().slice(0, 10),
    price: drawn(id + 7, PRICES) / 100,
    brand: `brand ${drawn(id + 13, BRANDS)}`,
    tags: [`tag ${drawn(id, TAGS)}`, `tag ${drawn(id + 1, TAGS)}`],
  };
};

function snapshotOf(count: number): IndexSnapshot {
  const settings: Settings = {
    ...DEFAULT_SETTINGS,
    searchableAttributes: ['brand'],
    filterableAttributes: ['at', 'iso', 'day', 'price', 'brand', 'tags'],
  };
  return memoryIndex(settings, count, documentOf);
}

const snapshot = snapshotOf(documentCount);

const days = { type: 'dateHistogram', attribute: 'at', interval: 'day' };
const ranges = [{ to: 50 }, { from: 50, to: 100 }, { from: 100 }];
const mean = { mean: { type: 'mean', attribute: 'price' } };
const CASES: Readonly<Record<string, object>> = {
  'days of seconds': days,
  'days of seconds, Europe/Berlin': { ...days, timeZone: 'Europe/Berlin' },
  'hours of seconds': { ...days, interval: 'hour' },
  'hours of seconds, Europe/Berlin': { ...days, interval: 'hour', timeZone: 'Europe/Berlin' },
  'days of ISO times': { ...days, attribute: 'iso' },
  'hours of ISO times': { ...days, attribute: 'iso', interval: 'hour' },
  'months of ISO days': { ...days, attribute: 'day', interval: 'month' },
  'number ranges': { type: 'range', attribute: 'price', ranges },
  terms: { type: 'terms', attribute: 'brand' },
  'terms, several in a document': { type: 'terms', attribute: 'tags' },
  min: { type: 'min', attribute: 'price' },
  mean: { type: 'mean', attribute: 'price' },
  percentiles: { type: 'percentiles', attribute: 'price' },
  'cardinality of brands': { type: 'cardinality', attribute: 'brand' },
  'cardinality of ISO times': { type: 'cardinality', attribute: 'iso' },
  'months, mean of each': { ...days, interval: 'month', aggregations: mean },
  'terms, mean of each': { type: 'terms', attribute: 'brand', aggregations: mean },
};

const every = (step: number): DocSet =>
  DocSet.fromList(
    Uint32Array.from({ length: Math.floor(documentCount / step) }, (_, i) => i * step),
    snapshot.bitsetLength,
  );
const SETS = { all: snapshot.live, 'one in 2': every(2), 'one in 1000': every(1000) };
const FEATURES = { containsFilter: false, multimodal: false, foreignKeys: false };
const means = { snapshot, foreign: NO_FOREIGN_INDEXES, deadline: Deadline.never() };

const out = new ByteBuffer();
const rounds = Number(options.rounds);
const rows = Object.entries(CASES).map(([name, aggregation]) => {
  const parsed = parseAggregations({ a: aggregation } as AggregationsBody, FEATURES);
  const cells = Object.values(SETS).map((docs) => {
    const times = Array.from({ length: rounds }, () => {
      const start = performance.now();
      out.clear();
      TYPED_ARRAY_POOL.during(() => writeAggregations(parsed, docs, means, out));
      return performance.now() - start;
    }).sort((a, b) => a - b);
    return `${percentile(times, 0.5).toFixed(2)} (${(times[0] ?? 0).toFixed(2)})`;
  });
  return `| ${[name, ...cells].join(' | ')} |`;
});
console.log(
  `${documentCount} documents, ${snapshot.segments.length} segments; median (least) in ms of ${rounds}`,
);
console.log(
  `| aggregation | ${Object.keys(SETS).join(' | ')} |\n|---|---|---|---|\n${rows.join('\n')}`,
);
