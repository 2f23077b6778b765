/**
 * npm run bench:hybrid -- [--data DIR] [--sets cranfield,cisi,npl]
 *
 * nDCG@10 of hybrid searches against human judgments (ir/NAME of DIR) by `semanticRatio` and
 * matching strategy: a real server process, vectors of documents and queries given by the user
 * (vectors/lsa_NAME).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type BenchServer, startServer } from './bench/server.ts';
import { rowsOf } from './bench/vector-sets.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    sets: { type: 'string', default: 'cranfield,cisi,npl' },
  },
});

const RATIOS = [0, 0.3, 0.5, 0.7, 1];
const STRATEGIES = ['last', 'frequency', 'any'];
const DIMENSIONS = 256;
const K = 10;

interface Text {
  readonly id: number;
  readonly title?: string;
  readonly text: string;
}

/** Gain of each judged document by query. */
type Judgments = ReadonlyMap<number, ReadonlyMap<number, number>>;

const textsOf = (path: string): Text[] =>
  gunzipSync(readFileSync(path))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Text);

function judgmentsOf(path: string): Judgments {
  const judged = new Map<number, Map<number, number>>();
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [query, document, gain] = line.split('\t').map(Number) as [number, number, number];
    const gains = judged.get(query) ?? new Map<number, number>();
    judged.set(query, gains.set(document, gain));
  }
  return judged;
}

const discounted = (gains: readonly number[]): number =>
  gains.slice(0, K).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);

function ndcg(ids: readonly number[], gains: ReadonlyMap<number, number>): number {
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return discounted(ids.map((id) => gains.get(id) ?? 0)) / ideal;
}

async function index(server: BenchServer, name: string): Promise<void> {
  const documents = textsOf(join(options.data, 'ir', name, 'docs.ndjson.gz'));
  const vectors = rowsOf(`lsa_${name}/docs.f16.bin.gz`, DIMENSIONS);
  await server.settle('PATCH', `/indexes/${name}/settings`, {
    searchableAttributes: ['title', 'text'],
    embedders: { lsa: { source: 'userProvided', dimensions: DIMENSIONS } },
  });
  const lines = documents.map((document, i) =>
    JSON.stringify({ ...document, _vectors: { lsa: Array.from(vectors[i]!) } }),
  );
  const body = Buffer.from(lines.join('\n'));
  const path = `/indexes/${name}/documents?primaryKey=id`;
  await server.settle('POST', path, body, 'application/x-ndjson');
}

interface Query {
  readonly q: string;
  readonly vector: readonly number[];
  readonly gains: ReadonlyMap<number, number>;
}

function queriesOf(name: string): Query[] {
  const folder = join(options.data, 'ir', name);
  const judged = judgmentsOf(join(folder, 'qrels.tsv'));
  const vectors = rowsOf(`lsa_${name}/queries.f16.bin.gz`, DIMENSIONS);
  return textsOf(join(folder, 'queries.ndjson.gz')).flatMap(({ id, text: q }, i) => {
    const gains = judged.get(id);
    if (gains === undefined || Math.max(...gains.values()) <= 0) return [];
    return [{ q, vector: Array.from(vectors[i]!), gains }];
  });
}

/** Mean over all queries. */
async function measure(
  server: BenchServer,
  name: string,
  queries: readonly Query[],
  matchingStrategy: string,
  semanticRatio: number,
): Promise<number> {
  let sum = 0;
  for (const { q, vector, gains } of queries) {
    const { body } = await server.call('POST', `/indexes/${name}/search`, {
      q,
      limit: K,
      matchingStrategy,
      attributesToRetrieve: ['id'],
      hybrid: { embedder: 'lsa', semanticRatio },
      vector,
    });
    const { hits } = body as { readonly hits: readonly { readonly id: number }[] };
    sum += ndcg(
      hits.map(({ id }) => id),
      gains,
    );
  }
  return sum / queries.length;
}

if (!existsSync(options.data)) {
  console.error(`no data at ${options.data}: name a folder with ir/ and vectors/ by --data`);
  process.exit(2);
}
const server = await startServer();
const cells = (row: readonly string[]): void =>
  console.log(
    row
      .map((cell) => cell.padEnd(11))
      .join('')
      .trimEnd(),
  );
try {
  cells(['set', 'strategy', ...RATIOS.map((ratio) => `ratio ${ratio}`)]);
  for (const name of options.sets.split(',')) {
    await index(server, name);
    const queries = queriesOf(name);
    for (const strategy of STRATEGIES) {
      const row: string[] = [];
      for (const ratio of RATIOS)
        row.push((await measure(server, name, queries, strategy, ratio)).toFixed(3));
      cells([name, strategy, ...row]);
    }
  }
} finally {
  await server.stop();
}
