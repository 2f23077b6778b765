/**
 * Process entry of an import: creates the data folder from a backup before any other process uses
 * it, then ends.
 */
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { beginWith } from '../src/dumps/read/begin-with.ts';
import type { IndexingTaskName } from '../src/indexing/indexing-tasks.ts';
import { collectsAfterSteps, threadsWithin } from '../src/indexing/memory-shares.ts';
import { IndexingPool } from '../src/ipc/threads/indexing-pool.ts';
import type { Logger } from '../src/observability/logger.ts';
import { exposeCollection } from '../src/os/malloc-trim.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { importSource } from '../src/storage/data-folder/import-source.ts';
import { NewDataFolder } from '../src/storage/data-folder/new-data-folder.ts';
import { embeddingFailureRules, indexerEmbedding } from './indexer-embedding.ts';
import { runOnce } from './one-off-entry.ts';

async function restore(config: Config, log: Logger): Promise<void> {
  const source = importSource(config, log);
  if (source === null) return;
  if (collectsAfterSteps(config.maxIndexingMemory)) exposeCollection();
  const pool = new IndexingPool({
    entry: workerUrls.indexing.href,
    threads: threadsWithin(config.maxIndexingMemory, config.maxIndexingThreads),
    memoryBytes: config.maxIndexingMemory,
    backgroundTasks: new Set<IndexingTaskName>(),
    startsLate: true,
  });
  const { dbPath, maxIndexingMemory: memoryBudgetBytes } = config;
  const embedding = indexerEmbedding(config, log, NewDataFolder.embeddingsBeside(dbPath));
  try {
    const failures = embeddingFailureRules(config, log);
    await beginWith({
      dbPath,
      mayUpgrade: config.upgradeDb,
      release: packageVersion(),
      source,
      limits: { bytesMax: config.importSizeLimit, entriesMax: config.importEntryLimit },
      log,
      pool,
      embedderOf: embedding.embedderOf,
      scorePairs: embedding.scorePairs,
      closeEmbeddings: embedding.close,
      failures,
      memoryBudgetBytes,
    });
  } finally {
    await Promise.all([pool.close(), embedding.close()]);
  }
}

await runOnce({ name: 'import', consequence: 'nothing was imported', run: restore });
