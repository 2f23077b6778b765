/** Indexing thread: runs the CPU work of the indexer, the tasks of `src/indexing/indexing-tasks.ts`. */
import { workerData } from 'node:worker_threads';
import { Deadline } from '../src/core/deadline.ts';
import type { IndexingTaskName } from '../src/indexing/indexing-tasks.ts';
import { IndexingThread } from '../src/indexing/indexing-thread.ts';
import { IdleAction } from '../src/ipc/threads/idle-action.ts';
import type { IndexingThreadData, NamedTask } from '../src/ipc/threads/indexing-pool.ts';
import { withOutcome } from '../src/ipc/threads/thread-outcome.ts';
import { collectAndTrim } from '../src/os/malloc-trim.ts';
import { yieldToOtherThreads } from '../src/os/thread-priority.ts';
import { selectStored } from '../src/search/filter/filter-evaluator.ts';
import { mapFile } from '../src/storage/files/file-mapping.ts';
import { openFolder } from '../src/storage/files/fs-directory.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';

const { isBackground } = workerData as IndexingThreadData;
if (isBackground) yieldToOtherThreads();

const thread = new IndexingThread({
  selectDocuments: (source, filter) =>
    selectStored(
      source,
      filter,
      Deadline.after(0, () => performance.now()),
    ),
  openDirectory: openFolder,
  openPayload: mapFile,
  releaseMemory: collectAndTrim,
});

/** Opening the files of an index again takes milliseconds. */
const IDLE_MS = 10_000;
const idle = new IdleAction(IDLE_MS, () => thread.closeSegments());

const run = ({ name, task }: NamedTask<IndexingTaskName, never>): Promise<unknown> =>
  thread[name](task);

export default withOutcome(idle.watched(run), toStorageError);
