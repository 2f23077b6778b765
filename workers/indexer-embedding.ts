/** Embedding of documents in the indexer: embedding threads and the cache of embeddings. */
import type { Config } from '../config/load.ts';
import {
  type DocumentEmbedders,
  documentEmbedders,
} from '../src/embedding/cache/cached-embedder.ts';
import { EmbeddingStore } from '../src/embedding/cache/embedding-store.ts';
import type { EmbeddingFailureRules } from '../src/indexing/embedding-step.ts';
import type { Logger } from '../src/observability/logger.ts';
import { dataFolderAt } from '../src/storage/data-folder/data-folder.ts';
import { RocksDbStore } from '../src/storage/database/rocksdb-store.ts';
import { EMBEDDING_VALUES } from '../src/storage/database/value-formats.ts';
import { type EmbeddingThreads, embeddingThreads } from './embedding-threads.ts';

/** Prefix of the cache's keys; no other code writes to this database. */
const PREFIX = 'v/';

interface OpenStore {
  readonly database: RocksDbStore;
  readonly vectors: EmbeddingStore;
}

export interface IndexerEmbedding {
  readonly embedderOf: DocumentEmbedders;
  readonly scorePairs: EmbeddingThreads['scorePairs'];
  close(): Promise<void>;
}

/** Configured handling of documents that get no vectors. */
export const embeddingFailureRules = (
  { embedderFailureModes: modes }: Pick<Config, 'embedderFailureModes'>,
  log: Pick<Logger, 'warn'>,
): EmbeddingFailureRules => ({
  ignoresTemplates: modes.includes('ignore_document_template_failures'),
  ignoresEmbedders: modes.includes('ignore_embedder_failures'),
  onIgnored: (message) => log.warn(message),
});

/** Thread and cache start with the first document to embed. @param folder of the cache */
export function indexerEmbedding(
  config: Config,
  log: Pick<Logger, 'info'>,
  folder = dataFolderAt(config.dbPath).embeddings,
): IndexerEmbedding {
  const threads = embeddingThreads(config, log);
  let opening: Promise<OpenStore> | null = null;
  let closing: Promise<void> | null = null;
  const open = async (): Promise<OpenStore> => {
    const database = await RocksDbStore.open(folder, {
      values: EMBEDDING_VALUES,
    });
    const vectors = await EmbeddingStore.open(database, PREFIX, config.embeddingStoreSize);
    return { database, vectors };
  };
  const store = async (): Promise<EmbeddingStore> => {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return (await opening).vectors;
  };
  const close = async (): Promise<void> => {
    await threads.close();
    const opened = await opening?.catch(() => null);
    await opened?.database.close();
  };
  return {
    embedderOf: documentEmbedders(threads.embedderOf, {
      getMany: async (keys) => (await store()).getMany(keys),
      putMany: async (vectors) => (await store()).putMany(vectors),
    }),
    scorePairs: threads.scorePairs,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
