/** The embedders that tasks ask for vectors of documents: no content is paid for twice. */
import type { EmbedderSettings } from '../model/embedder-settings.ts';
import { CachedEmbedder } from './cache/cached-embedder.ts';
import type { EmbeddingStore } from './cache/embedding-store.ts';
import type { DocumentEmbedder } from './embedder.ts';

export type DocumentEmbedders = (settings: EmbedderSettings) => DocumentEmbedder;

/** @param open asks nobody yet */
export const documentEmbedders =
  (open: DocumentEmbedders, store: Pick<EmbeddingStore, 'getMany' | 'putMany'>) =>
  (settings: EmbedderSettings): DocumentEmbedder =>
    new CachedEmbedder(open(settings), store);
