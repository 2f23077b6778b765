/** An embedder whose model runs in this process. */
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { type Embedder, EmbeddingError } from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { queryContent, sampleInputs } from '../templates/embedded-content.ts';
import type { LocalModels } from './local-models.ts';

export function localEmbedder(
  settings: EmbedderSettings,
  models: Pick<LocalModels, 'get'>,
): Embedder {
  /** A model failure affects every input, so no input is to blame. */
  const embedDocuments: Embedder['embedDocuments'] = async (
    inputs,
    { signal, onEmbedded, onSkipped },
  ) => {
    const vectors: Float32Array[] = inputs.map(() => new Float32Array());
    try {
      const model = await models.get(settings);
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
  };
  return {
    fingerprint: fingerprintOf(settings),
    embedDocuments,
    async dimensions(signal) {
      const [vector] = await embedDocuments(sampleInputs(settings), { signal });
      return vector?.length ?? 0;
    },
    async embedQuery(query, signal) {
      const [vector] = await embedDocuments([queryContent(settings)(query)], { signal });
      if (vector === undefined) throw new EmbeddingError('the model gave no vector');
      return vector;
    },
  };
}
