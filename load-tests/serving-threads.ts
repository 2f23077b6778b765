/**
 * What a search costs by how a front serves: one loop with query threads, or serving threads. Passes
 * over all queries of a corpus with their keystrokes, with one and with eight connections; each pass
 * tells the processor time of the server for each query, where searches were done and how much of
 * what they looked for was kept.
 *
 *     npm run bench:serving -- [--data DIR] [--corpus NAME] [--repeat N] [--folder DIR]
 *         [--passes N] [--modes loop,serving1,serving2] [--flags '--query-cache-size 32MiB']
 *
 * The corpus is imported once into the folder of `--folder`, and found there the next time.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Corpus, loadCorpus } from './bench/corpus.ts';
import { LoadClient } from './bench/load-client.ts';
import { processorMsOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { importCorpus } from './bench/uploads.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '9' },
    folder: { type: 'string', default: 'bench-data/served' },
    passes: { type: 'string', default: '4' },
    modes: { type: 'string', default: 'loop,serving1,serving2' },
    flags: { type: 'string', default: '' },
  },
});

const MODES: Readonly<Record<string, readonly string[]>> = {
  loop: [],
  serving1: ['--serving-threads', '1'],
  serving2: ['--serving-threads', '2'],
};
const CONNECTIONS = [1, 8];

const start = (flags: readonly string[]): Promise<BenchServer> =>
  startServer(
    [
      ...['--answer-cache-size', '0', '--query-threads', '2', '--experimental-enable-metrics'],
      ...[...flags, ...options.flags.split(' ').filter(Boolean)],
    ],
    { folder: options.folder },
  );

/** What the server has counted until now. */
async function counted(server: BenchServer) {
  const { text } = await server.call('GET', '/metrics');
  const sumOf = (name: string, label = ''): number =>
    [...text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (\\S+)$`, 'gm'))]
      .filter(([, labels = '']) => labels.includes(label))
      .reduce((sum, [, , value]) => sum + Number(value), 0);
  return {
    processorMs: processorMsOf(server.pid),
    aside: sumOf('gannet_queries_served_total', 'place="aside"'),
    givenUp: sumOf('gannet_queries_served_total', 'place="aside, begun in place"'),
    hits: sumOf('gannet_kept_results_hits_total'),
    misses: sumOf('gannet_kept_results_misses_total'),
  };
}

async function pass(server: BenchServer, client: LoadClient, corpus: Corpus, connections: number) {
  const path = `/indexes/${corpus.name}/search`;
  const requests = corpus.queries.map(({ body }) => ({ path, body: JSON.stringify(body) }));
  const before = await counted(server);
  const { times, seconds } = await client.pass({ port: server.port, requests, connections });
  const after = await counted(server);
  const count = (name: keyof typeof after): number => after[name] - before[name];
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  return [
    `${connections}`,
    (count('processorMs') / requests.length).toFixed(2),
    (requests.length / seconds).toFixed(0),
    ...[0.5, 0.99].map((at) => percentile(times, at).toFixed(2)),
    share(count('aside'), requests.length),
    share(count('givenUp'), requests.length),
    share(count('hits'), count('hits') + count('misses')),
  ];
}

async function measure(mode: string, corpus: Corpus): Promise<string[][]> {
  const server = await start(MODES[mode] ?? []);
  const client = new LoadClient();
  const rows: string[][] = [];
  for (const connections of CONNECTIONS)
    for (let i = 0; i < Number(options.passes); i++)
      rows.push([mode, ...(await pass(server, client, corpus, connections))]);
  client.stop();
  await server.stop();
  return rows;
}

const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
if (!existsSync(options.folder)) {
  const server = await start([]);
  await importCorpus(server, corpus.name, corpus);
  await server.stop();
}
const head = 'serving,connections,CPU ms a query,queries/s,p50 ms,p99 ms,aside,given up,kept found';
const rows: string[][] = [head.split(',')];
for (const mode of options.modes.split(',')) rows.push(...(await measure(mode, corpus)));
process.stdout.write(`${aligned(rows)}\n`);
