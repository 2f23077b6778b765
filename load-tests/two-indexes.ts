/**
 * What a small write to one index waits for while another index is imported: one document at a time,
 * from the request until a search finds it, first alone and then during the import. Ratios compare
 * with the same server alone.
 *
 *   npm run build && node dist/load-tests/two-indexes.js [folder of shared data] [repetitions]
 *
 * TWO_DIST names a second build, which is measured after this one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Corpus, loadCorpus } from './bench/corpus.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { percentile } from './bench/statistics.ts';
import { aligned } from './bench/table.ts';
import { importCorpus } from './bench/uploads.ts';

const ROUNDS_ALONE = 60;
/** Between two writes, so that they are no burst. */
const PAUSE_MS = 200;
const LOOK_MS = 5;
/** The 99th percentile during the import. */
const GOAL_MS = 1000;

const SMALL = '/indexes/small';

/** A word that no other document has, by letters alone. */
const wordOf = (number: number): string =>
  `zqx${[...String(number)].map((digit) => String.fromCharCode(97 + Number(digit))).join('')}`;

/** Milliseconds from the request until a search finds the document. */
async function visibleAfter(server: BenchServer, id: number): Promise<number> {
  const startMs = performance.now();
  await server.enqueue('POST', `${SMALL}/documents`, [{ id, title: wordOf(id) }]);
  for (;;) {
    const query = { q: `"${wordOf(id)}"`, limit: 1 };
    const { body } = await server.call('POST', `${SMALL}/search`, query);
    if ((body as { readonly hits: unknown[] }).hits.length > 0) return performance.now() - startMs;
    await sleep(LOOK_MS);
  }
}

/** One write after the other. */
async function writesUntil(
  server: BenchServer,
  firstId: number,
  isOver: (count: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (!isOver(times.length)) {
    times.push(await visibleAfter(server, firstId + times.length));
    await sleep(PAUSE_MS);
  }
  return times;
}

function rowOf(name: string, times: readonly number[], alone: readonly number[]): string[] {
  const figures = [0.5, 0.95, 0.99, 1].flatMap((share) => {
    const ms = percentile(times, share);
    return [ms.toFixed(0), (ms / percentile(alone, share)).toFixed(1)];
  });
  return [name, String(times.length), ...figures];
}

/** @returns rows, and the 99th percentile during the import, in milliseconds */
async function measure(name: string, corpus: Corpus, build?: string) {
  const server = await startServer(['--no-warm-up'], { build });
  try {
    await server.settle('POST', '/indexes', { uid: 'small', primaryKey: 'id' });
    // What a fresh process does for the first time is not measured.
    await writesUntil(server, 0, (count) => count === ROUNDS_ALONE);
    const alone = await writesUntil(server, 1000, (count) => count === ROUNDS_ALONE);
    let isOver = false;
    const importing = importCorpus(server, 'large', corpus).finally(() => {
      isOver = true;
    });
    const [seconds, times] = await Promise.all([
      importing,
      writesUntil(server, 2000, () => isOver),
    ]);
    const documents = corpus.lines.length * corpus.repeat;
    const during = `${name}, ${documents} documents in ${seconds.toFixed(0)} s`;
    return {
      rows: [rowOf(`${name}, alone`, alone, alone), rowOf(during, times, alone)],
      p99: percentile(times, 0.99),
    };
  } finally {
    await server.stop();
  }
}

async function main([data = '../shared/data', repeat = '9']: readonly string[]): Promise<void> {
  const corpus = loadCorpus(data, 'wordnet', Number(repeat));
  const columns = [
    'visible after',
    'writes',
    ...['p50', 'p95', 'p99', 'max'].flatMap((p) => [`${p} ms`, 'ratio']),
  ];
  const { rows, p99 } = await measure('this build', corpus);
  const other = process.env['TWO_DIST'];
  if (other !== undefined) rows.push(...(await measure('other build', corpus, other)).rows);
  const verdict = `p99 during the import: ${p99.toFixed(0)} ms, goal ${GOAL_MS} ms\n`;
  process.stdout.write(`${aligned([columns, ...rows])}\n${verdict}`);
}

await main(process.argv.slice(2));
