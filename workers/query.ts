/** Thread entry of the query pool: reads one generation of one index, answers with JSON bytes. */
import { type MessagePort, threadId, workerData } from 'node:worker_threads';
import type {
  PostedOutcome,
  PostedTask,
  QueryThreadData,
} from '../src/ipc/queries/query-protocol.ts';
import { StopFlags } from '../src/ipc/queries/stop-flags.ts';
import { ThreadMetrics } from '../src/observability/query-metrics.ts';
import { QueryWorker } from '../src/queries/query-worker.ts';

const { cache, slowSearchMs, metrics, stopFlags, answerBytesMax } = workerData as QueryThreadData;
const worker = new QueryWorker({
  cache,
  slowSearchMs,
  metrics: new ThreadMetrics(metrics, threadId),
  stopFlags: new StopFlags(stopFlags),
  answerBytesMax,
});

function outcomeOf(posted: PostedTask): PostedOutcome {
  const { stopSlot } = posted;
  try {
    return { stopSlot, reply: worker.answer(posted) };
  } catch (error) {
    return { stopSlot, error };
  }
}

/** The task of Piscina: answers what comes through the port until the thread ends. */
export default function serve(port: MessagePort): Promise<never> {
  port.on('message', (posted: PostedTask) => port.postMessage(outcomeOf(posted)));
  port.postMessage(null);
  return new Promise(() => undefined);
}
