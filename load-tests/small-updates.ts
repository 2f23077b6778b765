/**
 * What small writes into a large index cost: batches of changed documents from the request to
 * `succeeded` and to the first search that finds them, with the processor time of all processes, and
 * many deletions by id in one request. Costs must not grow with the index.
 *
 *   npm run build && node dist/load-tests/small-updates.js [folder of shared data] [repetitions …]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCorpus, renamed } from './bench/corpus.ts';
import { processorMsOf } from './bench/process-figures.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';

const SIZES = [1, 5, 100];
const ROUNDS = 40;
const DELETED = 100_000;
const UPLOAD = 50_000;
/** Merges begin ten seconds after the last batch at the latest. */
const SETTLED_MS = 25_000;
const LOOK_MS = 2;
const FOUND_MS_MAX = 30_000;
const DOCUMENTS = '/indexes/bench/documents';

interface Line {
  readonly id: string;
  readonly text: string;
}

/** A word that no document has, by letters alone. */
const newWord = (number: number): string =>
  `zqx${[...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join('')}`;

async function imported(server: BenchServer, data: string, repeat: number): Promise<Line[]> {
  const corpus = loadCorpus(data, 'wordnet', repeat);
  await server.settle('PATCH', '/indexes/bench/settings', corpus.settings);
  const lines: Line[] = [];
  for (let repetition = 0; repetition < repeat; repetition++)
    for (const line of corpus.lines) {
      const text = renamed(line, repetition);
      const { id } = JSON.parse(text) as { readonly id: string | number };
      lines.push({ id: String(id), text });
    }
  for (let at = 0; at < lines.length; at += UPLOAD) {
    const body = Buffer.from(
      lines
        .slice(at, at + UPLOAD)
        .map(({ text }) => text)
        .join('\n'),
    );
    await server.settle('POST', `${DOCUMENTS}?primaryKey=id`, body, 'application/x-ndjson');
  }
  // An unused connection would be closed meanwhile.
  for (const endMs = performance.now() + SETTLED_MS; performance.now() < endMs; await sleep(1000))
    await server.call('GET', '/health');
  return lines;
}

/** Until a search finds the word. */
async function untilFound(server: BenchServer, word: string): Promise<void> {
  for (const endMs = performance.now() + FOUND_MS_MAX; performance.now() < endMs; ) {
    const { body } = await server.call('POST', '/indexes/bench/search', {
      q: `"${word}"`,
      limit: 1,
    });
    if ((body as { hits: unknown[] }).hits.length > 0) return;
    await sleep(LOOK_MS);
  }
  throw new Error(`${word} is not found`);
}

async function updates(server: BenchServer, lines: readonly Line[], size: number) {
  const times: number[] = [];
  const foundTimes: number[] = [];
  let processorMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const word = newWord(round + size * 1000);
    const chosen = Array.from({ length: size }, (_, i) => {
      const { text } = lines[(round * 7919 + i * 104_729) % lines.length] as Line;
      return JSON.stringify({ ...JSON.parse(text), definition: word });
    });
    const before = processorMsOf(server.pid);
    const start = performance.now();
    const found = untilFound(server, word).then(() => foundTimes.push(performance.now() - start));
    await server.settle('POST', DOCUMENTS, Buffer.from(chosen.join('\n')), 'application/x-ndjson');
    times.push(performance.now() - start);
    await found;
    processorMs += processorMsOf(server.pid) - before;
  }
  return { times, foundTimes, processorMs: processorMs / ROUNDS };
}

async function measure(data: string, repeat: number): Promise<string[][]> {
  const server = await startServer();
  try {
    const lines = await imported(server, data, repeat);
    const rows: string[][] = [];
    for (const size of SIZES) {
      const { times, foundTimes, processorMs } = await updates(server, lines, size);
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
      const figures = [p50, p95, percentile(foundTimes, 0.5), processorMs];
      rows.push([
        String(lines.length),
        `${size} changed`,
        ...figures.map((figure) => figure.toFixed(1)),
      ]);
    }
    const ids = lines.slice(0, DELETED).map(({ id }) => id);
    const before = processorMsOf(server.pid);
    const start = performance.now();
    await server.settle('POST', `${DOCUMENTS}/delete-batch`, ids);
    const ms = performance.now() - start;
    const processorMs = processorMsOf(server.pid) - before;
    rows.push([
      String(lines.length),
      `${ids.length} deleted`,
      ms.toFixed(0),
      '',
      '',
      processorMs.toFixed(0),
    ]);
    return rows;
  } finally {
    await server.stop();
  }
}

async function main([data = '../shared/data', ...repeats]: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const repeat of repeats.length === 0 ? [1, 9] : repeats.map(Number))
    rows.push(...(await measure(data, repeat)));
  const columns = ['documents', 'written', 'succeeded p50 ms', 'p95', 'found p50', 'processor ms'];
  process.stdout.write(`${aligned([columns, ...rows])}\n`);
}

await main(process.argv.slice(2));
