/**
 * Request headers that become part of an enqueued task: the trace, and `TaskId` and `DryRun`, which the
 * launch option `--experimental-replication-parameters` allows. With them several instances give the
 * same uid to the same task.
 */
import { ApiError } from '../../core/errors.ts';
import type { TraceSpan } from '../../core/trace-span.ts';
import { type EnqueueParameters, TASK_UID_MAX } from '../../model/task.ts';
import type { ApiContext, Indexer } from './context.ts';
import type { RouteHeaders } from './route.ts';

function taskUidOf(text: string): number {
  const uid = Number(text);
  if (/^\d{1,10}$/.test(text) && uid <= TASK_UID_MAX) return uid;
  throw new ApiError(
    'bad_request',
    `The header \`TaskId\` is \`${text.slice(0, 40)}\`, expected an integer from 0 to ${TASK_UID_MAX}.`,
  );
}

function isDryRun(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ApiError(
    'bad_request',
    `The header \`DryRun\` is \`${text.slice(0, 40)}\`, expected \`true\` or \`false\`.`,
  );
}

/** The context whose indexer enqueues tasks with the parameters of the headers. */
export function withEnqueueParameters(
  context: ApiContext,
  { taskId, dryRun }: Pick<RouteHeaders, 'taskId' | 'dryRun'>,
  span?: TraceSpan,
): ApiContext {
  const isReplicating = context.config.replicationParameters && (taskId !== '' || dryRun !== '');
  if (!isReplicating && span === undefined) return context;
  const parameters: EnqueueParameters = {
    ...(isReplicating && taskId !== '' && { taskUid: taskUidOf(taskId) }),
    ...(isReplicating && dryRun !== '' && { isDryRun: isDryRun(dryRun) }),
    ...(span && { traceparent: span.traceparent }),
  };
  const { indexer } = context;
  const replicating: Indexer = {
    get isInitialised() {
      return indexer.isInitialised;
    },
    request: (name, argument, options) =>
      indexer.request(
        name,
        name === 'enqueue'
          ? ({ ...(argument as object), ...parameters } as typeof argument)
          : argument,
        options,
      ),
  };
  // The getters of the context read the newest state.
  return Object.create(context, { indexer: { value: replicating } }) as ApiContext;
}
