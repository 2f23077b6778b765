/**
 * Indexing thread: runs the CPU work of the indexer, one export for each task of
 * `src/indexing/indexing-tasks.ts`.
 */
import { workerData } from 'node:worker_threads';
import { IndexingThread } from '../src/indexing/indexing-thread.ts';
import { IdleAction } from '../src/ipc/threads/idle-action.ts';
import type { IndexingThreadData } from '../src/ipc/threads/indexing-pool.ts';
import { withOutcome } from '../src/ipc/threads/thread-outcome.ts';
import { collectAndTrim } from '../src/os/malloc-trim.ts';
import { yieldToOtherThreads } from '../src/os/thread-priority.ts';
import { selectStored } from '../src/search/filter/filter-evaluator.ts';
import { mapFile } from '../src/storage/files/file-mapping.ts';
import { openFolder } from '../src/storage/files/fs-directory.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';

const { isBackground } = (
  Array.isArray(workerData) ? workerData.at(-1) : workerData
) as IndexingThreadData;
if (isBackground) yieldToOtherThreads();

const thread = new IndexingThread({
  selectDocuments: selectStored,
  openDirectory: openFolder,
  openPayload: mapFile,
  releaseMemory: collectAndTrim,
});

/** Opening the files of an index again takes milliseconds. */
const IDLE_MS = 10_000;
const idle = new IdleAction(IDLE_MS, () => thread.closeSegments());

const withErrors = <Task, Value>(work: (task: Task) => Promise<Value>) =>
  withOutcome(idle.watched(work), toStorageError);

export const check = withErrors(thread.check.bind(thread));
export const parse = withErrors(thread.parse.bind(thread));
export const resolve = withErrors(thread.resolve.bind(thread));
export const readOut = withErrors(thread.readOut.bind(thread));
export const edit = withErrors(thread.edit.bind(thread));
export const build = withErrors(thread.build.bind(thread));
export const render = withErrors(thread.render.bind(thread));
export const renderStored = withErrors(thread.renderStored.bind(thread));
export const buildStored = withErrors(thread.buildStored.bind(thread));
export const normalizeWords = withErrors(thread.normalizeWords.bind(thread));
export const joinVectors = withErrors(thread.joinVectors.bind(thread));
export const buildLane = withErrors(thread.buildLane.bind(thread));
export const joinFiles = withErrors(thread.joinFiles.bind(thread));
export const applyDocuments = withErrors(thread.applyDocuments.bind(thread));
export const refit = withErrors(thread.refit.bind(thread));
export const merge = withErrors(thread.merge.bind(thread));
