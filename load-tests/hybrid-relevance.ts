/**
 * npm run bench:hybrid -- [--data DIR] [--sets cranfield,cisi,npl]
 *
 * nDCG@10 of hybrid searches against human judgments (ir/NAME of DIR) by `semanticRatio` and
 * matching strategy: a real server process, vectors of documents and queries given by the user
 * (vectors/lsa_NAME).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type JudgedQuery, NDCG_HITS, ndcg, readJudgedSet } from './bench/judged-set.ts';
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
  const body = Buffer.from(lines.join('\n'));
  const path = `/indexes/${name}/documents?primaryKey=id`;
  await server.settle('POST', path, body, 'application/x-ndjson');
}

interface Query extends JudgedQuery {
  readonly vector: readonly number[];
}

function queriesOf(name: string): Query[] {
  const vectors = rowsOf(`lsa_${name}/queries.f16.bin.gz`, DIMENSIONS);
  const { queries } = readJudgedSet(join(options.data, 'ir', name));
  return queries.map((query) => ({ ...query, vector: Array.from(vectors[query.place]!) }));
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
      limit: NDCG_HITS,
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
