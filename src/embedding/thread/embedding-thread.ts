/**
 * The embedding thread: sends provider requests and parses the responses, which may be large, so
 * that no other thread is blocked. It reports vectors as they arrive; the caller acknowledges
 * stored ones, which are never requested again.
 */
import type { MessagePort } from 'node:worker_threads';
import {
  type Embedder,
  EmbeddingError,
  type EmbedOptions,
  type SkippedInputs,
} from '../embedder.ts';
import type { LocalModels } from '../local/local-models.ts';
import { type EmbedderEnvironment, openEmbedder } from '../open-embedder.ts';
import type {
  DimensionsTask,
  EmbedQueryTask,
  EmbedTask,
  FromThread,
  ScoreTask,
  ThreadAnswer,
  ToThread,
} from './embedding-messages.ts';

export class EmbeddingThread {
  readonly #environment: EmbedderEnvironment;
  readonly #models: Pick<LocalModels, 'get'>;

  constructor(environment: EmbedderEnvironment, models: Pick<LocalModels, 'get'>) {
    this.#environment = environment;
    this.#models = models;
  }

  /** The vectors go through the port. */
  embed({
    inputs,
    maySkip,
    isLastTry,
    cause,
    ...task
  }: EmbedTask): Promise<ThreadAnswer<readonly SkippedInputs[]>> {
    return this.#answer(task, async (embedder, options) => {
      const skipped: SkippedInputs[] = [];
      const onSkipped = (some: SkippedInputs) => void skipped.push(some);
      await embedder.embedDocuments(inputs, {
        ...options,
        isLastTry,
        ...(cause !== undefined && { cause }),
        ...(maySkip && { onSkipped }),
      });
      return skipped;
    });
  }

  dimensions({ isLastTry, ...task }: DimensionsTask): Promise<ThreadAnswer<number>> {
    return this.#answer(task, (embedder, { signal }) => embedder.dimensions(signal, isLastTry));
  }

  query({ query, ...task }: EmbedQueryTask): Promise<ThreadAnswer<Float32Array>> {
    return this.#answer(task, (embedder, { signal }) => embedder.embedQuery(query, signal));
  }

  score({ settings, query, texts, port }: ScoreTask): Promise<ThreadAnswer<Float64Array>> {
    return answerOver(port, async ({ signal }) => {
      const model = await this.#models.get(settings);
      return model.score(query, texts, signal);
    });
  }

  #answer<Value>(
    { settings, port }: Pick<DimensionsTask, 'settings' | 'port'>,
    work: (embedder: Embedder, options: EmbedOptions) => Promise<Value>,
  ): Promise<ThreadAnswer<Value>> {
    return answerOver(port, async (options) =>
      work(openEmbedder(settings, this.#environment), options),
    );
  }
}

async function answerOver<Value>(
  port: MessagePort,
  work: (options: EmbedOptions) => Promise<Value>,
): Promise<ThreadAnswer<Value>> {
  try {
    return { value: await work(optionsOver(port)) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      error: { message, inputAt: error instanceof EmbeddingError ? error.inputAt : null },
    };
  } finally {
    port.close();
  }
}

function optionsOver(port: MessagePort): EmbedOptions {
  const stopping = new AbortController();
  const waiting = new Map<number, () => void>();
  let sent = 0;
  let isClosed = false;
  const stop = (): void => stopping.abort(new EmbeddingError('no more vectors are needed'));
  port.on('message', (said: ToThread) => {
    if (said.kind === 'stop') return stop();
    waiting.get(said.message)?.();
    waiting.delete(said.message);
  });
  port.on('close', () => {
    isClosed = true;
    stop();
    for (const resolve of waiting.values()) resolve();
  });
  const send = (said: FromThread, values?: Float32Array): void =>
    port.postMessage(said, values === undefined ? [] : [values.buffer as ArrayBuffer]);
  return {
    signal: stopping.signal,
    onRequest: (error) => send({ kind: 'request', error }),
    onEmbedded: ({ at, vectors }) => {
      if (isClosed) return;
      const values = concat(vectors);
      const message = sent++;
      const taken = new Promise<void>((resolve) => waiting.set(message, resolve));
      send({ kind: 'embedded', message, at, values }, values);
      return taken;
    },
  };
}

function concat(vectors: readonly Float32Array[]): Float32Array {
  const [{ length: dimensions } = { length: 0 }] = vectors;
  const values = new Float32Array(vectors.length * dimensions);
  for (const [at, vector] of vectors.entries()) values.set(vector, at * dimensions);
  return values;
}
