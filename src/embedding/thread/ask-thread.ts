/** Sends a task to the embedding thread and waits for its answer. */
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { type EmbeddedInputs, EmbeddingError, type EmbedOptions } from '../embedder.ts';
import type { FromThread, ThreadAnswer, ToThread } from './embedding-messages.ts';

export type ThreadTaskName = 'embed' | 'dimensions' | 'query' | 'score';

interface ThreadTask {
  readonly settings: EmbedderSettings;
  readonly port: MessagePort;
}

/** Runs an export of the thread's entry. Rejects when the thread dies. */
export type RunInThread = (
  name: ThreadTaskName,
  task: ThreadTask,
  transfer: readonly TransferListItem[],
) => Promise<unknown>;

/** Rejects with `EmbeddingError`, or with the reason of the signal. */
export async function askThread<Value>(
  run: RunInThread,
  name: ThreadTaskName,
  task: Omit<ThreadTask, 'port'> & Readonly<Record<string, unknown>>,
  options: EmbedOptions,
): Promise<Value> {
  const { signal } = options;
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const stop = (): void => port1.postMessage({ kind: 'stop' } satisfies ToThread);
  signal.addEventListener('abort', stop, { once: true });
  const failure = listen(port1, options, stop);
  try {
    const answer = (await run(name, { ...task, port: port2 }, [port2])) as ThreadAnswer<Value>;
    signal.throwIfAborted();
    if (failure.error !== null) throw failure.error;
    if ('error' in answer) throw new EmbeddingError(answer.error.message, answer.error.inputAt);
    return answer.value;
  } finally {
    signal.removeEventListener('abort', stop);
    port1.close();
  }
}

/** An error in the caller ends the work in the thread. */
function listen(
  port: MessagePort,
  { onEmbedded, onRequest }: EmbedOptions,
  stop: () => void,
): { error: unknown } {
  const failure: { error: unknown } = { error: null };
  port.on('message', async (said: FromThread) => {
    try {
      if (said.kind === 'request') onRequest?.(said.error);
      else await onEmbedded?.(vectorsIn(said));
    } catch (error) {
      failure.error ??= error;
      stop();
    }
    if (said.kind === 'embedded')
      port.postMessage({ kind: 'taken', message: said.message } satisfies ToThread);
  });
  return failure;
}

function vectorsIn({ at, values }: Extract<FromThread, { kind: 'embedded' }>): EmbeddedInputs {
  const dimensions = at.length === 0 ? 0 : values.length / at.length;
  return { at, vectors: at.map((_, n) => values.subarray(n * dimensions, (n + 1) * dimensions)) };
}
