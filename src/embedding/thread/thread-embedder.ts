/** An embedder whose work runs in the embedding thread. */
import { MessageChannel, type MessagePort, type TransferListItem } from 'node:worker_threads';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingInput,
  type EmbedOptions,
  type QueryInput,
  type SkippedInputs,
} from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { FromThread, ThreadAnswer, ToThread } from './embedding-messages.ts';

export type ThreadTaskName = 'embed' | 'dimensions' | 'query';

/** Fields of every task. */
export interface ThreadTask {
  readonly settings: EmbedderSettings;
  /** Transferred with the task. */
  readonly port: MessagePort;
}

/** Runs an export of the thread's entry. Rejects when the thread dies. */
export type RunInThread = (
  name: ThreadTaskName,
  task: ThreadTask,
  transfer: readonly TransferListItem[],
) => Promise<unknown>;

export class ThreadEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly #settings: EmbedderSettings;
  readonly #run: RunInThread;

  constructor(settings: EmbedderSettings, run: RunInThread) {
    this.fingerprint = fingerprintOf(settings);
    this.#settings = settings;
    this.#run = run;
  }

  dimensions(signal: AbortSignal, isLastTry = false): Promise<number> {
    return this.#ask('dimensions', { isLastTry }, { signal });
  }

  async embedDocuments(
    inputs: readonly EmbeddingInput[],
    options: EmbedOptions,
  ): Promise<readonly Float32Array[]> {
    const { onSkipped, isLastTry = false, cause } = options;
    const vectors: Float32Array[] = inputs.map(() => new Float32Array());
    const skipped = await this.#ask<readonly SkippedInputs[]>(
      'embed',
      {
        inputs,
        isLastTry,
        maySkip: onSkipped !== undefined,
        ...(cause !== undefined && { cause }),
      },
      {
        ...options,
        onEmbedded: async (embedded) => {
          for (const [n, at] of embedded.at.entries())
            vectors[at] = embedded.vectors[n] as Float32Array;
          await options.onEmbedded?.(embedded);
        },
      },
    );
    for (const some of skipped) onSkipped?.(some);
    return vectors;
  }

  embedQuery(query: QueryInput, signal: AbortSignal): Promise<Float32Array> {
    return this.#ask('query', { query }, { signal });
  }

  async #ask<Value>(name: ThreadTaskName, task: object, options: EmbedOptions): Promise<Value> {
    const { signal } = options;
    signal.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    const stop = (): void => port1.postMessage({ kind: 'stop' } satisfies ToThread);
    signal.addEventListener('abort', stop, { once: true });
    const failure = listen(port1, options, stop);
    try {
      const asked = { ...task, settings: this.#settings, port: port2 };
      const answer = (await this.#run(name, asked, [port2])) as ThreadAnswer<Value>;
      signal.throwIfAborted();
      if (failure.error !== null) throw failure.error;
      if ('error' in answer) throw new EmbeddingError(answer.error.message, answer.error.inputAt);
      return answer.value;
    } finally {
      signal.removeEventListener('abort', stop);
      port1.close();
    }
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
    if (said.kind === 'request') return onRequest?.(said.error);
    const { message, at, values } = said;
    const dimensions = at.length === 0 ? 0 : values.length / at.length;
    const vectors = at.map((_, n) => values.subarray(n * dimensions, (n + 1) * dimensions));
    try {
      await onEmbedded?.({ at, vectors });
    } catch (error) {
      failure.error ??= error;
      stop();
    }
    port.postMessage({ kind: 'taken', message } satisfies ToThread);
  });
  return failure;
}
