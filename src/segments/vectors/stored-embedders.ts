/** The embedder settings that determine vector files. */
import { vectorSpace } from '../../engine/vectors/vector-space.ts';
import type { VectorSpace } from '../../engine/vectors/vectors.ts';
import { knownDimensions, makesVectors } from '../../model/embedders/embedder-dimensions.ts';
import type { Settings } from '../../model/settings.ts';
import type { NamedEmbedder } from '../contract/document-entries.ts';

export interface StoredEmbedder extends NamedEmbedder {
  readonly space: VectorSpace;
  /** True if documents bring the vectors. */
  readonly isUserProvided: boolean;
}

/** Embedders with known dimensions, by name. */
export const storedEmbedders = ({ embedders }: Pick<Settings, 'embedders'>): StoredEmbedder[] =>
  Object.entries(embedders)
    .flatMap(([name, declared]): StoredEmbedder[] => {
      const dimensions = knownDimensions(declared);
      if (dimensions === null) return [];
      const { binaryQuantized = false } = declared;
      const space = vectorSpace({ dimensions, metric: 'cosine', binaryQuantized });
      return [{ name, dimensions, space, isUserProvided: !makesVectors(declared) }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * Embedders whose vectors came with documents, and must be written back into the documents under
 * the new settings.
 */
export const writtenBackEmbedders = (before: Settings, after: Settings): string[] =>
  Object.entries(before.embedders).flatMap(([name, embedder]) => {
    const next = after.embedders[name];
    return makesVectors(embedder) || (next !== undefined && !makesVectors(next)) ? [] : [name];
  });
