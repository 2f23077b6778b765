/** An embedder whose model runs in this process. */
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingInput,
  type EmbedOptions,
  type QueryInput,
} from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { queryContent, sampleInputs } from '../templates/embedded-content.ts';
import type { LocalModels } from './local-models.ts';

export class LocalEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly #settings: EmbedderSettings;
  readonly #models: Pick<LocalModels, 'get'>;

  constructor(settings: EmbedderSettings, models: Pick<LocalModels, 'get'>) {
    this.fingerprint = fingerprintOf(settings);
    this.#settings = settings;
    this.#models = models;
  }

  async dimensions(signal: AbortSignal): Promise<number> {
    const [vector] = await this.embedDocuments(sampleInputs(this.#settings), { signal });
    return vector?.length ?? 0;
  }

  /** A model failure affects every input, so no input is to blame. */
  async embedDocuments(
    inputs: readonly EmbeddingInput[],
    { signal, onEmbedded, onSkipped }: EmbedOptions,
  ): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = inputs.map(() => new Float32Array());
    try {
      const model = await this.#models.get(this.#settings);
      await model.embed(inputs.map(String), signal, async (at, embedded) => {
        for (const [n, place] of at.entries()) vectors[place] = embedded[n] as Float32Array;
        await onEmbedded?.({ at, vectors: embedded });
      });
    } catch (error) {
      if (!(error instanceof EmbeddingError) || onSkipped === undefined) throw error;
      const at = [...vectors.keys()].filter((place) => vectors[place]?.length === 0);
      onSkipped({ at, reason: error.message });
    }
    return vectors;
  }

  async embedQuery(query: QueryInput, signal: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.embedDocuments([queryContent(this.#settings)(query)], { signal });
    if (vector === undefined) throw new EmbeddingError('the model gave no vector');
    return vector;
  }
}
