/**
 * Space after deletions: indexes corpora, deletes nine documents of ten, waits until merges have
 * settled and compares the folder of the index with that of a fresh one of the rest.
 *
 *   npm run build && node dist/load-tests/space-after-deletion.js [folder of shared data] [corpus …]
 */
import { loadCorpus } from './bench/corpus.ts';
import { type BenchServer, startServer } from './bench/server.ts';
import { aligned } from './bench/table.ts';
import { untilMerged, uploadLines } from './bench/uploads.ts';

/** Goal: upper bound as a multiple of a fresh index. */
const RATIO_MAX = 1.3;
const MIB = 1024 ** 2;
/**
 * Merges begin at most ten seconds after the last batch: a size that stays unchanged for this time
 * is final.
 */

/** Which documents stay, by their place in the corpus. */
const PATTERNS: Readonly<Record<string, (at: number, count: number) => boolean>> = {
  'each tenth stays': (at) => at % 10 === 0,
  'the last tenth stays': (at, count) => at >= count * 0.9,
};

interface Line {
  readonly id: string;
  readonly text: string;
}

async function indexed(settings: unknown, lines: readonly Line[]): Promise<BenchServer> {
  const server = await startServer(['--no-warm-up']);
  await server.settle('PATCH', '/indexes/corpus/settings', settings);
  await uploadLines(
    server,
    'corpus',
    lines.map(({ text }) => text),
  );
  return server;
}

async function main([data = '../shared/data', ...named]: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const name of named.length === 0 ? ['movies', 'wordnet'] : named) {
    const corpus = loadCorpus(data, name, 1);
    const lines = corpus.lines.map((text): Line => {
      const { id } = JSON.parse(text) as { readonly id: string | number };
      return { id: String(id), text };
    });
    for (const [pattern, stays] of Object.entries(PATTERNS)) {
      const kept = lines.filter((_, at) => stays(at, lines.length));
      const dead = lines.filter((_, at) => !stays(at, lines.length));
      const first = await indexed(corpus.settings, lines);
      const before = await untilMerged(first);
      const ids = dead.map(({ id }) => id);
      await first.settle('POST', '/indexes/corpus/documents/delete-batch', ids);
      const after = await untilMerged(first);
      await first.stop();
      const second = await indexed(corpus.settings, kept);
      const fresh = await untilMerged(second);
      await second.stop();
      const ratio = after / fresh;
      if (ratio > RATIO_MAX) process.exitCode = 1;
      const sizes = [before, after, fresh].map((bytes) => (bytes / MIB).toFixed(2));
      rows.push([name, pattern, String(kept.length), ...sizes, ratio.toFixed(3)]);
    }
  }
  const columns = ['corpus', 'deleted', 'rest', 'before MiB', 'after MiB', 'fresh MiB', 'ratio'];
  process.stdout.write(`${aligned([columns, ...rows])}\n`);
}

await main(process.argv.slice(2));
