/**
 * Foreign keys through the official client: documents of other indexes in hits, filters on them, what
 * keys and tenant tokens see, and what holds while the other index changes.
 */
import { type Meilisearch, MeilisearchApiError } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { sendJson } from '../support/http-request.ts';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { clientOf } from '../support/test-server.ts';

const [FILMS, PEOPLE, OTHERS] = [freshUid('films'), freshUid('people'), freshUid('others')];
const BY = { fieldName: 'by', foreignIndexUid: PEOPLE };
const ADA = { id: 1, name: 'Ada', team: 'x' };
const BOB = { id: 'bob', name: 'Bob', team: 'y' };
let server: SharedServer;
let client: Meilisearch;

const films = (of = client) => of.index(FILMS);

async function bys(of = client, filter?: string): Promise<unknown[]> {
  const { hits } = await films(of).search('', filter === undefined ? {} : { filter });
  return hits.map((hit) => hit['by']);
}

beforeAll(async () => {
  server = await sharedServer();
  client = server.client;
  await client.updateExperimentalFeatures({ foreignKeys: true });
  await client.index(PEOPLE).updateSettings({
    filterableAttributes: ['team'],
    displayedAttributes: ['id', 'name', 'team'],
  });
  await client
    .index(PEOPLE)
    .addDocuments([{ ...ADA, secret: 's' }, BOB], { primaryKey: 'id' })
    .waitTask();
  await films().updateSettings({
    filterableAttributes: ['by', 'year'],
    foreignKeys: [BY],
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  });
  await films()
    .addDocuments(
      [
        { id: 1, title: 'one', year: 1, by: 1, _vectors: { own: [1, 0] } },
        { id: 2, title: 'two', year: 2, by: ['bob', 1, 99], _vectors: { own: [0, 1] } },
        { id: 3, title: 'three', year: 3, by: 'no id at all', _vectors: { own: [1, 1] } },
      ],
      { primaryKey: 'id' },
    )
    .waitTask();
});

afterAll(() => client.updateExperimentalFeatures({ foreignKeys: false }));

describe('foreign keys', () => {
  it('are a setting, shown while the feature is on', async () => {
    expect((await films().getSettings()).foreignKeys).toEqual([BY]);
    const { json } = await server.call('GET', `/indexes/${FILMS}/settings/foreign-keys`);
    expect(json).toEqual([BY]);
  });

  it('show documents in the hits of every kind of search, and in no read of documents', async () => {
    const shown = [ADA, [BOB, ADA, {}], 'no id at all'];
    expect(await bys()).toEqual(shown);
    const byYear = (hits: readonly Record<string, unknown>[]): unknown[] =>
      [...hits].sort((a, b) => Number(a['year']) - Number(b['year'])).map((hit) => hit['by']);
    const { results } = await client.multiSearch({ queries: [{ indexUid: FILMS }] });
    expect(byYear(results[0]?.hits ?? [])).toEqual(shown);
    const merged = await client.multiSearch({
      federation: {},
      queries: [{ indexUid: FILMS }, { indexUid: PEOPLE, filter: 'team = y' }],
    });
    expect(byYear(merged.hits.filter((hit) => hit['year']))).toEqual(shown);
    const hybrid = { embedder: 'own', semanticRatio: 1 };
    expect(byYear((await films().search('', { vector: [1, 0], hybrid })).hits)).toEqual(shown);
    const similar = await films().searchSimilarDocuments({ id: 1, embedder: 'own' });
    expect(byYear(similar.hits)).toEqual(shown.slice(1));
    const formatted = await films().search('two', { attributesToHighlight: ['*'] });
    expect(formatted.hits[0]?._formatted?.['by']).toEqual(shown[1]);
    expect((await films().getDocument(1))['by']).toBe(1);
    expect((await films().getDocuments()).results.map(({ by }) => by)).toEqual([
      1,
      ['bob', 1, 99],
      'no id at all',
    ]);
  });

  it('filter by documents of the other index, in searches and reads of documents', async () => {
    const filter = '_foreign(by, team = x) AND year > 1';
    expect(await bys(client, filter)).toEqual([[BOB, ADA, {}]]);
    expect((await films().getDocuments({ filter })).results.map(({ id }) => id)).toEqual([2]);
    const facet = await films().searchForFacetValues({ facetName: 'by', filter });
    expect(facet.facetHits.map(({ value }) => value)).toEqual(['bob']);
    for (const [wrong, code] of [
      ['_foreign(by, name = Ada)', 'invalid_document_filter'],
      ['_foreign(year, team = x)', 'invalid_search_filter'],
      ['_foreign(by, _foreign(by, team = x))', 'invalid_search_filter'],
    ])
      expect(await codeOf(bys(client, wrong))).toBe(code);
    expect(await codeOf(films().deleteDocuments({ filter }))).toBe('invalid_document_filter');
  });

  it('are no filter of an export: its task says so, and sends nothing', async () => {
    const indexes = { [FILMS]: { filter: '_foreign(by, team = x)' } };
    const body = { url: server.url, apiKey: MASTER_KEY, indexes };
    const { status, json } = await server.call('POST', '/export', sendJson(body));
    expect(status).toBe(200);
    const { taskUid } = json as { taskUid: number };
    expect(await client.tasks.waitForTask(taskUid)).toMatchObject({
      status: 'failed',
      details: { indexes: { [FILMS]: { filter: '_foreign(by, team = x)' } } },
      error: { code: 'invalid_document_filter', message: expect.stringContaining('_foreign') },
    });
  });

  it('show a key what it reaches, and a tenant what its filter leaves', async () => {
    const key = (indexes: string[]) =>
      client.createKey({ actions: ['search'], indexes, expiresAt: null });
    const [alone, both] = [await key([FILMS]), await key([FILMS, PEOPLE])];
    const blind = clientOf(server.url, alone.key);
    expect(await bys(blind)).toEqual([1, ['bob', 1, 99], 'no id at all']);
    const refused = await bys(blind, '_foreign(by, team = x)').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MeilisearchApiError);
    expect(String(refused)).not.toContain(PEOPLE);
    const token = await generateTenantToken({
      apiKey: both.key,
      apiKeyUid: both.uid,
      searchRules: { [FILMS]: {}, [PEOPLE]: { filter: 'team = y' } },
    });
    const tenant = clientOf(server.url, token);
    expect(await bys(tenant)).toEqual([{}, [BOB, {}, {}], 'no id at all']);
    expect(await bys(tenant, '_foreign(by, team = x)')).toEqual([]);
    expect(await bys(tenant, '_foreign(by, team = y)')).toHaveLength(1);
    const other = await generateTenantToken({
      apiKey: both.key,
      apiKeyUid: both.uid,
      searchRules: { [FILMS]: {} },
    });
    expect((await bys(clientOf(server.url, other)))[0]).toBe(1);
    expect(await bys()).toContainEqual(ADA);
  });

  it('follow the other index as it changes, is swapped, renamed, deleted and comes back', async () => {
    const first = async (): Promise<unknown> => (await bys())[0];
    await client
      .index(PEOPLE)
      .updateDocuments([{ id: 1, name: 'Ada L.' }])
      .waitTask();
    expect(await first()).toEqual({ ...ADA, name: 'Ada L.' });
    await client
      .index(OTHERS)
      .addDocuments([{ id: 1, name: 'Other' }])
      .waitTask();
    await client.swapIndexes([{ indexes: [PEOPLE, OTHERS], rename: false }]).waitTask();
    expect(await first()).toEqual({ id: 1, name: 'Other' });
    await client.swapIndexes([{ indexes: [PEOPLE, FILMS], rename: false }]).waitTask();
    await client.swapIndexes([{ indexes: [PEOPLE, FILMS], rename: false }]).waitTask();
    expect(await first()).toEqual({ id: 1, name: 'Other' });
    await client.index(PEOPLE).delete().waitTask();
    expect(await first()).toBe(1);
    expect(await codeOf(bys(client, '_foreign(by, team = x)'))).toBe('index_not_found');
    await client.swapIndexes([{ indexes: [OTHERS, PEOPLE], rename: true }]).waitTask();
    expect(await first()).toEqual({ ...ADA, name: 'Ada L.' });
  });

  it('of two indexes that name each other, or of one that names itself, are one level deep', async () => {
    const back = [{ fieldName: 'best', foreignIndexUid: FILMS }];
    await client.index(PEOPLE).updateSettings({ foreignKeys: back, displayedAttributes: ['*'] });
    await client
      .index(PEOPLE)
      .updateDocuments([{ id: 1, best: 1 }])
      .waitTask();
    const { hits } = await client.index(PEOPLE).search('Ada');
    expect(hits[0]?.['best']).toEqual({ id: 1, title: 'one', year: 1, by: 1 });
    expect((await bys())[0]).toMatchObject({ id: 1, best: 1 });
    const own = [{ fieldName: 'year', foreignIndexUid: FILMS }];
    await films().updateSettings({ foreignKeys: own }).waitTask();
    const [one] = (await films().search('one')).hits;
    expect(one?.['year']).toEqual({ id: 1, title: 'one', year: 1, by: 1 });
    await films()
      .updateSettings({ foreignKeys: [BY] })
      .waitTask();
  });

  it('are tried by a preview of settings', async () => {
    const body = { settings: { foreignKeys: null }, search: { q: 'one' } };
    const tried = await server.call('POST', `/indexes/${FILMS}/settings/preview`, sendJson(body));
    expect(tried.json).toMatchObject({ rebuilds: [], result: { hits: [{ by: 1 }] } });
  });

  it('rest while the feature is off', async () => {
    await client.updateExperimentalFeatures({ foreignKeys: false });
    expect((await bys())[0]).toBe(1);
    expect(await films().getSettings()).not.toHaveProperty('foreignKeys');
    expect(await codeOf(bys(client, '_foreign(by, team = x)'))).toBe('feature_not_enabled');
    expect(await codeOf(films().updateSettings({ foreignKeys: [] }))).toBe('feature_not_enabled');
    await client.updateExperimentalFeatures({ foreignKeys: true });
    expect((await bys())[0]).toMatchObject({ id: 1, name: 'Ada L.' });
  });
});
