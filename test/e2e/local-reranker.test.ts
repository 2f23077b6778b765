/** A reranker whose model runs in the server: declared, tried, and asked by searches. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { madeCrossEncoderFiles, madePairScore, writeModel } from '../support/made-model.ts';
import { emptiedServer, SHARED_MODELS, type SharedServer } from '../support/shared-server.ts';

const TITLES = ['sea quiet', 'sea storm', 'sea ship', 'sea the', 'sea sea'];
const headers = { 'content-type': 'application/json' };
let server: SharedServer;

beforeAll(async () => {
  writeModel(join(SHARED_MODELS, 'made/cross'), madeCrossEncoderFiles());
  writeModel(join(SHARED_MODELS, 'made/vectors'));
  server = await emptiedServer();
  const documents = TITLES.map((title, id) => ({ id, title }));
  const added = await server.client.index('films').addDocuments(documents).waitTask();
  expect(added.error).toBeNull();
});

async function declare(rerankers: object, uid = 'films') {
  const url = `/indexes/${uid}/settings/rerankers`;
  const { json } = await server.call('PATCH', url, { headers, body: JSON.stringify(rerankers) });
  return server.client.tasks.waitForTask((json as { taskUid: number }).taskUid);
}

const local = (more: object = {}) => ({
  source: 'huggingFace',
  model: 'made/cross',
  documentTemplate: '{{ doc.title }}',
  timeoutMs: 20_000,
  ...more,
});

async function search(q: string, reranker: string) {
  const body = JSON.stringify({ q, rerank: { reranker }, showRankingScore: true });
  const { json } = await server.call('POST', '/indexes/films/search', { headers, body });
  return json as {
    readonly hits: readonly { readonly title: string; readonly _rerankScore?: number }[];
    readonly rerankedHitCount: number;
    readonly rerankError?: { readonly message: string };
  };
}

test('hits stand in the order of the scores of the model', async () => {
  expect((await declare({ own: local() })).error).toBeNull();
  const { hits, rerankedHitCount, rerankError } = await search('sea', 'own');
  expect(rerankError).toBeUndefined();
  expect(rerankedHitCount).toBe(TITLES.length);
  const expected = TITLES.map((title) => [title, madePairScore('sea', title)] as const);
  expected.sort(([, a], [, b]) => b - a);
  expect(hits.map(({ title }) => title)).toEqual(expected.map(([title]) => title));
  for (const [n, [, score]] of expected.entries())
    expect(hits[n]?._rerankScore).toBeCloseTo(score, 5);
});

test('a model that cannot be used fails the task that declares it, in an empty index too', async () => {
  for (const uid of ['films', 'empty']) {
    const missing = await declare({ none: local({ model: 'made/none' }) }, uid);
    expect(missing.error).toMatchObject({
      code: 'invalid_settings_rerankers',
      message: expect.stringContaining('`rerankers.none.model` cannot be used: the folder'),
    });
    expect(JSON.stringify(missing)).not.toContain(SHARED_MODELS);
    const vectors = await declare({ none: local({ model: 'made/vectors' }) }, uid);
    expect(vectors.error?.message).toContain('a cross-encoder gives one');
  }
});

test('members of other sources, and names that are none, are refused', async () => {
  expect((await declare({ own: local() })).error).toBeNull();
  for (const [update, problem] of [
    [{ own: { model: '../made/cross' } }, 'rerankers.own.model` is not the name of a model'],
    [{ own: { revision: '../v2' } }, 'rerankers.own.revision` is not the name of a branch'],
    [{ own: { url: 'http://localhost' } }, 'does not go with the source `huggingFace`'],
    [{ other: { source: 'huggingFace' } }, 'rerankers.other.model` is missing'],
    [{ other: { source: 'cohere', revision: 'v2' } }, 'does not go with the source `cohere`'],
  ] as const)
    expect((await declare(update)).error?.message).toContain(problem);
});

test('a revision goes with its model', async () => {
  writeModel(join(SHARED_MODELS, 'made/cross@v2'), madeCrossEncoderFiles());
  writeModel(join(SHARED_MODELS, 'made/next'), madeCrossEncoderFiles());
  expect((await declare({ moved: local({ revision: 'v2' }) })).error).toBeNull();
  expect((await declare({ moved: { model: 'made/next' } })).error).toBeNull();
  const { json } = await server.call('GET', '/indexes/films/settings/rerankers');
  expect((json as { readonly moved: object }).moved).toMatchObject({ model: 'made/next' });
  expect((json as { readonly moved: object }).moved).not.toHaveProperty('revision');
});

test('a model whose files have gone leaves the order, and the answer says why', async () => {
  const folder = join(SHARED_MODELS, 'made/gone');
  writeModel(folder, madeCrossEncoderFiles());
  expect((await declare({ gone: local({ model: 'made/gone' }) })).error).toBeNull();
  rmSync(folder, { recursive: true });
  const { hits, rerankedHitCount, rerankError } = await search('sea', 'gone');
  expect(hits).toHaveLength(TITLES.length);
  expect(rerankedHitCount).toBe(0);
  expect(rerankError?.message).toMatch(/`gone` gave no order.*the folder `made\/gone`/);
});
