/** Indexing thread: the CPU work of the indexer, one export for each task of `src/indexing/indexing-tasks.ts`. */
import { workerData } from 'node:worker_threads';
import { IndexingThread } from '../src/indexing/indexing-thread.ts';
import type { IndexingThreadData } from '../src/ipc/indexing-pool.ts';
import { yieldToOtherThreads } from '../src/runtime/thread-priority.ts';
import { WARM_UP_INDEX } from '../src/runtime/warm-up-files.ts';
import { selectStored } from '../src/search/filter-evaluator.ts';
import { mapFile } from '../src/storage/file-mapping.ts';
import { releaseFreedMemory } from '../src/storage/freed-memory.ts';
import { FsDirectory } from '../src/storage/fs-directory.ts';
import { MemoryDirectory } from '../src/storage/memory-directory.ts';

const { isBackground } = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as IndexingThreadData;
if (isBackground) yieldToOtherThreads();

/** Files that the warm-up writes. */
const library = new MemoryDirectory();
const thread = new IndexingThread({
  selectDocuments: selectStored,
  openDirectory: (folder) => (folder === WARM_UP_INDEX.directory ? library : new FsDirectory(folder)),
  openPayload: mapFile,
  releaseMemory: releaseFreedMemory,
});

export const readAllocated = thread.readAllocated.bind(thread);
export const parse = thread.parse.bind(thread);
export const resolve = thread.resolve.bind(thread);
export const write = thread.write.bind(thread);
export const indexWords = thread.indexWords.bind(thread);
export const storeDocuments = thread.storeDocuments.bind(thread);
export const joinSegment = thread.joinSegment.bind(thread);
export const applyDocuments = thread.applyDocuments.bind(thread);
export const editDocuments = thread.editDocuments.bind(thread);
export const addColumns = thread.addColumns.bind(thread);
export const rebuild = thread.rebuild.bind(thread);
export const merge = thread.merge.bind(thread);
