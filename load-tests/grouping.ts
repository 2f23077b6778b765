/**
 * Searches with `groupBy` over documents in memory, in one thread, without and with facets.
 *
 *     npm run build && node dist/load-tests/grouping.js [--documents N] [--rounds N]
 *
 * Prints the median and the least time of the search and its answer, in milliseconds.
 */
import { parseArgs } from 'node:util';
import { Deadline } from '../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST, type SearchRequest } from '../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../src/model/settings.ts';
import { writeSearchAnswer } from '../src/search/answer/write-answer.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import { TYPED_ARRAY_POOL } from '../src/search/sets/typed-array-pool.ts';
import { memoryIndex } from './bench/memory-index.ts';
import { percentile } from './bench/statistics.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
  },
});
const documentCount = Number(options.documents);
const BRANDS = 1000;
const PRICES = 20_000;
const TAGS = 50;

/** A repeatable number below `end`. */
const drawn = (i: number, end: number): number => ((i * 2_654_435_761) % 4_294_967_296) % end;

const snapshot = memoryIndex(
  {
    ...DEFAULT_SETTINGS,
    searchableAttributes: ['brand'],
    filterableAttributes: ['brand', 'product', 'sku', 'price', 'tags'],
  },
  documentCount,
  (id) => ({
    id,
    brand: `brand ${drawn(id + 13, BRANDS)}`,
    product: `product ${drawn(id, Math.ceil(documentCount / 5))}`,
    sku: `sku ${id}`,
    price: drawn(id + 7, PRICES) / 100,
    tags: [`tag ${drawn(id, TAGS)}`, `tag ${drawn(id + 1, TAGS)}`],
  }),
);

function answer(request: SearchRequest): void {
  TYPED_ARRAY_POOL.during(() => {
    const outcome = executeSearch(snapshot, request, Deadline.never());
    writeSearchAnswer(snapshot, request, outcome, () => ({ requestUid: '', processingTimeMs: 0 }));
  });
}

const FACETS: Readonly<Record<string, readonly string[] | null>> = {
  'no facets': null,
  tags: ['tags'],
  price: ['price'],
  product: ['product'],
};
const rounds = Number(options.rounds);
const rows = [null, 'brand', 'product', 'sku'].map((groupBy) => {
  const cells = Object.values(FACETS).map((facets) => {
    const times = Array.from({ length: rounds }, () => {
      const start = performance.now();
      answer({ ...DEFAULT_SEARCH_REQUEST, groupBy, facets });
      return performance.now() - start;
    }).sort((a, b) => a - b);
    return `${percentile(times, 0.5).toFixed(1)} (${(times[0] ?? 0).toFixed(1)})`;
  });
  return `| ${[groupBy ?? 'nothing', ...cells].join(' | ')} |`;
});
console.log(
  `${documentCount} documents, ${snapshot.segments.length} segments; median (least) in ms of ${rounds}`,
);
console.log(
  `| grouped by | ${Object.keys(FACETS).join(' | ')} |\n|---|---|---|---|---|\n${rows.join('\n')}`,
);
