/**
 * Process entry of an import: makes the data folder of a backup, before any other process looks at
 * it, and ends.
 */
import type { Config } from '../config/load.ts';
import { ApiError } from '../src/core/errors.ts';
import { DumpRefused } from '../src/dumps/dump.ts';
import type { IndexingTaskName } from '../src/indexing/indexing-tasks.ts';
import { threadsWithin } from '../src/indexing/memory-shares.ts';
import { IndexingPool } from '../src/ipc/indexing-pool.ts';
import type { Logger } from '../src/observability/logger.ts';
import { beginWith } from '../src/restore/begin-with.ts';
import type { ChildMessage } from '../src/runtime/lifecycle-protocol.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';
import { ArchiveRefused } from '../src/storage/archive.ts';
import { DataFolderRefused } from '../src/storage/data-folder-check.ts';
import { importSource } from '../src/storage/import-source.ts';
import { toStorageError } from '../src/storage/io-errors.ts';
import { inheritedStart } from './child-entry.ts';
import { embeddingThreads } from './embedding-threads.ts';
import { embeddingFailureRules } from './indexer-embedding.ts';

async function restore(config: Config, log: Logger): Promise<void> {
  const source = importSource(config, log);
  if (source === null) return;
  const pool = new IndexingPool({
    entry: workerUrls.indexing.href,
    threads: threadsWithin(config.maxIndexingMemory, config.maxIndexingThreads),
    memoryBytes: config.maxIndexingMemory,
    backgroundTasks: new Set<IndexingTaskName>(),
  });
  const embedding = embeddingThreads(config, log);
  const { embedderOf } = embedding;
  const { dbPath, maxIndexingMemory: memoryBudgetBytes } = config;
  try {
    const failures = embeddingFailureRules(config, log);
    await beginWith({ dbPath, source, log, pool, embedderOf, failures, memoryBudgetBytes });
  } finally {
    await Promise.all([pool.close(), embedding.close()]);
  }
}

/** What the user can act on is told in one line. */
const REFUSALS = [ArchiveRefused, DataFolderRefused, DumpRefused, ApiError];

function tellFailure(failure: unknown, log: Logger): Promise<void> {
  const error = toStorageError(failure);
  const isExpected = REFUSALS.some((refusal) => error instanceof refusal);
  if (!isExpected) log.error({ err: error }, 'the import failed');
  const reason = error instanceof Error ? error.message : String(error);
  const message: ChildMessage = { kind: 'failed', message: `nothing was imported: ${reason}` };
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

process.title = 'gannet import';
process.on('disconnect', () => process.exit(1));
const { config, log } = inheritedStart('import');
try {
  await restore(config, log);
  process.exit(0);
} catch (error) {
  await tellFailure(error, log);
  process.exit(1);
}
