/** An embedder, and a cross-encoder, whose work runs in an embedding thread. */
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { ScorePairs } from '../../model/score-pairs.ts';
import type {
  Embedder,
  EmbeddingInput,
  EmbedOptions,
  QueryInput,
  SkippedInputs,
} from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { askThread, type RunInThread, type ThreadTaskName } from './ask-thread.ts';

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

  #ask<Value>(name: ThreadTaskName, task: object, options: EmbedOptions): Promise<Value> {
    return askThread(this.#run, name, { ...task, settings: this.#settings }, options);
  }
}

/** Scores of texts for a query by a cross-encoder. */
export const threadPairScores =
  (run: RunInThread): ScorePairs =>
  ({ model = '', revision }, query, texts, signal) => {
    const settings: EmbedderSettings = {
      source: 'huggingFace',
      model,
      ...(revision !== undefined && { revision }),
    };
    return askThread(run, 'score', { settings, query, texts }, { signal });
  };
