/** The embedders that tasks ask for vectors of documents: no content is paid for twice. */
import { LruMap } from '../core/lru-map.ts';
import type { EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import { CachedEmbedder } from './cache/cached-embedder.ts';
import type { EmbeddingStore } from './cache/embedding-store.ts';
import type { DocumentEmbedder } from './embedder.ts';

/** One that is forgotten costs a request. */
const KNOWN_DIMENSIONS_MAX = 256;

export type DocumentEmbedders = (settings: EmbedderSettings) => DocumentEmbedder;

/** @param open asks nobody yet */
export function documentEmbedders(
  open: DocumentEmbedders,
  store: Pick<EmbeddingStore, 'getMany' | 'putMany'>,
): DocumentEmbedders {
  const dimensions = new LruMap<string, number>(KNOWN_DIMENSIONS_MAX);
  return (settings) => new CachedEmbedder(open(settings), store, dimensions);
}
