/** Indexing "threads" that run in this process, for measurements and tests. */
import type { DocumentEmbedders } from '../../src/embedding/cache/cached-embedder.ts';
import { EmbeddingError } from '../../src/embedding/embedder.ts';
import type { IndexingTaskName } from '../../src/indexing/indexing-tasks.ts';
import { IndexingThread, type ThreadPorts } from '../../src/indexing/indexing-thread.ts';
import type { IndexingPool } from '../../src/ipc/threads/indexing-pool.ts';
import { selectStored } from '../../src/search/filter/filter-evaluator.ts';
import { mapFile } from '../../src/storage/files/file-mapping.ts';
import { openFolder } from '../../src/storage/files/fs-directory.ts';

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
  openDirectory: ThreadPorts['openDirectory'] = openFolder,
): Pick<IndexingPool, 'run' | 'threads'> {
  const thread = new IndexingThread({
    selectDocuments: selectStored,
    releaseMemory: () => undefined,
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
