/** Search analytics on real processes: what is recorded, events, reports, keys, deletion. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const KEY = 'a master key of some length';
const dbPath = freshFolder();
const FLAGS = [
  ...['--master-key', KEY, '--search-analytics'],
  ...['--indexer-addr', join(freshFolder(), 'i.sock')],
];
let server: TestServer;

type Json = Record<string, unknown>;
type Figures = Readonly<Record<string, number | string | null>>;
interface Report {
  readonly results: readonly Figures[];
  readonly all: Figures;
  readonly total: number;
}

async function as(key: string, method: string, path: string, body?: unknown, headers: object = {}) {
  const options = body === undefined ? { headers: {} } : sendJson(body);
  const own = { ...options.headers, authorization: `Bearer ${key}`, ...headers };
  const { status, json } = await server.call(method, path, { ...options, headers: own });
  return { status, json: json as Json };
}
const ask = (method: string, path: string, body?: unknown, headers?: object) =>
  as(KEY, method, path, body, headers);

async function finished(method: string, path: string, body?: unknown) {
  const { taskUid } = (await ask(method, path, body)).json;
  return until(`end of task ${taskUid}`, async () => {
    const { json } = await ask('GET', `/tasks/${taskUid}`);
    return json['finishedAt'] === null ? null : json;
  });
}

const userHeaders = (user: string) => ({ 'X-MS-USER-ID': user, 'Meili-Include-Metadata': 'true' });

/** @returns the query uid of the answer */
async function searchAs(user: string, index: string, body: object): Promise<string> {
  const { json } = await ask('POST', `/indexes/${index}/search`, body, userHeaders(user));
  return (json['metadata'] as { queryUid: string }).queryUid;
}

async function report(path: string, key = KEY): Promise<Report> {
  const { status, json } = await as(key, 'GET', `/analytics/${path}`);
  expect(status, JSON.stringify(json)).toBe(200);
  return json as unknown as Report;
}
const byName = ({ results }: Report, name: string) =>
  Object.fromEntries(results.map((figures) => [figures[name], figures]));
const click = (queryUid: string, position: number) => ({
  eventType: 'click',
  eventName: 'Clicked',
  indexUid: 'films',
  userId: 'ann',
  queryUid,
  objectId: 1,
  position,
});

async function createIndexes(): Promise<void> {
  for (const uid of ['films', 'books']) {
    await finished('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['year'] });
    await finished('POST', `/indexes/${uid}/documents`, [
      { id: 1, title: `${uid} Casablanca`, year: 1942 },
      { id: 2, title: `${uid} Vertigo`, year: 1958 },
    ]);
  }
}

beforeAll(async () => {
  server = await TestServer.start({ dbPath, flags: FLAGS });
  await createIndexes();
});
afterAll(cleanUp);

describe('searches', () => {
  test('of all kinds are counted, key presses once', async () => {
    for (const q of ['c', 'ca', 'cas', 'casa']) await searchAs('ann', 'films', { q });
    await ask('GET', '/indexes/films/search?q=nothing&filter=year%20%3E%201950');
    const queries = [
      { indexUid: 'films', q: 'vertigo' },
      { indexUid: 'books', q: 'vertigo', filter: ['year > 1950'] },
    ];
    await ask('POST', '/multi-search', { queries });
    await ask('POST', '/multi-search', { queries, federation: {} });
    const found = byName(await report('queries'), 'query');
    expect(found['casa']).toMatchObject({
      searches: 1,
      searchesWithoutResults: 0,
      meanHits: 1,
      trackedSearches: 1,
      clickThroughRate: 0,
      meanClickPosition: null,
    });
    expect(found['nothing']).toMatchObject({ searches: 1, searchesWithoutResults: 1, meanHits: 0 });
    expect(found['vertigo']).toMatchObject({ searches: 4, meanHits: 1.5, trackedSearches: 0 });
    expect(Object.keys(found).sort()).toEqual(['casa', 'nothing', 'vertigo']);
    const pairs = (await report('queries?byFilter=true&limit=100')).results;
    expect(pairs.map(({ query, filter, searches }) => [query, filter, searches])).toEqual([
      ['vertigo', '', 2],
      ['vertigo', '["year > 1950"]', 2],
      ['casa', '', 1],
      ['nothing', 'year > 1950', 1],
    ]);
    const byFilter = byName(await report('counts?by=filter'), 'filter');
    expect(byFilter['']).toMatchObject({ searches: 3 });
    expect(byFilter['year > 1950']).toMatchObject({ searches: 1 });
    expect(byFilter['["year > 1950"]']).toMatchObject({ searches: 2 });
    const byIndex = byName(await report('counts?by=index'), 'index');
    expect([byIndex['films']?.['searches'], byIndex['books']?.['searches']]).toEqual([4, 2]);
    const empty = await report('queries?kind=noResults');
    expect(empty.results.map(({ query }) => query)).toEqual(['nothing']);
    expect(empty).toMatchObject({ total: 1, all: { searches: 6 } });
  });

  test('of another instance, refused and unwanted ones do not count', async () => {
    const before = (await report('counts')).all['searches'];
    await ask('POST', '/indexes/films/search', { q: 'x' }, { 'Meili-Proxy-Search': 'true' });
    await ask('POST', '/indexes/films/search', { q: 'x' }, { 'X-Gannet-Analytics': 'off' });
    await ask('POST', '/indexes/films/search', { q: 'x', filter: 'title = 1' });
    await ask('POST', '/indexes/films/facet-search', { facetName: 'year' });
    expect((await report('counts')).all['searches']).toBe(before);
  });
});

describe('events', () => {
  test('of both forms are linked to their searches', async () => {
    const first = await searchAs('bob', 'books', { q: 'books' });
    const second = await searchAs('eve', 'books', { q: 'books' });
    await searchAs('dan', 'books', { q: 'books unclicked' });
    const single = { ...click(first, 0), indexUid: 'books' };
    expect(await ask('POST', '/events', single)).toMatchObject({ status: 201 });
    const viewed = { ...single, eventType: 'view', eventName: 'Viewed' };
    expect(await ask('POST', '/events', viewed)).toMatchObject({ status: 201 });
    const members = { eventName: 'Bought', index: 'books', userToken: 'eve', queryID: second };
    const events = [
      { eventType: 'click', ...members, objectIDs: ['1', '2'], positions: [2, 6] },
      { eventType: 'conversion', ...members, objectIDs: ['2'], timestamp: Date.now(), value: 3 },
      { eventType: 'view', ...members, objectIDs: ['1'] },
    ];
    expect(await ask('POST', '/events', { events })).toEqual({
      status: 200,
      json: { status: 200, message: 'OK' },
    });
    const { results } = await report('queries?indexUid=books&limit=1&kind=top');
    expect(results).toEqual([
      expect.objectContaining({
        query: 'books',
        searches: 2,
        clickedSearches: 2,
        clickThroughRate: 1,
        meanClickPosition: 3,
        convertedSearches: 1,
        conversionRate: 0.5,
        viewedSearches: 2,
      }),
    ]);
    const without = await report('queries?indexUid=books&kind=noClicks');
    expect(without.results.map(({ query }) => query)).toEqual(['books unclicked']);
    const [day] = (await report('counts?indexUid=books&by=day')).results;
    expect(day).toMatchObject({ trackedSearches: 3, clickedSearches: 2, clickThroughRate: 0.6667 });
  });

  test('need a key with the action and the index; reports show the indexes of their key', async () => {
    const keyFor = async (indexes: string[], actions: string[]) => {
      const { json } = await ask('POST', '/keys', { indexes, actions, expiresAt: null });
      return json['key'] as string;
    };
    const adds = await keyFor(['films'], ['events.add']);
    const reads = await keyFor(['films'], ['analytics.get']);
    const wild = await keyFor(['*'], ['*.get']);
    expect((await as(adds, 'POST', '/events', click('q', 0))).status).toBe(201);
    const elsewhere = { ...click('q', 0), indexUid: 'books' };
    expect((await as(adds, 'POST', '/events', elsewhere)).status).toBe(403);
    expect((await as(reads, 'POST', '/events', click('q', 0))).status).toBe(403);
    expect((await as(adds, 'GET', '/analytics/counts')).status).toBe(403);
    expect((await as(wild, 'GET', '/analytics/counts')).status).toBe(403);
    const seen = await report('counts?by=index', reads);
    expect(seen.results.map(({ index }) => index)).toEqual(['films']);
    expect((await as(reads, 'GET', '/analytics/queries?indexUid=books')).status).toBe(403);
  });
});

describe('the data', () => {
  const folder = join(dbPath, 'analytics');
  /** Files may be replaced meanwhile. */
  const text = () =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('.new') && existsSync(join(folder, name)))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');

  test('has no user ids', async () => {
    await searchAs('a-user-with-a-name', 'films', { q: 'a query of a user' });
    await report('counts');
    expect(text()).toContain('a query of a user');
    expect(text()).not.toMatch(/a-user-with-a-name|"(ann|bob|eve|dan)"/);
  });

  test('is deleted with its index, and follows its new name', async () => {
    await searchAs('ann', 'books', { q: 'gone' });
    await report('counts');
    await finished('DELETE', '/indexes/books');
    await until('the rows are deleted', () => !text().includes('"index":"books"'));
    await finished('PATCH', '/indexes/films', { uid: 'movies' });
    await until('the rows have the new name', () => !text().includes('"index":"films"'));
    const found = await report('counts?by=index');
    expect(found.results.map(({ index }) => index)).toEqual(['movies']);
  });

  test('has the searches of all fronts', async () => {
    await createIndexes();
    const before = Number((await report('counts')).all['searches']);
    const front = await TestServer.start({ dbPath, flags: [...FLAGS, '--role', 'front'] });
    const headers = { authorization: `Bearer ${KEY}` };
    for (const each of [server, front]) {
      const { status } = await each.call('GET', '/indexes/films/search?q=film', { headers });
      expect(status).toBe(200);
    }
    await searchAs('ann', 'films', { q: 'elsewhere' });
    await until('a report of each has the searches of both', async () => {
      const reports = await Promise.all(
        [server, front].map((each) => each.call('GET', '/analytics/counts', { headers })),
      );
      return reports.every(({ json }) => (json as Report).all['searches'] === before + 3);
    });
    expect((await front.stop()).code).toBe(0);
    await ask('PATCH', '/experimental-features', { metrics: true });
    const { text } = await server.call('GET', '/metrics', { headers });
    expect(text).toMatch(/^gannet_analytics_dropped_rows_total 0$/m);
    expect(text).toMatch(/^gannet_analytics_rows_total [1-9]/m);
    expect(text).toMatch(/^gannet_analytics_bytes [1-9]/m);
  });
});
