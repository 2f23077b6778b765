/** Thread entry of the query pool: reads one generation of one index, answers with JSON bytes. */
import { threadId, workerData } from 'node:worker_threads';
import type { QueryReply, QueryTask, QueryThreadData } from '../src/ipc/queries/query-protocol.ts';
import { ThreadFigures } from '../src/observability/query-figures.ts';
import { QueryWorker } from './query-work.ts';

const { cacheBytes, slowSearchMs, figures } = (
  Array.isArray(workerData) ? workerData.at(-1) : workerData
) as QueryThreadData;
const worker = new QueryWorker({
  cacheBytes,
  slowSearchMs,
  figures: new ThreadFigures(figures, threadId),
});

export default function answer(task: QueryTask): QueryReply {
  return worker.answer(task);
}
