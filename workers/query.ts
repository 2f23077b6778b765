/** Thread entry of the query pool: reads one generation of one index, answers with JSON bytes. */
import { threadId, workerData } from 'node:worker_threads';
import type { PostedTask, QueryReply, QueryThreadData } from '../src/ipc/queries/query-protocol.ts';
import { StopFlags } from '../src/ipc/queries/stop-flags.ts';
import { ThreadMetrics } from '../src/observability/query-metrics.ts';
import { QueryWorker } from '../src/queries/query-worker.ts';

const { cache, slowSearchMs, metrics, stopFlags, answerBytesMax } = (
  Array.isArray(workerData) ? workerData.at(-1) : workerData
) as QueryThreadData;
const worker = new QueryWorker({
  cache,
  slowSearchMs,
  metrics: new ThreadMetrics(metrics, threadId),
  stopFlags: new StopFlags(stopFlags),
  answerBytesMax,
});

export default function answer(posted: PostedTask): QueryReply | null {
  return worker.answer(posted);
}
