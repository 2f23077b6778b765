/**
 * Foreign keys over two real servers of a network: both indexes are in parts, one on each server.
 */
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, settled } from '../support/json-requests.ts';
import {
  freshUid,
  LOCAL_TARGETS,
  MASTER_KEY,
  type SharedServer,
  sharedServer,
} from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

type Json = Record<string, unknown>;

const [FILMS, PEOPLE, PLACES] = [freshUid('films'), freshUid('people'), freshUid('places')];
const [STAFF, MOVIES] = [freshUid('staff'), freshUid('movies')];

let near: TestServer;
/** The network is a setting of `near` alone. */
let far: SharedServer;

const person = (id: number | string, team: string) => ({ id, name: `n${id}`, team });
const withSecrets = (documents: readonly object[]) =>
  documents.map((document) => ({ ...document, secret: 's' }));
const [ADA, BOB, CY] = [person(1, 'x'), person('bob', 'y'), person(3, 'x')];
const KEYS = [
  { fieldName: 'by', foreignIndexUid: PEOPLE },
  { fieldName: 'made.in', foreignIndexUid: PLACES, foreignPrimaryKey: 'code' },
];

async function fill(
  server: SharedServer,
  films: readonly object[],
  people: readonly object[],
): Promise<void> {
  const features = { network: true, foreignKeys: true };
  await call(server, 'PATCH', '/experimental-features', features);
  await settled(server, 'PATCH', `/indexes/${PEOPLE}/settings`, {
    filterableAttributes: ['team'],
    displayedAttributes: ['id', 'name', 'team'],
  });
  await settled(server, 'PATCH', `/indexes/${FILMS}/settings`, {
    filterableAttributes: ['by', 'made.in', 'genre'],
    foreignKeys: KEYS,
  });
  await settled(server, 'POST', `/indexes/${PEOPLE}/documents?primaryKey=id`, withSecrets(people));
  await settled(server, 'POST', `/indexes/${FILMS}/documents?primaryKey=id`, films);
}

/** Gives the network a key for `far` that allows the actions. */
async function useKey(actions: readonly string[]): Promise<void> {
  const { json } = await call(far, 'POST', '/keys', { actions, indexes: ['*'], expiresAt: null });
  const remotes = { near: { url: near.url }, far: { url: far.url, searchApiKey: json['key'] } };
  const { status } = await call(near, 'PATCH', '/network', { self: 'near', remotes });
  expect(status).toBe(200);
}

beforeAll(async () => {
  [near, far] = await Promise.all([
    TestServer.start({ masterKey: MASTER_KEY, flags: LOCAL_TARGETS }),
    sharedServer(),
  ]);
  await Promise.all([
    fill(
      near,
      [
        { id: 1, title: 'one', genre: 'a', by: 1 },
        { id: 2, title: 'two', genre: 'b', by: ['bob', 99] },
      ],
      [ADA],
    ),
    fill(
      far,
      [
        { id: 3, title: 'three', genre: 'c', by: 3, made: { in: 'fi' } },
        { id: 4, title: 'four', genre: 'd', by: [1, 'no id at all'] },
      ],
      [BOB, CY],
    ),
  ]);
  // The index is empty near, so it has no primary key there.
  for (const server of [near, far])
    await settled(server, 'PATCH', `/indexes/${PLACES}/settings`, {
      filterableAttributes: ['cold'],
    });
  const place = [{ code: 'fi', cold: true }];
  await settled(far, 'POST', `/indexes/${PLACES}/documents?primaryKey=code`, place);
  await useKey(['search', 'documents.get']);
});
afterAll(async () => {
  for (const alias of [STAFF, MOVIES]) await call(far, 'DELETE', `/aliases/${alias}`);
  await call(far, 'PATCH', '/experimental-features', { network: false, foreignKeys: false });
  await near.stop();
  await cleanUp();
});

const search = (body: object, token?: string) =>
  call(near, 'POST', `/indexes/${FILMS}/search`, { useNetwork: true, ...body }, token);
const byId = ({ json }: { readonly json: Json }): Json =>
  Object.fromEntries((json['hits'] as Json[]).map((hit) => [String(hit['id']), hit['by']]));
const idsOf = async (filter: unknown, token?: string): Promise<string[]> => {
  const { json } = await search({ filter }, token);
  if (json['hits'] === undefined) throw new Error(JSON.stringify(json));
  return Object.keys(byId({ json })).sort();
};
const ALL = { '1': ADA, '2': [BOB, {}], '3': CY, '4': [ADA, 'no id at all'] };

describe('hits of several instances', () => {
  test('show documents of all of them, with their displayed attributes', async () => {
    const found = await search({});
    expect(byId(found)).toEqual(ALL);
    expect(found.json).toMatchObject({ estimatedTotalHits: 4, remoteErrors: {} });
    const third = (found.json['hits'] as Json[]).find(({ id }) => id === 3);
    expect(third).toMatchObject({
      made: { in: { code: 'fi', cold: true } },
      _federation: { remote: 'far' },
    });
    const get = await call(near, 'GET', `/indexes/${FILMS}/search?useNetwork=true`);
    expect(byId(get)).toEqual(ALL);
  });

  test('show them in queries of a multi-search and in _formatted', async () => {
    const query = { indexUid: FILMS, useNetwork: true };
    const { json } = await call(near, 'POST', '/multi-search', { queries: [query] });
    expect(byId({ json: (json['results'] as Json[])[0] ?? {} })).toEqual(ALL);
    const federated = { queries: [query, { indexUid: PEOPLE }], federation: { limit: 9 } };
    const { json: merged } = await call(near, 'POST', '/multi-search', federated);
    const films = (merged['hits'] as Json[]).filter(({ title }) => title !== undefined);
    expect(byId({ json: { hits: films } })).toEqual(ALL);
    const { json: marked } = await search({ q: 'two', attributesToHighlight: ['*'] });
    expect((marked['hits'] as Json[])[0]?.['_formatted']).toMatchObject({
      title: '<em>two</em>',
      by: [BOB, {}],
    });
  });

  test('show documents of the instances that are named', async () => {
    const queries = [{ indexUid: FILMS, federationOptions: { remote: 'far' } }];
    const found = await call(near, 'POST', '/multi-search', { queries, federation: {} });
    expect(byId(found)).toEqual({ '3': CY, '4': [{}, 'no id at all'] });
    const direct = await call(far, 'POST', `/indexes/${FILMS}/search`, {});
    expect(byId(direct)).toEqual(byId(found));
  });
});

describe('_foreign over several instances', () => {
  test('selects by the documents of all of them', async () => {
    expect(await idsOf('_foreign(by, team = x)')).toEqual(['1', '3', '4']);
    expect(await idsOf(['NOT _foreign(by, team = x)'])).toEqual(['2']);
    expect(await idsOf([['_foreign(by, team = y)', 'genre = c'], 'genre != d'])).toEqual([
      '2',
      '3',
    ]);
    expect(await idsOf('_foreign(by, team = none)')).toEqual([]);
    expect(await idsOf('_foreign(made.in, cold = true)')).toEqual(['3']);
  });

  test('works in facet searches, reads of documents and named remotes', async () => {
    const filter = '_foreign(by, team = x)';
    const facets = await call(near, 'POST', `/indexes/${FILMS}/facet-search`, {
      ...{ facetName: 'genre', filter, useNetwork: true },
    });
    const values = (facets.json['facetHits'] as Json[]).map(({ value }) => value);
    expect(values).toEqual(['a', 'c', 'd']);
    const path = `/indexes/${FILMS}/documents/fetch`;
    const { json } = await call(near, 'POST', path, { filter, useNetwork: true });
    expect((json['results'] as Json[]).map(({ id, by }) => [id, by])).toEqual([
      [1, 1],
      [3, 3],
      [4, [1, 'no id at all']],
    ]);
    const queries = [{ indexUid: FILMS, filter, federationOptions: { remote: 'far' } }];
    const named = await call(near, 'POST', '/multi-search', { queries, federation: {} });
    expect(Object.keys(byId(named))).toEqual(['3']);
  });

  test.each([
    ['_foreign(by, name = Ada)', 400, 'invalid_document_filter'],
    ['_foreign(genre, team = x)', 400, 'invalid_search_filter'],
    ['_foreign(by, team = )', 400, 'invalid_search_filter'],
  ])('refuses %s', async (filter, status, code) => {
    const { json, ...found } = await search({ filter });
    expect([found.status, json['code']]).toEqual([status, code]);
  });

  test('counts the documents of all instances, once each', async () => {
    const numbered = (from: number) =>
      Array.from({ length: 600 }, (_, i) => ({ id: from + i, team: 'many' }));
    await settled(near, 'POST', `/indexes/${PEOPLE}/documents`, numbered(1000));
    await settled(far, 'POST', `/indexes/${PEOPLE}/documents`, numbered(1000));
    expect(await idsOf('_foreign(by, team = many)')).toEqual([]);
    await settled(far, 'POST', `/indexes/${PEOPLE}/documents`, numbered(2000));
    const { json } = await search({ filter: '_foreign(by, team = many)' });
    expect(json).toMatchObject({
      code: 'invalid_search_filter',
      message: expect.stringContaining('at most 1000 are joined'),
    });
  });

  test('names the other index by aliases of each instance', async () => {
    for (const server of [near, far])
      expect((await call(server, 'PUT', `/aliases/${STAFF}`, { indexUid: PEOPLE })).status).toBe(
        200,
      );
    const keys = [{ fieldName: 'by', foreignIndexUid: STAFF }];
    await settled(near, 'PUT', `/indexes/${FILMS}/settings/foreign-keys`, keys);
    expect(await idsOf('_foreign(by, team = x)')).toEqual(['1', '3', '4']);
    expect(byId(await search({}))).toEqual(ALL);
    for (const server of [near, far])
      await call(server, 'PUT', `/aliases/${MOVIES}`, { indexUid: FILMS });
    const filter = '_foreign(by, team = x)';
    const queries = [{ indexUid: MOVIES, filter, federationOptions: { remote: 'far' } }];
    const named = await call(near, 'POST', '/multi-search', { queries, federation: {} });
    expect(byId(named)).toEqual({ '3': CY });
    await settled(near, 'PUT', `/indexes/${FILMS}/settings/foreign-keys`, KEYS);
  });

  test('needs the primary key of an index without documents here', async () => {
    const [by, { fieldName, foreignIndexUid }] = KEYS as [Json, (typeof KEYS)[0]];
    const keys = [by, { fieldName, foreignIndexUid }];
    await settled(near, 'PUT', `/indexes/${FILMS}/settings/foreign-keys`, keys);
    const { json } = await search({ filter: '_foreign(made.in, cold = true)' });
    expect(json['message']).toContain('Name it as `foreignPrimaryKey`');
    const third = ((await search({})).json['hits'] as Json[]).find(({ id }) => id === 3);
    expect(third?.['made']).toEqual({ in: 'fi' });
    await settled(near, 'PUT', `/indexes/${FILMS}/settings/foreign-keys`, KEYS);
    const stored = await call(near, 'GET', `/indexes/${FILMS}/settings/foreign-keys`);
    expect(stored.json).toEqual(KEYS);
  });
});

describe('a caller over several instances', () => {
  const keyFor = async (indexes: string[]) => {
    const body = { actions: ['search'], indexes, expiresAt: null };
    return (await call(near, 'POST', '/keys', body)).json as { key: string; uid: string };
  };
  const tokenOf = async (searchRules: Record<string, object>) => {
    const { key, uid } = await keyFor([FILMS, PEOPLE, PLACES]);
    return generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules });
  };

  test('sees no index that the key does not reach, and cannot filter by it', async () => {
    const { key } = await keyFor([FILMS]);
    expect(byId(await search({}, key))).toEqual({
      ...{ '1': 1, '2': ['bob', 99], '3': 3, '4': [1, 'no id at all'] },
    });
    const { json } = await search({ filter: '_foreign(by, team = x)' }, key);
    expect(json['code']).toBe('index_not_found');
    expect(json['message']).not.toContain(PEOPLE);
    const without = await tokenOf({ [FILMS]: {} });
    expect(byId(await search({}, without))).toMatchObject({ '1': 1, '3': 3 });
  });

  test('sees what the filter of a tenant token leaves of it, on every instance', async () => {
    const token = await tokenOf({ [FILMS]: {}, [PEOPLE]: { filter: 'team = y' } });
    expect(byId(await search({}, token))).toEqual({
      ...{ '1': {}, '2': [BOB, {}], '3': {}, '4': [{}, 'no id at all'] },
    });
    expect(await idsOf('_foreign(by, team = x)', token)).toEqual([]);
    expect(await idsOf('_foreign(by, team = y)', token)).toEqual(['2']);
    expect(await idsOf('_foreign(by, team = y OR team = x)', token)).toEqual(['2']);
  });

  test('is bound on every instance by a tenant filter that uses _foreign', async () => {
    const films = { filter: 'NOT _foreign(by, team = x)' };
    const token = await tokenOf({ [FILMS]: films, [PEOPLE]: {} });
    for (const filter of [null, 'genre EXISTS', '_foreign(by, team = x) OR genre EXISTS'])
      expect(await idsOf(filter, token)).toEqual(['2']);
    const queries = ['near', 'far'].map((remote) => {
      return { indexUid: FILMS, federationOptions: { remote } };
    });
    const body = { queries, federation: {} };
    expect(Object.keys(byId(await call(near, 'POST', '/multi-search', body, token)))).toEqual([
      '2',
    ]);
    const blind = await tokenOf({ [FILMS]: films });
    expect((await search({}, blind)).json['code']).toBe('index_not_found');
  });
});

test('of an instance that fails ids stay, and its conditions are not guessed', async () => {
  await useKey(['search']);
  const found = await search({});
  expect(byId(found)).toEqual({ '1': ADA, '2': ['bob', 99], '3': 3, '4': [ADA, 'no id at all'] });
  const errors = { far: { code: 'remote_invalid_api_key' } };
  expect(found.json['remoteErrors']).toMatchObject(errors);
  const refused = await search({ filter: 'NOT _foreign(by, team = x)' });
  expect(refused.status).toBe(403);
  expect(refused.json).toMatchObject({
    code: 'remote_invalid_api_key',
    message: expect.stringContaining(`In the index \`${PEOPLE}\`, for \`by\`: \`far\` answered`),
  });
  await useKey(['search', 'documents.get']);
  expect(byId(await search({}))).toEqual(ALL);
});
