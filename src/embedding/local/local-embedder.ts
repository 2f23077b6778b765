/** An embedder whose model runs in this process. */
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { type Embedder, EmbeddingError, type EmbeddingInput } from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { queryContent, sampleInputs } from '../templates/embedded-content.ts';
import type { LocalModels } from './local-models.ts';

export function localEmbedder(
  settings: EmbedderSettings,
  models: Pick<LocalModels, 'get'>,
): Embedder {
  const vectorOf = async (input: EmbeddingInput, signal: AbortSignal): Promise<Float32Array> => {
    const made: Float32Array[] = [];
    const model = await models.get(settings);
    await model.embed([String(input)], signal, (_, vectors) => void made.push(...vectors));
    const [vector] = made;
    if (vector === undefined) throw new EmbeddingError('the model gave no vector');
    return vector;
  };
  return {
    fingerprint: fingerprintOf(settings),
    dimensions: async (signal) => (await vectorOf(sampleInputs(settings)[0], signal)).length,
    embedQuery: async (query, signal) => vectorOf(queryContent(settings)(query), signal),

    /** A model failure affects every input, so no input is to blame. */
    async embedDocuments(inputs, { signal, onEmbedded, onSkipped }) {
      const missing = new Set(inputs.keys());
      try {
        const model = await models.get(settings);
        await model.embed(inputs.map(String), signal, async (at, vectors) => {
          for (const place of at) missing.delete(place);
          await onEmbedded?.({ at, vectors });
        });
      } catch (error) {
        if (!(error instanceof EmbeddingError) || onSkipped === undefined) throw error;
        onSkipped({ at: [...missing], reason: error.message });
      }
    },
  };
}
