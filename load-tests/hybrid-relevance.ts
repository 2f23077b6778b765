/**
 * npm run bench:hybrid -- [--data DIR] [--sets cranfield,cisi,npl] [--ratios 0,.3,1]
 *
 * nDCG@10 of hybrid searches against human judgments (ir/NAME of DIR) by `semanticRatio`, matching
 * strategy and what an index may set for it: a real server process, vectors of documents and
 * queries given by the user (vectors/lsa_NAME). A `distribution` is that of the similarities which
 * the queries of the set find: mean and standard deviation over the ten nearest of each.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requireData } from './bench/data-files.ts';
import { type JudgedQuery, NDCG_HITS, ndcg, readJudgedSet } from './bench/judged-set.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { uploadLines } from './bench/uploads.ts';
import { rowsOf } from './bench/vector-sets.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    sets: { type: 'string', default: 'cranfield,cisi,npl' },
    ratios: { type: 'string', default: '0,.1,.2,.3,.5,.7,1' },
  },
});

const ratios = options.ratios.split(',').map(Number);
const DIMENSIONS = 256;
/** Documents of one request. */
const CHUNK = 4000;

interface Way {
  readonly name: string;
  readonly strategy: string;
  readonly settings?: object;
  /** Whether similarities are spread around their mean. */
  readonly isShifted?: true;
}

const INFLECTIONS = { inflections: ['eng'] };
const WAYS: readonly Way[] = [
  { name: 'last', strategy: 'last' },
  { name: 'frequency', strategy: 'frequency' },
  { name: 'any', strategy: 'any' },
  { name: 'any, distribution', strategy: 'any', isShifted: true },
  { name: 'any, inflections', strategy: 'any', settings: INFLECTIONS },
  {
    name: 'any, both',
    strategy: 'any',
    settings: INFLECTIONS,
    isShifted: true,
  },
];

async function index(server: BenchServer, name: string): Promise<void> {
  const { documents } = readJudgedSet(join(options.data, 'ir', name));
  const vectors = rowsOf(`lsa_${name}/docs.f16.bin.gz`, DIMENSIONS);
  await server.settle('PATCH', `/indexes/${name}/settings`, {
    searchableAttributes: ['title', 'text'],
    embedders: { lsa: { source: 'userProvided', dimensions: DIMENSIONS } },
  });
  const lines = documents.map((document, i) =>
    JSON.stringify({ ...document, _vectors: { lsa: Array.from(vectors[i]!) } }),
  );
  for (let first = 0; first < lines.length; first += CHUNK)
    await uploadLines(server, name, lines.slice(first, first + CHUNK));
}

interface Query extends JudgedQuery {
  readonly vector: readonly number[];
}

function queriesOf(name: string): Query[] {
  const vectors = rowsOf(`lsa_${name}/queries.f16.bin.gz`, DIMENSIONS);
  const { queries } = readJudgedSet(join(options.data, 'ir', name));
  return queries.map((query) => ({ ...query, vector: Array.from(vectors[query.place]!) }));
}

interface Hit {
  readonly id: number;
  readonly _rankingScore: number;
}

async function search(
  server: BenchServer,
  name: string,
  { q, vector }: Query,
  matchingStrategy: string,
  semanticRatio: number,
): Promise<readonly Hit[]> {
  const { body } = await server.call('POST', `/indexes/${name}/search`, {
    q,
    limit: NDCG_HITS,
    matchingStrategy,
    attributesToRetrieve: ['id'],
    showRankingScore: true,
    hybrid: { embedder: 'lsa', semanticRatio },
    vector,
  });
  return (body as { readonly hits: readonly Hit[] }).hits;
}

/** nDCG@10, the mean over all queries. */
async function measure(
  server: BenchServer,
  name: string,
  queries: readonly Query[],
  strategy: string,
  ratio: number,
): Promise<number> {
  let sum = 0;
  for (const query of queries) {
    const hits = await search(server, name, query, strategy, ratio);
    sum += ndcg(
      hits.map(({ id }) => id),
      query.gains,
    );
  }
  return sum / queries.length;
}

async function distributionOf(
  server: BenchServer,
  name: string,
  queries: readonly Query[],
): Promise<{ readonly mean: number; readonly sigma: number }> {
  const similarities: number[] = [];
  for (const query of queries)
    for (const { _rankingScore } of await search(server, name, query, 'any', 1))
      similarities.push(_rankingScore);
  const average = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const mean = average(similarities);
  return { mean, sigma: Math.sqrt(average(similarities.map((value) => (value - mean) ** 2))) };
}

requireData(options.data);
const server = await startServer();
const cells = ([set = '', way = '', ...values]: readonly string[]): void =>
  console.log(
    [set.padEnd(11), way.padEnd(20), ...values.map((value) => value.padEnd(8))].join('').trimEnd(),
  );
try {
  cells(['set', 'way', ...ratios.map(String)]);
  for (const name of options.sets.split(',')) {
    await index(server, name);
    const queries = queriesOf(name);
    const distribution = await distributionOf(server, name, queries);
    cells([name, 'distribution', JSON.stringify(distribution)]);
    for (const { name: way, strategy, settings, isShifted } of WAYS) {
      await server.settle('PATCH', `/indexes/${name}/settings`, {
        inflections: null,
        embedders: { lsa: { distribution: isShifted ? distribution : null } },
        ...settings,
      });
      const row: string[] = [];
      for (const ratio of ratios)
        row.push((await measure(server, name, queries, strategy, ratio)).toFixed(3));
      cells([name, way, ...row]);
    }
  }
} finally {
  await server.stop();
}
