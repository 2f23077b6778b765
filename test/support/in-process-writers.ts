/** Real index writers whose indexing "threads" run in this process. */
import { inProcessPool, noEmbedder } from '../../load-tests/bench/in-process-pool.ts';
import { IndexWriter } from '../../src/indexing/index-writer.ts';
import type { OpenIndexWriter } from '../../src/tasks/processing/index-writers.ts';

export function inProcessWriters(...options: Parameters<typeof inProcessPool>): OpenIndexWriter {
  const pool = inProcessPool(...options);
  return (manifest, folder) =>
    new IndexWriter({
      manifest,
      ...folder,
      pool,
      embedderOf: noEmbedder,
      memoryBudgetBytes: 64 << 20,
    });
}
