/**
 * Thread entry of the query pool: reads one generation of one index and answers with finished JSON
 * bytes.
 */
import { threadId, workerData } from 'node:worker_threads';
import { takeUsualTurns } from '../src/host/prompt-threads.ts';
import { threadClock } from '../src/host/thread-clock.ts';
import { yieldToOtherThreads } from '../src/host/thread-priority.ts';
import type { QueryReply, QueryTask, QueryThreadData } from '../src/ipc/queries/query-protocol.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { QueryWorker } from './query-work.ts';

const { cacheBytes, slowSearchMs, figures, isAside } = (
  Array.isArray(workerData) ? workerData.at(-1) : workerData
) as QueryThreadData;
if (isAside) {
  takeUsualTurns();
  yieldToOtherThreads('longWork');
}
const worker = new QueryWorker({
  cacheBytes,
  slowSearchMs,
  figures: new ThreadFigures(figures, threadId),
  processorMs: threadClock(),
});

export default function answer(task: QueryTask): QueryReply {
  return worker.answer(task);
}
