/**
 * Indexing thread: the CPU work of the indexer, one export for each task of
 * `src/indexing/indexing-tasks.ts`.
 */
import { workerData } from 'node:worker_threads';
import { IndexingThread } from '../src/indexing/indexing-thread.ts';
import type { IndexingThreadData } from '../src/ipc/indexing-pool.ts';
import { withOutcome } from '../src/ipc/thread-outcome.ts';
import { yieldToOtherThreads } from '../src/runtime/thread-priority.ts';
import { selectStored } from '../src/search/filter/filter-evaluator.ts';
import { mapFile } from '../src/storage/file-mapping.ts';
import { releaseFreedMemory } from '../src/storage/freed-memory.ts';
import { locationOpener } from '../src/storage/open-location.ts';

const { isBackground } = (
  Array.isArray(workerData) ? workerData.at(-1) : workerData
) as IndexingThreadData;
if (isBackground) yieldToOtherThreads();

const thread = new IndexingThread({
  selectDocuments: selectStored,
  openDirectory: locationOpener(),
  openPayload: mapFile,
  releaseMemory: releaseFreedMemory,
});

export const check = withOutcome(thread.check.bind(thread));
export const readAllocated = withOutcome(thread.readAllocated.bind(thread));
export const parse = withOutcome(thread.parse.bind(thread));
export const resolve = withOutcome(thread.resolve.bind(thread));
export const readOut = withOutcome(thread.readOut.bind(thread));
export const payloadLines = withOutcome(thread.payloadLines.bind(thread));
export const edit = withOutcome(thread.edit.bind(thread));
export const build = withOutcome(thread.build.bind(thread));
export const render = withOutcome(thread.render.bind(thread));
export const renderStored = withOutcome(thread.renderStored.bind(thread));
export const buildStored = withOutcome(thread.buildStored.bind(thread));
export const joinVectors = withOutcome(thread.joinVectors.bind(thread));
export const buildLane = withOutcome(thread.buildLane.bind(thread));
export const joinFiles = withOutcome(thread.joinFiles.bind(thread));
export const applyDocuments = withOutcome(thread.applyDocuments.bind(thread));
export const refit = withOutcome(thread.refit.bind(thread));
export const merge = withOutcome(thread.merge.bind(thread));
