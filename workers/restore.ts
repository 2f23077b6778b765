/**
 * Process entry of an import: creates the data folder from a backup before any other process uses
 * it, then ends.
 */
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { beginWith } from '../src/dumps/read/begin-with.ts';
import type { Logger } from '../src/observability/logger.ts';
import { importSource } from '../src/storage/data-folder/import-source.ts';
import { NewDataFolder } from '../src/storage/data-folder/new-data-folder.ts';
import { embeddingFailureRules, indexerEmbedding } from './indexer-embedding.ts';
import { indexingThreads } from './indexing-threads.ts';
import { runOnce } from './one-off-entry.ts';

async function restore(config: Config, log: Logger): Promise<void> {
  const source = importSource(config, log);
  if (source === null) return;
  const pool = indexingThreads(config, { backgroundTasks: new Set(), startsLate: true });
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
