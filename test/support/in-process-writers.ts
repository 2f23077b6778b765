/** Real index writers whose indexing "threads" run in this process. */

import { IndexWriter } from '../../src/indexing/index-writer.ts';
import type { IndexingTaskName } from '../../src/indexing/indexing-tasks.ts';
import { IndexingThread } from '../../src/indexing/indexing-thread.ts';
import { selectStored } from '../../src/search/filter-evaluator.ts';
import { mapFile } from '../../src/storage/file-mapping.ts';
import { FsDirectory } from '../../src/storage/fs-directory.ts';
import type { OpenIndexWriter } from '../../src/tasks/index-writers.ts';

export function inProcessWriters(threads = 1): OpenIndexWriter {
  const thread = new IndexingThread({
    selectDocuments: selectStored,
    releaseMemory: () => {},
    openDirectory: (path) => new FsDirectory(path),
    openPayload: mapFile,
  });
  const run = async (name: string, task: unknown): Promise<unknown> => {
    const work = thread[name as IndexingTaskName] as (task: unknown) => Promise<unknown>;
    return work.call(thread, structuredClone(task));
  };
  return (manifest, directory) =>
    new IndexWriter({
      manifest,
      directory,
      pool: { threads, run: run as never },
      memoryBudgetBytes: 64 << 20,
      logger: { debug: () => undefined },
    });
}
