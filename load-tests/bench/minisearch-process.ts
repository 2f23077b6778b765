/**
 * Process entry of the rival: indexes a corpus with MiniSearch, runs its keyword queries twice,
 * prints figures of the second run as JSON.
 */
import MiniSearch from 'minisearch';
import { loadCorpus } from './corpus.ts';
import { percentile } from './statistics.ts';

const NEEDS_COLUMNS = ['filter_facet', 'sort', 'placeholder', 'geo'];

const [dataDir = '', name = ''] = process.argv.slice(2);
const corpus = loadCorpus(dataDir, name, 1);
const fields = corpus.settings['searchableAttributes'] as string[];
const documents = corpus.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
const index = new MiniSearch<Record<string, unknown>>({
  fields,
  extractField: (document, field) => {
    const value = document[field];
    return Array.isArray(value) ? value.join(' ') : String(value ?? '');
  },
});

const start = performance.now();
index.addAll(documents);
const seconds = (performance.now() - start) / 1000;

const queries = corpus.queries
  .filter(({ category }) => !NEEDS_COLUMNS.includes(category))
  .map(({ body }) => String(body['q'] ?? ''));
const times: number[] = [];
for (let round = 0; round < 2; round++) {
  for (const text of queries) {
    const began = performance.now();
    index
      .search(text.replaceAll('"', ''), {
        prefix: (_term, i, terms) => i === terms.length - 1,
        fuzzy: (term) => (term.length >= 9 ? 2 : term.length >= 5 ? 1 : false),
        combineWith: 'AND',
      })
      .slice(0, 20);
    if (round === 1) times.push(performance.now() - began);
  }
}
const total = times.reduce((sum, ms) => sum + ms, 0);
process.stdout.write(
  JSON.stringify({
    documentsPerSecond: documents.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    queriesPerSecond: (1000 * times.length) / total,
  }),
);
