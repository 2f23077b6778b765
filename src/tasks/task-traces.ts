/**
 * Spans of traced tasks: from the enqueueing to the end, with the wait and the batch. The traces of
 * tasks are in memory: those of tasks that a restart interrupts are not continued.
 */
import type { IndexerHandlers } from '../ipc/connection/indexer-server.ts';
import type { Traces } from '../observability/otlp.ts';
import type { TaskRow } from './store/task-table.ts';

/** Further tasks are not traced. */
const TASKS_MAX = 10_000;
const US_PER_MS = 1000;

export class TaskTraces {
  readonly #traces: Traces;
  /** By uid, in order of uid. */
  readonly #parents = new Map<number, string>();

  constructor(traces: Traces) {
    this.#traces = traces;
  }

  /** The handlers, of which `enqueue` also notes the traces of tasks. */
  noting<H extends Pick<IndexerHandlers, 'enqueue'>>(handlers: H): H {
    return {
      ...handlers,
      enqueue: async (draft) => {
        const task = await handlers.enqueue(draft);
        const { traceparent, isDryRun } = draft;
        if (traceparent !== undefined && isDryRun !== true && this.#parents.size < TASKS_MAX)
          this.#parents.set(task.taskUid, traceparent);
        return task;
      },
    };
  }

  ended(rows: readonly TaskRow[]): void {
    for (const { uid, type, indexUid, status, batchUid, ...times } of rows) {
      const parent = this.#parents.get(uid);
      if (parent === undefined) continue;
      this.#parents.delete(uid);
      const [began, started, ended] = [times.enqueuedAt, times.startedAt, times.finishedAt].map(
        (us) => (us ?? times.enqueuedAt) / US_PER_MS,
      ) as [number, number, number];
      const facts = {
        'gannet.task': uid,
        ...(indexUid !== null && { 'gannet.index': indexUid }),
        ...(batchUid !== null && { 'gannet.batch': batchUid, 'gannet.batch.tasks': rows.length }),
        'gannet.status': status,
      };
      const span = this.#traces.begin(`task ${type}`, parent, facts, began);
      const now = Date.now();
      span.add('queue', now - began, now - started);
      span.add('batch', now - started, now - ended);
      span.end({}, status === 'failed', ended);
    }
  }
}
