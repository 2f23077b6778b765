/**
 * Documents that the server embeds, with a provider on a real socket: found by meaning, counted,
 * and paid for once, whatever becomes of the processes meanwhile.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { madeModelVector, writeModel } from '../support/made-model.ts';
import { type MadeProvider, madeQuota, makeProvider } from '../support/made-provider.ts';
import { amount } from '../support/run-length.ts';
import {
  emptiedServer,
  LOCAL_TARGETS,
  SHARED_MODELS,
  type SharedServer,
} from '../support/shared-server.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

let shared: SharedServer;
const providers: MadeProvider[] = [];

beforeAll(async () => {
  shared = await emptiedServer();
});
afterAll(async () => {
  await cleanUp();
  for (const provider of providers) provider.close();
});

const restEmbedder = ({ url }: MadeProvider) => ({
  source: 'rest' as const,
  url,
  request: { input: ['{{text}}', '{{..}}'] },
  response: { data: [{ embedding: '{{embedding}}' }, '{{..}}'] },
  documentTemplate: '{{doc.title}}',
});

test('documents are embedded, found by meaning, and counted', async () => {
  const provider = await makeProvider();
  providers.push(provider);
  const { client } = shared;
  const index = client.index('films');
  await index.updateSettings({ embedders: { e: restEmbedder(provider) } }).waitTask();
  const titles = ['a', 'bbbbbbbb', 'zzzzzzzzzzzzzzzz'];
  const added = await index.addDocuments(titles.map((title, id) => ({ id, title }))).waitTask();
  expect(added.error).toBeNull();
  const near = { hybrid: { embedder: 'e', semanticRatio: 1 }, q: 'bbbbbbbb' };
  expect((await index.search('bbbbbbbb', near)).hits[0]).toMatchObject({ id: 1 });
  expect((await index.getEmbedders())?.['e']).toMatchObject({ dimensions: 2 });
  expect(await index.getStats()).toMatchObject({
    numberOfEmbeddings: 3,
    numberOfEmbeddedDocuments: 3,
  });
  const batch = await client.batches.getBatch(added.batchUid as number);
  expect(batch.stats).toMatchObject({ embedderRequests: { total: 1, failed: 0 } });
});

test('reads of documents show user-provided vectors, also those to be made again', async () => {
  const index = shared.client.index('given');
  await index.updateSettings({ embedders: { own: { source: 'userProvided', dimensions: 2 } } });
  const own = (id: number, vector: unknown) => ({ id, _vectors: { own: vector } });
  await index
    .addDocuments([
      own(1, [1, 0]),
      own(2, { embeddings: [0, 1], regenerate: true }),
      own(3, { embeddings: [[1, 1]], regenerate: false }),
      own(4, null),
    ])
    .waitTask();
  const shown = (embeddings: number[][], regenerate: boolean) => ({
    own: { embeddings, regenerate },
  });
  const all = [
    shown([[1, 0]], false),
    shown([[0, 1]], true),
    shown([[1, 1]], false),
    { own: { embeddings: [], regenerate: false } },
  ];
  const path = '/indexes/given/documents';
  const sorted = (json: unknown) =>
    (json as { results: { id: number; _vectors: unknown }[] }).results
      .toSorted((a, b) => a.id - b.id)
      .map(({ _vectors }) => _vectors);
  const byGet = await shared.call('GET', `${path}?retrieveVectors=true&fields=id`);
  expect(sorted(byGet.json)).toEqual(all);
  const body = sendJson({ retrieveVectors: true, fields: ['id'] });
  expect(sorted((await shared.call('POST', `${path}/fetch`, body)).json)).toEqual(all);
  expect((await shared.call('GET', `${path}/2?retrieveVectors=true`)).json).toMatchObject({
    _vectors: all[1],
  });
  const { results } = await index.getDocuments();
  expect(results.every((document) => !('_vectors' in document))).toBe(true);
});

test('documents and searches may have embedders of their own, and pictures be embedded', async () => {
  const [documents, searches] = [await makeProvider(), await makeProvider()];
  providers.push(documents, searches);
  const { client } = shared;
  await client.updateExperimentalFeatures({ compositeEmbedders: true, multimodal: true });
  const index = client.index('composed');
  const { documentTemplate: _, ...searchEmbedder } = restEmbedder(searches);
  const embedders = {
    both: { source: 'composite', indexingEmbedder: restEmbedder(documents), searchEmbedder },
    seen: {
      ...searchEmbedder,
      url: documents.url,
      request: { input: ['{{fragment}}', '{{..}}'] },
      indexingFragments: { poster: { value: '{{doc.poster}}' }, title: { value: '{{doc.title}}' } },
      searchFragments: { words: { value: '{{q}}' }, poster: { value: '{{media.poster.data}}' } },
    },
  };
  const declared = await index.updateSettings({ embedders: embedders as never }).waitTask();
  expect(declared.error).toBeNull();
  const films = [
    { id: 1, title: 'a', poster: 'pppppppppppp' },
    { id: 2, title: 'zzzzzzzzzzzzzzzzzzz' },
  ];
  expect((await index.addDocuments(films).waitTask()).error).toBeNull();
  expect(await index.getStats()).toMatchObject({ numberOfEmbeddings: 5 });
  const filter = '_vectors.seen.fragments.poster EXISTS';
  expect((await index.getDocuments({ filter })).results).toMatchObject([{ id: 1 }]);
  const both = { embedder: 'both', semanticRatio: 1 };
  expect((await index.search('a', { hybrid: both })).hits[0]).toMatchObject({ id: 1 });
  expect(searches.requests).toEqual([['test'], ['a']]);
  const seen = { embedder: 'seen', semanticRatio: 1 };
  const media = { poster: { data: 'pppppppppppp' } };
  expect((await index.search(null, { hybrid: seen, media })).hits[0]).toMatchObject({ id: 1 });
  const twice = index.search('a', { hybrid: seen, media });
  await expect(twice).rejects.toMatchObject({ cause: { code: 'vector_embedding_error' } });
  await client.updateExperimentalFeatures({ compositeEmbedders: false, multimodal: false });
});

test('a local model embeds documents and searches, and is found where it is put', async () => {
  const { client } = shared;
  const index = client.index('local');
  const embedders = {
    e: { source: 'huggingFace', model: 'made/model', documentTemplate: '{{doc.title}}' } as const,
  };
  const missing = await index.updateSettings({ embedders }).waitTask();
  expect(missing.error).toMatchObject({ code: 'vector_embedding_error' });
  writeModel(join(SHARED_MODELS, 'made/model'));
  const pooling = 'forceMean' as const;
  const declared = await index
    .updateSettings({ embedders: { e: { ...embedders.e, pooling } } })
    .waitTask();
  expect(declared.error).toBeNull();
  expect((await index.getEmbedders())?.['e']).not.toHaveProperty('dimensions');
  const titles = ['the quiet sea', 'ship storm', 'the'];
  const added = await index.addDocuments(titles.map((title, id) => ({ id, title }))).waitTask();
  expect(added.error).toBeNull();
  const found = await index.search('storm ship', {
    hybrid: { embedder: 'e', semanticRatio: 1 },
    retrieveVectors: true,
    showRankingScore: true,
  });
  expect(found.hits[0]).toMatchObject({ id: 1 });
  expect(found.hits[0]?._rankingScore).toBeCloseTo(1, 5);
  const near = madeModelVector('ship storm', 'mean').map((value) => expect.closeTo(value, 5));
  expect(found.hits[0]).toMatchObject({ _vectors: { e: { embeddings: [near] } } });
  const words = ['storm', 'ship', 'quiet', 'sea', 'storm sea', 'quiet ship'];
  const search = (q: string) => index.search(q, { hybrid: { embedder: 'e', semanticRatio: 1 } });
  for (const { hits } of await Promise.all(words.map(search))) expect(hits).toHaveLength(3);
  const loaded = await until('the line of the loaded model', () =>
    shared.stderr.match(/front: the local model `made\/model` was loaded/g),
  );
  expect(loaded).toHaveLength(1);
});

test('nothing is paid for twice and no task fails while all processes are killed', async () => {
  const DOCUMENTS = amount(240, 600);
  const quota = madeQuota(8, 100, () => performance.now());
  let isPaused = false;
  const provider = await makeProvider((_, at) => {
    if (at % 20 === 7) return { status: 500 };
    if (!isPaused && quota() === null) return undefined;
    return { status: 429, ...(at % 8 === 0 && { headers: { 'retry-after': '1' } }) };
  });
  providers.push(provider);
  const options = { dbPath: freshFolder(), flags: LOCAL_TARGETS };
  let server = await TestServer.start(options);
  const films = () => server.client.index('films');
  await films()
    .updateSettings({ embedders: { e: restEmbedder(provider) } })
    .waitTask();
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `title ${id}` }));
  const task = await films().addDocuments(documents);
  const paidCount = () => provider.paid.size - 1; // dimensions were asked for with a text, too
  /** How many documents the batch under way has the vectors of. */
  const embedded = async (): Promise<number> => {
    const [batch] = (await server.client.batches.getBatches({ limit: 1 })).results;
    return batch?.progress?.steps[1]?.finished ?? 0;
  };
  for (const share of [0.5, 0.8].slice(0, amount(1, 2))) {
    const isPaid = () => (paidCount() >= DOCUMENTS * share ? true : null);
    await until(`${share} of the texts are paid for`, isPaid);
    isPaused = true;
    const hasAll = async () => ((await embedded()) === paidCount() ? true : null);
    await until('all that is paid for has arrived', hasAll);
    await server.killAll();
    isPaused = false;
    server = await TestServer.start(options);
  }
  const done = await server.client.tasks.waitForTask(task.taskUid);
  expect(done.error).toBeNull();
  expect(await films().getStats()).toMatchObject({ numberOfEmbeddings: DOCUMENTS });
  expect([...provider.paid].filter(([, count]) => count > 1)).toEqual([]);
});
