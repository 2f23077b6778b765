/**
 * npm run bench:memory -- [--data DIR] [--corpus wordnet] [--repeat 9] [--upload 20000]
 * [--budgets 256MiB,1GiB] [--threads N] [--trace FILE] [--work whole]
 *
 * Samples the memory of the indexer while it imports a corpus (or does another work of
 * bench/indexing-works.ts: `reindexed`, `manyIndexes`, `mixedSizes`, `withVectors`), under one `--max-indexing-memory`
 * after the other, and prints how far anonymous memory rises above that of the idle indexer: the
 * budget is kept when that is at most 1.15 times the budget. Mapped files are counted separately.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadCorpus } from './bench/corpus.ts';
import { INDEXING_WORKS } from './bench/indexing-works.ts';
import { memoryOf, memoryOfFamily } from './bench/process-figures.ts';
import { startServer } from './bench/server.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    corpus: { type: 'string', default: 'wordnet' },
    repeat: { type: 'string', default: '9' },
    upload: { type: 'string', default: '20000' },
    budgets: { type: 'string', default: '256MiB,1GiB' },
    threads: { type: 'string', default: '1' },
    work: { type: 'string', default: 'whole' },
    /** Lines of `seconds anonymous file`, in MiB. */
    trace: { type: 'string' },
  },
});
const SAMPLE_MS = 50;
const IDLE_MS = 3000;
/** Threads that had nothing to do have ended by then, and merges are done. */
const SETTLED_MS = 25_000;
const MIB = 1 << 20;
const KEPT_RATIO_MAX = 1.15;

const UNITS = { MiB: MIB, GiB: MIB * 1024 } as const;

function bytesOf(budget: string): number {
  const match = /^(\d+)(MiB|GiB)$/.exec(budget);
  if (match === null) throw new Error(`--budgets takes sizes such as 256MiB, not ${budget}`);
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

interface Figures {
  readonly idleBytes: number;
  readonly peakBytes: number;
  readonly peakFileBytes: number;
  readonly afterBytes: number;
  readonly documentsPerSecond: number;
}

async function measure(budget: string): Promise<Figures> {
  const work = INDEXING_WORKS[options.work];
  if (work === undefined)
    throw new Error(`--work takes one of ${Object.keys(INDEXING_WORKS).join(', ')}`);
  const corpus = loadCorpus(options.data, options.corpus, Number(options.repeat));
  const server = await startServer([
    '--max-indexing-memory',
    budget,
    '--max-indexing-threads',
    options.threads,
  ]);
  try {
    await sleep(IDLE_MS);
    const indexer = memoryOfFamily(server.pid).find(({ title }) => title.includes('indexer'));
    if (indexer === undefined) throw new Error('no process of the server is an indexer');
    const now = () => memoryOf(indexer.pid);
    const idleBytes = now().anonymousBytes;
    const trace: string[] = [];
    const peak = { anonymousBytes: 0, fileBytes: 0 };
    const startMs = performance.now();
    const sampler = setInterval(() => {
      const { anonymousBytes, fileBytes } = now();
      peak.anonymousBytes = Math.max(peak.anonymousBytes, anonymousBytes);
      peak.fileBytes = Math.max(peak.fileBytes, fileBytes);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(2);
      trace.push(`${seconds} ${Math.round(anonymousBytes / MIB)} ${Math.round(fileBytes / MIB)}`);
    }, SAMPLE_MS);
    const documents = await work(server, corpus, Number(options.upload));
    const seconds = (performance.now() - startMs) / 1000;
    const { body } = await server.call('GET', '/tasks?statuses=failed&limit=1');
    const failed = (body as { readonly total: number }).total;
    if (failed > 0) throw new Error(`${failed} tasks failed`);
    await sleep(SETTLED_MS);
    clearInterval(sampler);
    if (options.trace !== undefined) writeFileSync(`${options.trace}-${budget}`, trace.join('\n'));
    return {
      idleBytes,
      peakBytes: peak.anonymousBytes,
      peakFileBytes: peak.fileBytes,
      afterBytes: now().anonymousBytes,
      documentsPerSecond: documents / seconds,
    };
  } finally {
    await server.stop();
  }
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(0).padStart(8);

console.log('  budget    idle    peak   above  of budget    after  mapped at most  documents/s');
for (const budget of options.budgets.split(',')) {
  const figures = await measure(budget);
  const { idleBytes, peakBytes, peakFileBytes, afterBytes, documentsPerSecond } = figures;
  const ratio = (peakBytes - idleBytes) / bytesOf(budget);
  const verdict = ratio <= KEPT_RATIO_MAX ? 'kept' : 'NOT KEPT';
  console.log(
    `${budget.padStart(8)}${mib(idleBytes)}${mib(peakBytes)}${mib(peakBytes - idleBytes)}` +
      `   ${ratio.toFixed(2)} ${verdict}${mib(afterBytes)}${mib(peakFileBytes)}        ${documentsPerSecond.toFixed(0)}`,
  );
}
