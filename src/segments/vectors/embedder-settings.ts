/** What of an index's embedders decides the files of their vectors. */
import { vectorSpace } from '../../engine/vectors/vector-space.ts';
import type { VectorSpace } from '../../engine/vectors/vectors.ts';
import type { Settings } from '../../model/settings.ts';
import type { NamedEmbedder } from './document-entries.ts';

export interface StoredEmbedder extends NamedEmbedder {
  readonly space: VectorSpace;
  readonly isUserProvided: boolean;
}

interface Declared {
  readonly source?: string;
  readonly dimensions?: number | null;
  readonly binaryQuantized?: boolean | null;
}

/** An embedder as documents have to do with it. */
export interface DeclaredEmbedder {
  readonly name: string;
  readonly isUserProvided: boolean;
}

/** All of an index, by name. */
export const declaredEmbedders = ({ embedders }: Pick<Settings, 'embedders'>): DeclaredEmbedder[] =>
  Object.entries(embedders)
    .map(([name, declared]) => ({
      name,
      isUserProvided: (declared as Declared).source === 'userProvided',
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Those whose dimensions are known, by name. */
export const storedEmbedders = ({ embedders }: Pick<Settings, 'embedders'>): StoredEmbedder[] =>
  Object.entries(embedders)
    .flatMap(([name, declared]): StoredEmbedder[] => {
      const { source, dimensions, binaryQuantized } = declared as Declared;
      if (dimensions === undefined || dimensions === null) return [];
      const space = vectorSpace({
        dimensions,
        metric: 'cosine',
        binaryQuantized: binaryQuantized ?? false,
      });
      return [{ name, dimensions, space, isUserProvided: source === 'userProvided' }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
