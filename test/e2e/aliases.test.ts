/** Aliases on real processes: every kind of route by a second name, flips, keys. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { MASTER_KEY as KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

let server: SharedServer;

const as = async (key: string, method: string, path: string, body?: unknown) => {
  const options = body === undefined ? { headers: {} } : sendJson(body);
  const headers = { ...options.headers, authorization: `Bearer ${key}` };
  const { status, json } = await server.call(method, path, { ...options, headers });
  return { status, json: json as Record<string, unknown> };
};
const ask = (method: string, path: string, body?: unknown) => as(KEY, method, path, body);

async function finished(method: string, path: string, body?: unknown) {
  const { taskUid } = (await ask(method, path, body)).json;
  return until(`end of task ${taskUid}`, async () => {
    const { json } = await ask('GET', `/tasks/${taskUid}`);
    return json['finishedAt'] === null ? null : json;
  });
}

const flip = (indexUid: string) => ask('PUT', '/aliases/shop', { indexUid });
const titles = async (key: string, path = '/indexes/shop/search', body: object = {}) => {
  const { json } = await as(key, 'POST', path, body);
  return (json['hits'] as { title: string }[]).map(({ title }) => title);
};
const keyFor = async (indexes: string[], actions: string[]) => {
  const { json } = await ask('POST', '/keys', { indexes, actions, expiresAt: null });
  return json as { uid: string; key: string };
};

beforeAll(async () => {
  server = await sharedServer();
  for (const uid of ['blue', 'green']) {
    await finished('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['title'] });
    await finished('POST', `/indexes/${uid}/documents`, [
      { id: 1, title: uid },
      { id: 2, title: `${uid} two` },
    ]);
  }
  await flip('blue');
});
afterAll(async () => {
  await ask('PATCH', '/experimental-features', { dynamicSearchRules: false });
  await ask('DELETE', '/aliases/shop');
  for (const uid of ['blue', 'green']) await finished('DELETE', `/indexes/${uid}`);
});

test('an alias is created, listed by pages, read, flipped and deleted', async () => {
  await ask('PUT', '/aliases/other', { indexUid: 'green' });
  const page = (await ask('GET', '/aliases?offset=1&limit=1')).json;
  expect(page).toMatchObject({ offset: 1, limit: 1, total: 2, results: [{ name: 'shop' }] });
  expect((await flip('green')).json).toMatchObject({ name: 'shop', indexUid: 'green' });
  expect(await titles(KEY)).toEqual(['green', 'green two']);
  expect((await flip('blue')).status).toBe(200);
  expect(await titles(KEY)).toEqual(['blue', 'blue two']);
  expect((await ask('DELETE', '/aliases/other')).status).toBe(204);
  expect((await ask('GET', '/aliases/other')).json['code']).toBe('alias_not_found');
});

test('every kind of route takes it', async () => {
  expect(
    await finished('POST', '/indexes/shop/documents', [{ id: 3, title: 'new' }]),
  ).toMatchObject({ status: 'succeeded', indexUid: 'blue' });
  expect((await ask('GET', '/indexes/shop/documents/3')).json).toMatchObject({ title: 'new' });
  expect((await ask('GET', '/indexes/shop/stats')).json).toMatchObject({ numberOfDocuments: 3 });
  expect((await ask('GET', '/indexes/shop')).json).toMatchObject({ uid: 'blue' });
  expect((await ask('GET', '/indexes/shop/settings/filterable-attributes')).json).toEqual([
    'title',
  ]);
  const { results } = (await ask('GET', '/tasks?indexUids=shop&limit=1')).json;
  expect(results).toMatchObject([{ indexUid: 'blue' }]);
  const queries = [{ indexUid: 'shop', q: 'new' }];
  expect((await ask('POST', '/multi-search', { queries })).json).toMatchObject({
    results: [{ indexUid: 'shop', hits: [{ id: 3 }] }],
  });
  const federation = { facetsByIndex: { shop: ['title'] } };
  expect((await ask('POST', '/multi-search', { queries, federation })).json).toMatchObject({
    hits: [{ id: 3, _federation: { indexUid: 'blue' } }],
    facetsByIndex: { blue: { distribution: { title: { new: 1 } } } },
  });
  await finished('DELETE', '/indexes/shop/documents/3');
});

test('an alias keeps its index through a swap', async () => {
  await finished('POST', '/swap-indexes', [{ indexes: ['shop', 'green'] }]);
  expect(await titles(KEY)).toEqual(['green', 'green two']);
  await finished('POST', '/swap-indexes', [{ indexes: ['blue', 'green'] }]);
  expect(await titles(KEY)).toEqual(['blue', 'blue two']);
});

test('names of aliases and of indexes exclude each other', async () => {
  expect((await ask('PUT', '/aliases/green', { indexUid: 'blue' })).json['code']).toBe(
    'index_already_exists',
  );
  expect((await flip('absent')).json['code']).toBe('index_not_found');
  const error = { code: 'alias_already_exists' };
  expect(await finished('POST', '/indexes', { uid: 'shop' })).toMatchObject({ error });
  expect(await finished('PATCH', '/indexes/green', { uid: 'shop' })).toMatchObject({ error });
});

test('keys and tenant rules name an alias or its index', async () => {
  const byAlias = await keyFor(['shop'], ['search', 'indexes.update']);
  expect(await titles(byAlias.key)).toEqual(['blue', 'blue two']);
  expect((await as(byAlias.key, 'POST', '/indexes/green/search', {})).status).toBe(403);
  expect((await as(byAlias.key, 'PUT', '/aliases/shop', { indexUid: 'green' })).status).toBe(403);
  const byIndex = await keyFor(['blue'], ['search']);
  expect(await titles(byIndex.key)).toEqual(['blue', 'blue two']);
  await flip('green');
  expect(await titles(byAlias.key)).toEqual(['green', 'green two']);
  expect((await as(byIndex.key, 'POST', '/indexes/shop/search', {})).status).toBe(403);
  await flip('blue');

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { apiKeyUid: byAlias.uid, searchRules: { shop: { filter: 'title = blue' } } };
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const token = `${text}.${createHmac('sha256', byAlias.key).update(text).digest('base64url')}`;
  for (const path of ['/indexes/shop/search', '/indexes/blue/search'])
    expect(await titles(token, path)).toEqual(['blue']);
});

test('a search rule that names it holds for its index, and follows a flip', async () => {
  await ask('PATCH', '/experimental-features', { dynamicSearchRules: true });
  await finished('PATCH', '/dynamic-search-rules/two-first', {
    actions: [{ selector: { indexUid: 'shop', id: '2' }, action: { type: 'pin', position: 0 } }],
  });
  const all = () => ['shop', 'blue', 'green'].map((uid) => titles(KEY, `/indexes/${uid}/search`));
  const [blue, green] = ['blue', 'green'].map((uid) => [uid, `${uid} two`]);
  expect(await Promise.all(all())).toEqual([blue?.toReversed(), blue?.toReversed(), green]);
  await flip('green');
  expect(await Promise.all(all())).toEqual([green?.toReversed(), blue, green?.toReversed()]);
  const queries = [{ indexUid: 'shop' }];
  const federated = (await ask('POST', '/multi-search', { queries, federation: {} })).json;
  expect(federated).toMatchObject({ hits: [{ title: 'green two' }, { title: 'green' }] });
  await flip('blue');
  await finished('DELETE', '/dynamic-search-rules/two-first');
});

test('searches during flips see one index each', async () => {
  let isFlipping = true;
  const flips = (async () => {
    for (let i = 0; i < 100; i++)
      expect((await flip(i % 2 === 0 ? 'green' : 'blue')).status).toBe(200);
    isFlipping = false;
  })();
  const queries = [{ indexUid: 'shop' }, { indexUid: 'shop', q: 'two' }];
  while (isFlipping) {
    const { json } = await ask('POST', '/multi-search', { queries });
    const [all, two] = json['results'] as { hits: { title: string }[] }[];
    expect(two?.hits[0]?.title).toBe(`${all?.hits[0]?.title} two`);
  }
  await flips;
});
