/**
 * Effect of long searches on other clients: short searches on two connections, alone and with a
 * third connection that sends long ones of a kind, one after the other, for each kind.
 *
 *     npm run bench:long -- [--documents N] [--searches N] [--rounds N] [--warm N]
 */
import { parseArgs } from 'node:util';
import { type Load, LoadClient } from './bench/load-client.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { uploadLines } from './bench/uploads.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '200000' },
    searches: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '2' },
    warm: { type: 'string', default: '8' },
  },
});
const DOCUMENTS = Number(options.documents);
const SEARCHES = Number(options.searches);
const ROUNDS = Number(options.rounds);
/**
 * Short searches before the measurement: a new server compiles, which hides the effect to be
 * measured.
 */
const WARM_ROUNDS = Number(options.warm);
const CHUNK = 20_000;
const DIMENSIONS = 16;
/** Different requests of a kind. */
const VARIANTS = 40;

type Requests = Load['requests'];

/** Numbers without pattern, the same in each run. */
const mixed = (n: number): number => (Math.imul(n + 1, 2_654_435_761) >>> 0) / 2 ** 32;
const SYLLABLES = 'ba co di fu ga he ki lo mu na pe qui ro sa te vu wo xa yo zi'.split(' ');
const wordOf = (n: number): string =>
  [1, 20, 400, 8000].map((by) => SYLLABLES[Math.floor(n / by) % SYLLABLES.length]).join('');
/** Some words are in many documents, most in few. */
const anyWord = (seed: number): string => wordOf(Math.floor(160_000 * mixed(seed) ** 4));
const text = (seed: number, length: number): string =>
  Array.from({ length }, (_, i) => anyWord(seed * 31 + i)).join(' ');
const vectorOf = (seed: number): number[] =>
  Array.from({ length: DIMENSIONS }, (_, i) => mixed(seed * DIMENSIONS + i) - 0.5);
/** With a letter that is wrong. */
const misspelt = (word: string): string => `${word.slice(0, 3)}x${word.slice(4)}`;

const documentOf = (id: number): string =>
  JSON.stringify({
    id,
    text: text(id, 12),
    code: `${wordOf(id)}-${id}`,
    price: Math.floor(mixed(id) * 1e6),
    kind: SYLLABLES[id % SYLLABLES.length],
    _geo: { lat: mixed(id) * 170 - 85, lng: mixed(id + 7) * 358 - 179 },
    _vectors: { made: vectorOf(id) },
  });

const SETTINGS = {
  searchableAttributes: ['text', 'code'],
  filterableAttributes: ['code', 'price', 'kind', '_geo'],
  sortableAttributes: ['price', '_geo'],
  pagination: { maxTotalHits: 1_000_000 },
  embedders: { made: { source: 'userProvided', dimensions: DIMENSIONS } },
};

const SEARCH = '/indexes/made/search';
const times = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));
const misspeltText = (seed: number, length: number): string =>
  times(length, (i) => misspelt(anyWord(seed * 17 + i))).join(' ');

/** Each kind of long work: its route, and its body by number. */
const KINDS: Readonly<Record<string, readonly [path: string, body: (n: number) => object]>> = {
  'ten misspelt words': [SEARCH, (n) => ({ q: misspeltText(n, 10) })],
  'sentence, any word': [SEARCH, (n) => ({ q: text(n, 40), matchingStrategy: 'any' })],
  'all facets': [SEARCH, (n) => ({ q: '', facets: ['*'], limit: n })],
  'filter of 5,000 conditions': [
    SEARCH,
    (n) => ({ q: '', filter: times(5000, (i) => `price = ${n * 5000 + i}`).join(' OR ') }),
  ],
  'filter CONTAINS': [
    SEARCH,
    (n) => ({ q: '', filter: times(20, (i) => `code CONTAINS "${n * 20 + i}"`).join(' OR ') }),
  ],
  'filter of 60,000 values': [
    SEARCH,
    (n) => ({ q: '', filter: `code IN [${times(60_000, (i) => wordOf(n + i)).join()}]` }),
  ],
  'federated, 24 queries': [
    '/multi-search',
    (n) => ({
      federation: {},
      queries: times(24, (i) => ({ indexUid: 'made', q: misspeltText(n * 24 + i, 4) })),
    }),
  ],
  'sorted by distance': [
    SEARCH,
    (n) => ({ q: '', sort: [`_geoPoint(${n}, ${n}):asc`], limit: 1000, offset: 5000 }),
  ],
  hybrid: [
    SEARCH,
    (n) => ({
      q: text(n, 6),
      vector: vectorOf(n),
      limit: 1000,
      hybrid: { embedder: 'made', semanticRatio: 0.5 },
    }),
  ],
  'deep offset': [SEARCH, (n) => ({ q: anyWord(n).slice(0, 1), offset: 100_000 + n, limit: 100 })],
  'highlighted, 1,000 hits': [
    SEARCH,
    (n) => ({ q: anyWord(n).slice(0, 2), limit: 1000, attributesToHighlight: ['*'] }),
  ],
  'facet search': [
    '/indexes/made/facet-search',
    (n) => ({ facetName: 'code', facetQuery: misspelt(wordOf(n * 97)), q: '' }),
  ],
  similar: [
    '/indexes/made/similar',
    (n) => ({ id: String(n), embedder: 'made', limit: 1000, filter: `price > ${n}` }),
  ],
  'documents by a filter': [
    '/indexes/made/documents/fetch',
    (n) => ({ filter: `code CONTAINS "${n}"`, sort: ['price:asc'], limit: 20_000 }),
  ],
};

const shortSearches = (round: number): Requests =>
  times(SEARCHES, (i) => ({
    path: SEARCH,
    body: JSON.stringify({ q: `${anyWord(round * SEARCHES + i)} ${anyWord(i)}` }),
  }));

async function importDocuments(server: BenchServer): Promise<void> {
  await server.settle('POST', '/indexes', { uid: 'made', primaryKey: 'id' });
  await server.call('PATCH', '/experimental-features', { containsFilter: true });
  await server.settle('PATCH', '/indexes/made/settings', SETTINGS);
  for (let at = 0; at < DOCUMENTS; at += CHUNK) {
    const lines = times(Math.min(CHUNK, DOCUMENTS - at), (i) => documentOf(at + i));
    await uploadLines(server, 'made', lines);
  }
}

async function measure(): Promise<string[][]> {
  const server = await startServer(['--answer-cache-size', '0', '--query-threads', '2']);
  const [short, long] = [new LoadClient(), new LoadClient()];
  try {
    await importDocuments(server);
    return await measureBeside(server, short, long);
  } finally {
    short.stop();
    long.stop();
    await server.stop();
  }
}

/** Rows of the table. */
async function measureBeside(
  server: BenchServer,
  short: LoadClient,
  long: LoadClient,
): Promise<string[][]> {
  const { port } = server;
  let passCount = 0;
  const probe = async (): Promise<readonly number[]> => {
    const requests = shortSearches(passCount++);
    return (await short.pass({ port, requests, connections: 2 })).times;
  };
  const ownTimes = async (requests: Requests): Promise<readonly number[]> => {
    const [first] = requests as [Requests[number]];
    const { status, body } = await server.call('POST', first.path, JSON.parse(first.body));
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return (await long.pass({ port, requests, connections: 1 })).times;
  };
  const rows: string[][] = [];
  const row = (kind: string, own: readonly number[], all: readonly number[]): void => {
    const shown = [percentile(own, 0.5), ...[0.5, 0.9, 0.99, 1].map((at) => percentile(all, at))];
    rows.push([kind, ...shown.map((ms) => (Number.isFinite(ms) ? ms.toFixed(1) : ''))]);
  };
  for (let round = 0; round < WARM_ROUNDS; round++) await probe();
  const alone = await probe();
  row('nothing', [], [...alone, ...(await probe())]);
  for (const [kind, [path, bodyOf]] of Object.entries(KINDS)) {
    const requests = times(VARIANTS, (n) => ({ path, body: JSON.stringify(bodyOf(n)) }));
    const own = await ownTimes(requests.slice(0, VARIANTS / 4));
    const all: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const end = await long.flood({ port, requests, connections: 1 });
      all.push(...(await probe()));
      await end();
    }
    row(kind, own, all);
  }
  return rows;
}

const head = ['long work', 'its own p50 ms', 'p50 ms', 'p90', 'p99', 'longest'];
process.stdout.write(`${aligned([head, ...(await measure())])}\n`);
