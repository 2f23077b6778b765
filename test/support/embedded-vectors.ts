/** The vectors that an embedder reports, in the order of the inputs; empty for skipped ones. */
import type { DocumentEmbedder, EmbedOptions } from '../../src/embedding/embedder.ts';

export async function vectorsOf(
  embedder: Pick<DocumentEmbedder, 'embedDocuments'>,
  inputs: readonly unknown[],
  options: EmbedOptions,
): Promise<readonly Float32Array[]> {
  const vectors = inputs.map(() => new Float32Array());
  await embedder.embedDocuments(inputs, {
    ...options,
    onEmbedded: async (embedded) => {
      for (const [n, at] of embedded.at.entries())
        vectors[at] = new Float32Array(embedded.vectors[n] ?? []);
      await options.onEmbedded?.(embedded);
    },
  });
  return vectors;
}
