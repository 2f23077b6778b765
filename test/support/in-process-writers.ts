/** Real index writers whose indexing "threads" run in this process. */

import type { DocumentEmbedders } from '../../src/embedding/document-embedders.ts';
import { EmbeddingError } from '../../src/embedding/embedder.ts';
import { IndexWriter } from '../../src/indexing/index-writer.ts';
import type { IndexingTaskName } from '../../src/indexing/indexing-tasks.ts';
import { IndexingThread, type ThreadPorts } from '../../src/indexing/indexing-thread.ts';
import type { IndexingPool } from '../../src/ipc/threads/indexing-pool.ts';
import { selectStored } from '../../src/search/filter/filter-evaluator.ts';
import { mapFile } from '../../src/storage/files/file-mapping.ts';
import { locationOpener } from '../../src/storage/files/open-location.ts';
import type { OpenIndexWriter } from '../../src/tasks/processing/index-writers.ts';

export const noEmbedder: DocumentEmbedders = ({ source }) => {
  throw new EmbeddingError(`no embedder of the source \`${source}\` is made here`);
};

type AfterTask = (name: IndexingTaskName) => Promise<void> | void;

/**
 * @param afterTask waits while the outcome is on its way, or throws, which loses it
 * @param openDirectory where the threads read and write
 */
export function inProcessPool(
  threads = 1,
  afterTask: AfterTask = () => undefined,
  openDirectory: ThreadPorts['openDirectory'] = locationOpener(),
): Pick<IndexingPool, 'run' | 'threads'> {
  const thread = new IndexingThread({
    selectDocuments: selectStored,
    releaseMemory: () => {},
    openDirectory,
    openPayload: mapFile,
  });
  const run = async (name: string, task: unknown): Promise<unknown> => {
    const work = thread[name as IndexingTaskName] as (task: unknown) => Promise<unknown>;
    const done = await work.call(thread, structuredClone(task));
    await afterTask(name as IndexingTaskName);
    return done;
  };
  return { threads, run: run as never };
}

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
