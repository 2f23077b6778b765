/** The indexing threads of a process, within the memory for indexing. */
import type { Config } from '../config/load.ts';
import { collectsAfterSteps, threadsWithin } from '../src/indexing/memory-shares.ts';
import { IndexingPool, type IndexingPoolOptions } from '../src/ipc/threads/indexing-pool.ts';
import { exposeCollection } from '../src/os/malloc-trim.ts';
import { workerUrls } from '../src/runtime/worker-urls.ts';

export function indexingThreads(
  { maxIndexingMemory: memoryBytes, maxIndexingThreads }: Config,
  options: Pick<IndexingPoolOptions, 'backgroundTasks' | 'startsLate'>,
): IndexingPool {
  if (collectsAfterSteps(memoryBytes)) exposeCollection();
  const threads = threadsWithin(memoryBytes, maxIndexingThreads);
  return new IndexingPool({ entry: workerUrls.indexing.href, threads, memoryBytes, ...options });
}
