/** A dump whose documents are to be embedded, while the provider of vectors does not answer. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentEmbedders } from '../../../src/embedding/cache/cached-embedder.ts';
import { EmbeddingStore } from '../../../src/embedding/cache/embedding-store.ts';
import { type DocumentEmbedder, EmbeddingError } from '../../../src/embedding/embedder.ts';
import { NewDataFolder } from '../../../src/storage/data-folder/new-data-folder.ts';
import { RocksDbStore } from '../../../src/storage/database/rocksdb-store.ts';
import { EMBEDDING_VALUES } from '../../../src/storage/database/value-formats.ts';
import { archiveOf, importedFolder } from '../../support/imported-folder.ts';
import { openHarness, temporaryFolder } from '../../support/indexer-harness.ts';
import { restSettings } from '../../support/made-embedder.ts';

const date = '2024-05-06T07:08:09Z';
const dumpWith = (dimensions: number | null) =>
  archiveOf({
    'metadata.json': { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: date },
    'indexes/films/metadata.json': {
      uid: 'films',
      primaryKey: 'id',
      createdAt: date,
      updatedAt: date,
    },
    'indexes/films/settings.json': {
      embedders: {
        mine: restSettings('http://127.0.0.1:1/embed', dimensions === null ? {} : { dimensions }),
      },
    },
    'indexes/films/documents.jsonl': [
      { id: 1, title: 'Carol' },
      { id: 2, title: 'Heat' },
    ],
    'tasks/queue.jsonl': [],
  });

const silence = () => Promise.reject(new EmbeddingError('The provider does not answer.'));
const embedderOf = (): DocumentEmbedder => ({
  fingerprint: 'silent',
  dimensions: silence,
  embedDocuments: silence,
});

async function documentsOf(dbPath: string): Promise<number> {
  const { service, manifest } = await openHarness({ dataDir: dbPath });
  const segments = manifest('films')?.segments ?? [];
  await service.drain();
  return segments.reduce((sum, { documentCount }) => sum + documentCount, 0);
}

test('the import ends with a message that names index, embedder and way out, and leaves nothing', async () => {
  const dbPath = join(temporaryFolder(), 'data.ms');
  const dump = await dumpWith(3);
  await expect(importedFolder(dump, dbPath, 'dump', { embedderOf })).rejects.toMatchObject({
    code: 'vector_embedding_error',
    message: expect.stringMatching(
      /index `films`: .*`mine`.*does not answer.*ignore_embedder_failures/s,
    ),
  });
  expect([dbPath, `${dbPath}.import`].map((path) => existsSync(path))).toEqual([false, false]);
  const answering: DocumentEmbedder = {
    ...embedderOf(),
    embedDocuments: async (inputs, { onEmbedded }) => {
      const vectors = inputs.map(() => new Float32Array([1, 2, 3]));
      onEmbedded?.({ at: inputs.map((_, i) => i), vectors });
    },
  };
  await importedFolder(dump, dbPath, 'dump', { embedderOf: () => answering });
  expect(await documentsOf(dbPath)).toBe(2);
});

test('without dimensions the documents are imported without vectors, which the log says', async () => {
  const { dbPath, logged } = await importedFolder(await dumpWith(null), undefined, 'dump', {
    embedderOf,
  });
  expect(logged.join('\n')).toMatch(/index `films` is not embedded: .*does not answer/);
  expect(await documentsOf(dbPath)).toBe(2);
});

test('what an import that fails has paid for is there for the next one, and in the folder it makes', async () => {
  const dbPath = join(temporaryFolder(), 'data.ms');
  const dump = await dumpWith(3);
  const paid: unknown[] = [];
  const causes: unknown[] = [];
  let isSilent = true;
  const oneByOne: DocumentEmbedder = {
    ...embedderOf(),
    embedDocuments: async (inputs, { onEmbedded, cause }) => {
      causes.push(cause);
      for (const [at, input] of inputs.entries()) {
        if (isSilent && at > 0) return silence();
        paid.push(input);
        await onEmbedded?.({ at: [at], vectors: [new Float32Array([1, 2, at])] });
      }
    },
  };
  const importing = async (): Promise<void> => {
    let database: Promise<RocksDbStore> | null = null;
    const store = async (): Promise<EmbeddingStore> => {
      const folder = NewDataFolder.embeddingsBeside(dbPath);
      database ??= RocksDbStore.open(folder, { values: EMBEDDING_VALUES });
      return EmbeddingStore.open(await database, 'v/', 1e6);
    };
    await importedFolder(dump, dbPath, 'dump', {
      embedderOf: documentEmbedders(() => oneByOne, {
        getMany: async (keys) => (await store()).getMany(keys),
        putMany: async (vectors) => (await store()).putMany(vectors),
      }),
      closeEmbeddings: async () => (await database)?.close(),
    });
  };
  await expect(importing()).rejects.toMatchObject({ code: 'vector_embedding_error' });
  expect(paid).toHaveLength(1);
  expect([existsSync(dbPath), readdirSync(`${dbPath}.import`).includes('data')]).toEqual([
    false,
    false,
  ]);
  isSilent = false;
  await importing();
  expect(new Set(paid).size).toBe(2);
  expect(paid).toHaveLength(2);
  // What makes providers that know an idempotency key answer the same request for nothing.
  const cause = `dump of null at ${date}, index films`;
  expect(causes).toEqual([cause, cause]);
  expect(existsSync(`${dbPath}.import`)).toBe(false);
  expect(existsSync(join(dbPath, 'embeddings-3'))).toBe(true);
  expect(await documentsOf(dbPath)).toBe(2);
});
