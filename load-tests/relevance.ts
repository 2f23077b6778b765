/**
 * npm run bench:relevance -- [--data DIR] [--parts judged,expected,latency] [--sets cranfield,…]
 * [--corpus wordnet] [--repeat 9]
 *
 * Quality of `any` and `relevance` compared with other strategies, on a real server process: nDCG@10
 * and recall@100 of sentences against human judgments (ir/NAME of DIR), right answers to short
 * queries (queries/NAME.json.gz), and latency of sentences of 8 to 20 words.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCorpus } from './bench/corpus.ts';
import { requireData } from './bench/data-files.ts';
import { ANSWER_KINDS, isRight, readExpectedAnswers } from './bench/expected-answers.ts';
import { ndcg, readJudgedSet, recall } from './bench/judged-set.ts';
import { readSentences } from './bench/sentences.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { importCorpus, untilMerged, uploadLines } from './bench/uploads.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    parts: { type: 'string', default: 'judged,expected,latency' },
    sets: { type: 'string', default: 'cranfield,cisi,npl,xquad_en,xquad_de,xquad_ru' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '1' },
  },
});

const RECALL_HITS = 100;
const SENTENCES = 200;
const ROUNDS = 3;
/**
 * Merges after an import compete with searches for cores; they are over when no file has changed
 * for this time.
 */
const SETTLED_MAX_MS = 60_000;
/** Language of sets by the end of their names; English without one. */
const LANGUAGES: Readonly<Record<string, string>> = { de: 'deu', ru: 'rus', ar: 'ara', el: 'ell' };

type Settings = Readonly<Record<string, unknown>>;

interface Way {
  readonly name: string;
  readonly settings: Settings;
}

const print = (cells: readonly string[], width = 17): void =>
  console.log(
    cells
      .map((cell) => cell.padEnd(width))
      .join('')
      .trimEnd(),
  );

async function search(
  server: BenchServer,
  index: string,
  body: Settings,
): Promise<(number | string)[]> {
  const answer = (await server.call('POST', `/indexes/${index}/search`, body)).body as {
    readonly hits: readonly { readonly id: number | string }[];
  };
  return answer.hits.map(({ id }) => id);
}

const DEFAULTS: Way = { name: 'last', settings: { matchingStrategy: 'last' } };
const ANY: Way = { name: 'any', settings: { matchingStrategy: 'any' } };

async function judged(server: BenchServer): Promise<void> {
  const names = options.sets.split(',');
  const ways = [DEFAULTS, { name: 'frequency', settings: { matchingStrategy: 'frequency' } }, ANY];
  print(['nDCG / recall', ...ways.map(({ name }) => name), 'any, inflections']);
  for (const name of names) {
    const set = readJudgedSet(join(options.data, 'ir', name));
    const path = `/indexes/${name}/settings`;
    await server.settle('PATCH', path, { searchableAttributes: ['title', 'text'] });
    const lines = set.documents.map((document) => JSON.stringify(document));
    await uploadLines(server, name, lines);
    const row: string[] = [];
    const measure = async ({ settings }: Way): Promise<void> => {
      let sum = 0;
      let found = 0;
      for (const { q, gains } of set.queries) {
        const ids = await search(server, name, { ...settings, q, limit: RECALL_HITS });
        sum += ndcg(ids, gains);
        found += recall(ids, gains);
      }
      const { length } = set.queries;
      row.push(`${(sum / length).toFixed(3)} / ${(found / length).toFixed(3)}`);
    };
    for (const way of ways) await measure(way);
    const language = LANGUAGES[name.split('_')[1] ?? ''] ?? 'eng';
    await server.settle('PATCH', path, { inflections: [language] });
    await measure(ANY);
    print([name, ...row]);
  }
}

/** Right answers of total by kind. */
async function expected(server: BenchServer): Promise<void> {
  const corpora = readdirSync(join(options.data, 'queries')).map((file) => file.split('.')[0]!);
  const ways = [DEFAULTS, ANY];
  const right = ways.map(() => new Map<string, number>());
  const totals = new Map<string, number>();
  for (const corpus of corpora) {
    await importCorpus(server, corpus, loadCorpus(options.data, corpus, 1));
    for (const answer of readExpectedAnswers(options.data, corpus)) {
      const { category, params } = answer;
      totals.set(category, (totals.get(category) ?? 0) + 1);
      for (const [i, { settings: own }] of ways.entries()) {
        const ids = await search(server, corpus, { ...params, ...own, limit: 20 });
        if (isRight(answer, ids)) right[i]!.set(category, (right[i]!.get(category) ?? 0) + 1);
      }
    }
  }
  print(['right answers', ...ways.map(({ name }) => name), 'queries']);
  for (const kind of ANSWER_KINDS)
    print([
      kind,
      ...right.map((counts) => String(counts.get(kind) ?? 0)),
      String(totals.get(kind) ?? 0),
    ]);
  const sum = (counts: ReadonlyMap<string, number>): string =>
    String([...counts.values()].reduce((a, b) => a + b, 0));
  print(['all', ...right.map(sum), sum(totals)]);
}

/** One round over all sentences, in milliseconds. */
async function timesOf(
  server: BenchServer,
  uid: string,
  sentences: readonly string[],
  settings: Settings,
): Promise<number[]> {
  const times: number[] = [];
  for (const q of sentences) {
    const start = performance.now();
    await search(server, uid, { ...settings, q });
    times.push(performance.now() - start);
  }
  return times;
}

/** One client, at rest. */
async function latency(server: BenchServer): Promise<void> {
  const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
  const uid = `sentences_${corpus.name}`;
  await importCorpus(server, uid, corpus);
  await untilMerged(server, SETTLED_MAX_MS);
  print(['ms', 'strategy', 'first p50', 'first p99', 'p50', 'p99']);
  for (const [name, sentences] of Object.entries(readSentences(options.data, SENTENCES))) {
    for (const { name: strategy, settings } of [DEFAULTS, ANY]) {
      const rounds: number[][] = [];
      // The limit varies so that a repeated sentence is not the same request.
      for (let round = 0; round <= ROUNDS; round++)
        rounds.push(await timesOf(server, uid, sentences, { ...settings, limit: 20 + round }));
      const [first = [], ...others] = rounds;
      const figures = [first, others.flat()].flatMap((times) => [
        percentile(times, 0.5),
        percentile(times, 0.99),
      ]);
      print([name, strategy, ...figures.map((ms) => ms.toFixed(2))]);
    }
  }
}

requireData(options.data);
const PARTS: Readonly<Record<string, (server: BenchServer) => Promise<void>>> = {
  judged,
  expected,
  latency,
};
for (const part of options.parts.split(',')) {
  const server = await startServer(['--answer-cache-size', '0']);
  try {
    await PARTS[part]!(server);
  } finally {
    await server.stop();
  }
}
