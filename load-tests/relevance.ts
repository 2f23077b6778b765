/**
 * npm run bench:relevance -- [--data DIR] [--parts judged,expected,latency] [--sets cranfield,…]
 * [--corpus wordnet] [--repeat 9]
 *
 * What `any` and `relevance` are worth beside other strategies, on a real server process: nDCG@10
 * and recall@100 of sentences against human judgments (ir/NAME of DIR), right answers to short
 * queries (queries/NAME.json.gz), and latency of sentences of 8 to 20 words.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadCorpus, renamed } from './bench/corpus.ts';
import { ANSWER_KINDS, isRight, readExpectedAnswers } from './bench/expected-answers.ts';
import { ndcg, readJudgedSet, recall } from './bench/judged-set.ts';
import { readSentences } from './bench/sentences.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    parts: { type: 'string', default: 'judged,expected,latency' },
    sets: { type: 'string', default: 'cranfield,cisi,npl,xquad_en,xquad_de,xquad_ru' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '1' },
  },
});

const NDJSON = 'application/x-ndjson';
const RECALL_HITS = 100;
const CHUNK_DOCUMENTS = 20_000;
const SENTENCES = 200;
const ROUNDS = 3;
/** Merges after an import, which take the cores that searches have, are over when no file has changed for so long. */
const SETTLED_MS = 12_000;
const SETTLED_MAX_MS = 60_000;
const LOOK_MS = 500;
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
    const lines = set.documents.map((document) => JSON.stringify(document)).join('\n');
    await server.settle(
      'POST',
      `/indexes/${name}/documents?primaryKey=id`,
      Buffer.from(lines),
      NDJSON,
    );
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
    const { lines, settings } = loadCorpus(options.data, corpus, 1);
    await server.settle('POST', '/indexes', { uid: corpus, primaryKey: 'id' });
    await server.settle('PATCH', `/indexes/${corpus}/settings`, settings);
    const body = Buffer.from(lines.join('\n'));
    await server.settle('POST', `/indexes/${corpus}/documents`, body, NDJSON);
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

async function untilSettled(server: BenchServer): Promise<void> {
  const startMs = performance.now();
  let bytes = server.indexBytes();
  let changedMs = startMs;
  while (performance.now() - changedMs < SETTLED_MS) {
    if (performance.now() - startMs > SETTLED_MAX_MS) break;
    await sleep(LOOK_MS);
    const now = server.indexBytes();
    if (now !== bytes) changedMs = performance.now();
    bytes = now;
  }
}

/** One client, at rest; the limit varies so that a repeated sentence is not the same request. */
async function latency(server: BenchServer): Promise<void> {
  const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
  const uid = `sentences_${corpus.name}`;
  await server.settle('POST', '/indexes', { uid, primaryKey: 'id' });
  await server.settle('PATCH', `/indexes/${uid}/settings`, corpus.settings);
  for (let repetition = 0; repetition < corpus.repeat; repetition++)
    for (let at = 0; at < corpus.lines.length; at += CHUNK_DOCUMENTS) {
      const lines = corpus.lines.slice(at, at + CHUNK_DOCUMENTS);
      const body = Buffer.from(lines.map((line) => renamed(line, repetition)).join('\n'));
      await server.settle('POST', `/indexes/${uid}/documents`, body, NDJSON);
    }
  await untilSettled(server);
  print(['ms', 'strategy', 'first p50', 'first p99', 'p50', 'p99']);
  for (const [name, sentences] of Object.entries(readSentences(options.data, SENTENCES))) {
    for (const { name: strategy, settings } of [DEFAULTS, ANY]) {
      const rounds: number[][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const times: number[] = [];
        for (const q of sentences) {
          const start = performance.now();
          await search(server, uid, { ...settings, q, limit: 20 + round });
          times.push(performance.now() - start);
        }
        rounds.push(times);
      }
      const [first = [], ...others] = rounds;
      const figures = [first, others.flat()].flatMap((times) => [
        percentile(times, 0.5),
        percentile(times, 0.99),
      ]);
      print([name, strategy, ...figures.map((ms) => ms.toFixed(2))]);
    }
  }
}

if (!existsSync(options.data)) {
  console.error(`no data at ${options.data}: name a folder with ir/, queries/, corpora/ by --data`);
  process.exit(2);
}
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
