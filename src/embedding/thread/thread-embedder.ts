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

  async embedDocuments(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<void> {
    const { onSkipped, isLastTry = false, cause } = options;
    const maySkip = onSkipped !== undefined;
    const task = { inputs, isLastTry, maySkip, ...(cause !== undefined && { cause }) };
    const skipped = await this.#ask<readonly SkippedInputs[]>('embed', task, options);
    for (const some of skipped) onSkipped?.(some);
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
