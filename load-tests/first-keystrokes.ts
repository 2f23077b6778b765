/**
 * What who types first meets: a large index is asked its first letters right after a start, some time
 * after one, and each time five documents have changed.
 *
 *     npm run bench:first -- [--data DIR] [--corpus wordnet] [--repeat 9] [--rounds 3]
 *         [--later-ms 2000] [--commits 40] [--rest-s 30] [--no-warm-up]
 *
 * Prints a table: milliseconds as the client sees them and of processor time of all processes, medians
 * over the rounds, and what a start takes until it is healthy. The letters after the first one follow
 * at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Corpus, loadCorpus } from './bench/corpus.ts';
import { threadMsSince, threadTimesOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { importCorpus, NDJSON } from './bench/uploads.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '9' },
    rounds: { type: 'string', default: '3' },
    'later-ms': { type: 'string', default: '2000' },
    commits: { type: 'string', default: '40' },
    'rest-s': { type: 'string', default: '30' },
    'no-warm-up': { type: 'boolean', default: false },
  },
});

const LETTERS = [...'tascopimbdrfwhelgnuvjkqyz'];
const INDEX = '/indexes/first';
const CHANGED_DOCUMENTS = 5;

interface Took {
  readonly ms: number;
  readonly processorMs: number;
}

async function ask(server: BenchServer, q: string): Promise<Took> {
  const processorBefore = threadTimesOf(server.pid);
  const start = performance.now();
  const { status, body } = await server.call('POST', `${INDEX}/search`, { q });
  const ms = performance.now() - start;
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ms, processorMs: threadMsSince(processorBefore, server.pid) };
}

async function askLetters(server: BenchServer, took: Map<string, Took[]>): Promise<void> {
  for (const letter of LETTERS)
    took.set(letter, [...(took.get(letter) ?? []), await ask(server, letter)]);
}

/** Repeated for this number of starts. @param waitMs between health and the first letter */
async function afterStarts(server: BenchServer, waitMs: number): Promise<string[]> {
  const took = new Map<string, Took[]>();
  const starts: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const start = performance.now();
    await server.restart();
    starts.push(performance.now() - start);
    await sleep(waitMs);
    await askLetters(server, took);
  }
  return [`${waitMs} ms after a start (${median(starts)} ms)`, ...cells(took)];
}

/** The first search after each of some commits, and when it is asked again. */
async function afterCommits(server: BenchServer, corpus: Corpus): Promise<string[][]> {
  const first = new Map<string, Took[]>();
  const again = new Map<string, Took[]>();
  for (let commit = 0; commit < Number(options.commits); commit++) {
    const changed = Array.from({ length: CHANGED_DOCUMENTS }, (_, i) => {
      const at = ((commit * CHANGED_DOCUMENTS + i) * 7919) % corpus.lines.length;
      const document = JSON.parse(corpus.lines[at] ?? '') as Record<string, unknown>;
      return JSON.stringify({ ...document, definition: `edition ${commit}` });
    });
    const body = Buffer.from(changed.join('\n'));
    await server.settle('PUT', `${INDEX}/documents`, body, NDJSON);
    const letter = LETTERS[commit % LETTERS.length] ?? '';
    for (const took of [first, again])
      took.set(letter, [...(took.get(letter) ?? []), await ask(server, letter)]);
  }
  return [
    ['first search after a commit', ...cells(first)],
    ['the same again', ...cells(again)],
  ];
}

const median = (times: readonly number[]): string => percentile(times, 0.5).toFixed(0);

function cells(took: ReadonlyMap<string, readonly Took[]>): string[] {
  const all = [...took.values()].flat();
  const pair = (of: readonly Took[], p: number): string => {
    const at = (times: readonly number[]) => percentile(times, p).toFixed(1);
    return `${at(of.map(({ ms }) => ms))} / ${at(of.map(({ processorMs }) => processorMs))}`;
  };
  const first = took.get(LETTERS[0] ?? '') ?? [];
  return [pair(first, 0.5), pair(all, 0.5), pair(all, 1)];
}

const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
const server = await startServer([
  ...['--answer-cache-size', '0'],
  ...(options['no-warm-up'] ? ['--no-warm-up'] : []),
]);
try {
  await importCorpus(server, 'first', corpus);
  // Merges and checks of files come when nothing else has for a while.
  await sleep(Number(options['rest-s']) * 1000);
  const rows = [
    ['ms / processor ms', `first ${LETTERS[0]}`, 'all letters, median', 'slowest'],
    await afterStarts(server, 0),
    await afterStarts(server, Number(options['later-ms'])),
    ...(await afterCommits(server, corpus)),
  ];
  process.stdout.write(`${aligned(rows)}\n`);
} finally {
  await server.stop();
}
