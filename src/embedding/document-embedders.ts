/** The embedders of indexing tasks: no content is embedded twice. */
import { LRUCache } from 'lru-cache';
import type { EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import { CachedEmbedder } from './cache/cached-embedder.ts';
import type { EmbeddingStore } from './cache/embedding-store.ts';
import type { DocumentEmbedder } from './embedder.ts';

/** Embedders whose dimensions are remembered; a forgotten one costs a request. */
const KNOWN_DIMENSIONS_MAX = 256;

export type DocumentEmbedders = (settings: EmbedderSettings) => DocumentEmbedder;

/** @param open sends no request yet */
export function documentEmbedders(
  open: DocumentEmbedders,
  store: Pick<EmbeddingStore, 'getMany' | 'putMany'>,
): DocumentEmbedders {
  const dimensions = new LRUCache<string, number>({ max: KNOWN_DIMENSIONS_MAX });
  return (settings) => new CachedEmbedder(open(settings), store, dimensions);
}
