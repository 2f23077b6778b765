/**
 * The key routes over HTTP, and what each kind of credential sees of the other routes (api.md 2 and
 * 15).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import type { QueryTask } from '../../src/ipc/queries/query-protocol.ts';
import type { ApiKey } from '../../src/model/api-key.ts';
import { apiKey, signToken } from '../support/api-keys.ts';
import {
  createFakeApiContext,
  type FakeApiContext,
  jsonReply,
} from '../support/fake-api-context.ts';
import { httpCall, sendJson } from '../support/http-request.ts';

const MASTER_KEY = 'a master key of some length';
let context: FakeApiContext;
let server: HttpServer;

beforeAll(async () => {
  context = createFakeApiContext({ masterKey: MASTER_KEY });
  for (const uid of ['films', 'books_en', 'books_fr']) context.publish(uid);
  server = await serve({ host: '127.0.0.1', port: 0 }, routes, context);
});
beforeEach(() => {
  context.calls.length = 0;
  context.queries.length = 0;
  context.replies = [() => jsonReply({ hits: [] })];
});
afterAll(() => server.close(500));

async function call(method: string, path: string, value?: unknown, token = MASTER_KEY) {
  const { headers = {}, ...body } = value === undefined ? {} : sendJson(value);
  const answer = await httpCall(server.port, method, path, {
    ...body,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  return { status: answer.status, json: answer.json as never, text: answer.text };
}

/** The value of a new key. */
function keyWith(members: Partial<ApiKey>): string {
  const key = apiKey(members);
  context.keys.publish(key);
  return context.keys.valueOf(key.uid);
}

const codeOf = ({ json }: { json: unknown }) => (json as { code?: string }).code;

describe('keys', () => {
  const draft = {
    actions: ['search', 'documents.*'],
    indexes: ['films', 'books_*'],
    expiresAt: null,
  };

  it('are rotated: another value opens the same, the one before until the time of grace is over', async () => {
    const before = keyWith({ name: 'n', indexes: ['films'], requestsPerSecond: 7 });
    const { status, json } = await call('POST', `/keys/${before}/rotate`, { graceSeconds: 60 });
    const { uid } = context.keys.byUidOrValue(before)?.record ?? {};
    expect(status).toBe(201);
    expect(json).toMatchObject({ name: 'n', indexes: ['films'], requestsPerSecond: 7 });
    const { key, replaces } = json as { key: string; replaces: { uid: string; expiresAt: string } };
    expect([key === before, replaces.uid]).toEqual([false, uid]);
    expect(Math.abs(Date.parse(replaces.expiresAt) - Date.now() - 60_000)).toBeLessThan(30_000);
    for (const value of [before, key])
      expect((await call('POST', '/indexes/films/search', {}, value)).status).toBe(200);
    expect((await call('POST', `/keys/${before}/rotate`, { graceSeconds: 0 })).status).toBe(201);
    expect((await call('POST', '/indexes/films/search', {}, before)).status).toBe(403);
    const creator = keyWith({ actions: ['keys.create'] });
    expect((await call('POST', `/keys/${key}/rotate`, {}, creator)).status).toBe(403);
  });

  it('with a limit are answered 429 beyond it, with the time to wait', async () => {
    const key = keyWith({ requestsPerSecond: 1 });
    const ask = () =>
      httpCall(server.port, 'POST', '/indexes/films/search', {
        ...sendJson({}),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      });
    const answers = [await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 429]);
    expect(answers[1]?.headers['retry-after']).toBe('1');
    expect(codeOf(answers[1] as never)).toBe('too_many_requests');
  });

  it('are created with all their members and found by uid and by value', async () => {
    const { status, json } = await call('POST', '/keys', { ...draft, name: 'n' });
    expect(status).toBe(201);
    const { uid, key } = json as { uid: string; key: string };
    expect(json).toEqual({
      ...draft,
      name: 'n',
      description: null,
      uid: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    for (const name of [uid, uid.toUpperCase(), uid.replaceAll('-', ''), key]) {
      expect(await call('GET', `/keys/${name}`)).toMatchObject({ status: 200, json: { uid, key } });
    }
    expect(await call('PATCH', `/keys/${key}`, { name: null, description: 'd' })).toMatchObject({
      status: 200,
      json: { uid, key, name: null, description: 'd', ...draft },
    });
    expect(await call('PATCH', `/keys/${uid}`, {})).toMatchObject({
      json: { name: null, description: 'd' },
    });
    expect((await call('GET', '/indexes/films/search', undefined, key)).status).toBe(200);
    expect(await call('DELETE', `/keys/${key}`)).toMatchObject({ status: 204, text: '' });
    expect(codeOf(await call('GET', '/indexes/films/search', undefined, key))).toBe(
      'invalid_api_key',
    );
    expect(codeOf(await call('DELETE', `/keys/${uid}`))).toBe('api_key_not_found');
  });

  it.each([
    ['2090-01-02T03:04:05+02:00', '2090-01-02T03:04:05+02:00'],
    ['2090-01-02T03:04:05.120Z', '2090-01-02T03:04:05.12Z'],
    ['2090-01-02t03:04:05.000z', '2090-01-02T03:04:05Z'],
    ['2090-01-02T03:04:05', '2090-01-02T03:04:05Z'],
    ['2090-01-02 03:04:05', '2090-01-02T03:04:05Z'],
    ['2090-01-02 03:04:05.678901+00:00', '2090-01-02T03:04:05.678901Z'],
    ['2090-01-02T03:04:05.1234567899Z', '2090-01-02T03:04:05.123456789Z'],
    ['2090-01-02', '2090-01-02T00:00:00Z'],
  ])('that expire at %s show %s', async (given, shown) => {
    const { json } = await call('POST', '/keys', { ...draft, expiresAt: given });
    expect(json).toMatchObject({ expiresAt: shown });
  });

  it.each(['2090-01-02T24:00:00Z', '2090-01-02 24:00:00'])('cannot expire at %s', async (given) => {
    const answer = await call('POST', '/keys', { ...draft, expiresAt: given });
    expect(codeOf(answer)).toBe('invalid_api_key_expires_at');
  });

  it.each([
    [{ expiresAt: '2090-13-01', name: 1, foo: 1 }, 'invalid_api_key_expires_at'],
    [{ expiresAt: '2020-01-01', uid: 5 }, 'invalid_api_key_expires_at'],
    [{ name: 1, expiresAt: '2020-01-01' }, 'invalid_api_key_name'],
  ])('that are refused name the first wrong member of %j', async (body, code) => {
    expect(codeOf(await call('POST', '/keys', body))).toBe(code);
  });

  it('are given the uid asked for, in its usual form', async () => {
    const { json } = await call('POST', '/keys', {
      ...draft,
      uid: 'AAAAAAAABBBB4CCC8DDDEEEEEEEEEEEE',
    });
    expect(json).toMatchObject({ uid: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' });
  });

  it('for no index may hold what concerns the whole instance', async () => {
    expect(
      (await call('POST', '/keys', { ...draft, actions: ['version'], indexes: [] })).status,
    ).toBe(201);
  });

  it('are listed page by page', async () => {
    const { json: all } = await call('GET', '/keys?limit=1000');
    const { results, total } = all as { results: { uid: string }[]; total: number };
    expect(results).toHaveLength(total);
    const { json: page } = await call('GET', '/keys?offset=1&limit=2');
    expect(page).toEqual({ results: results.slice(1, 3), offset: 1, limit: 2, total });
    expect((await call('GET', '/keys?limit=0')).json).toMatchObject({ results: [], limit: 0 });
    expect((await call('GET', '/keys')).json).toMatchObject({ offset: 0, limit: 20 });
  });
});

describe('a key for some indexes', () => {
  const scoped = () => keyWith({ actions: ['*'], indexes: ['books_*'] });

  it('sees its indexes in lists', async () => {
    expect((await call('GET', '/indexes', undefined, scoped())).json).toMatchObject({
      results: [{ uid: 'books_en' }, { uid: 'books_fr' }],
      total: 2,
    });
    const { json } = await call('GET', '/stats', undefined, scoped());
    expect(Object.keys((json as { indexes: object }).indexes)).toEqual(['books_en', 'books_fr']);
    expect(json).toMatchObject({ databaseSize: 4096, lastUpdate: expect.any(String) });
  });

  it('is refused other indexes wherever they are named, whether they exist or not', async () => {
    const key = scoped();
    const refused = await Promise.all([
      call('GET', '/indexes/films', undefined, key),
      call('GET', '/indexes/absent/stats', undefined, key),
      call('POST', '/indexes', { uid: 'films2' }, key),
      call('PATCH', '/indexes/books_en', { uid: 'films2' }, key),
      call('POST', '/swap-indexes', [{ indexes: ['books_en', 'films'] }], key),
      call(
        'POST',
        '/multi-search',
        { queries: [{ indexUid: 'books_en' }, { indexUid: 'films' }] },
        key,
      ),
      call('POST', '/multi-search', { queries: [{ indexUid: 'absent' }], federation: {} }, key),
      call(
        'POST',
        '/multi-search',
        { queries: [], federation: { facetsByIndex: { films: ['a'] } } },
        key,
      ),
    ]);
    expect(refused.map(codeOf)).toEqual(refused.map(() => 'invalid_api_key'));
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(context.calls).toEqual([]);
    expect((await call('POST', '/indexes', { uid: 'books_de' }, key)).status).toBe(202);
    expect(
      (await call('POST', '/multi-search', { queries: [{ indexUid: 'books_en' }] }, key)).status,
    ).toBe(200);
  });

  it('asks for its tasks and batches only', async () => {
    const key = scoped();
    await call('GET', '/tasks?statuses=failed', undefined, key);
    await call('GET', '/batches', undefined, key);
    await call('POST', '/tasks/cancel?uids=*', undefined, key);
    await call('DELETE', '/tasks?uids=*', undefined, key);
    await call('GET', '/batches/3', undefined, key);
    const scope = { indexScope: ['books_*'] };
    const page = { limit: 20, from: null, reverse: false };
    expect(context.calls.map(({ argument }) => argument)).toEqual([
      { ...page, statuses: ['failed'], ...scope },
      { ...page, ...scope },
      { type: 'taskCancelation', query: scope, originalFilter: '?uids=*' },
      { type: 'taskDeletion', query: scope, originalFilter: '?uids=*' },
      { ...page, limit: 1, batchUids: [3], ...scope },
    ]);
  });

  it('finds no task of another index, or of none', async () => {
    const task = (indexUid: string | null) => {
      context.answers = { getTask: { uid: 1, indexUid } as never };
      return call('GET', '/tasks/1', undefined, scoped());
    };
    expect((await task('books_en')).status).toBe(200);
    expect(codeOf(await task('films'))).toBe('task_not_found');
    expect(codeOf(await task(null))).toBe('task_not_found');
    context.answers = {};
  });

  it('creates indexes by writing only if it holds that action too', async () => {
    const mayCreate = async (actions: string[]) => {
      context.calls.length = 0;
      const key = keyWith({ actions, indexes: ['books_*'] });
      await call('POST', '/indexes/books_new/documents', [], key);
      await call('PATCH', '/indexes/books_new/settings', {}, key);
      await call('PUT', '/indexes/books_new/settings/stop-words', [], key);
      return context.calls.map(
        ({ argument }) => (argument as { allowIndexCreation: boolean }).allowIndexCreation,
      );
    };
    expect(await mayCreate(['documents.add', 'settings.update'])).toEqual([false, false, false]);
    expect(await mayCreate(['documents.add', 'settings.update', 'indexes.create'])).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('a key that may change settings', () => {
  const preview = (value: unknown, token: string) =>
    call('POST', '/indexes/films/settings/preview', value, token);
  const hostile = { settings: { displayedAttributes: ['*'] }, search: { q: '' } };
  const displayed = () => {
    const { work } = context.queries.at(-1) as QueryTask;
    return work.kind === 'settingsPreview' && work.settings.displayedAttributes;
  };

  it('previews no search without the action search', async () => {
    const key = keyWith({ actions: ['settings.update'] });
    const answer = await preview(hostile, key);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'invalid_api_key']);
    expect(context.queries).toEqual([]);
    expect((await preview({ settings: hostile.settings }, key)).status).toBe(200);
  });

  it('sees hidden attributes by a preview only with documents.get', async () => {
    context.publish('films', { displayedAttributes: ['title'] }, 2);
    const actions = ['settings.update', 'search'];
    expect((await preview(hostile, keyWith({ actions }))).status).toBe(200);
    expect(displayed()).toEqual(['title']);
    await preview(hostile, keyWith({ actions: [...actions, 'documents.get'] }));
    expect(displayed()).toEqual(['*']);
    context.publish('films', {}, 3);
  });
});

describe('a tenant token', () => {
  const token = (searchRules: unknown, actions = ['search']) => {
    const key = apiKey({ actions });
    context.keys.publish(key);
    return signToken({ apiKeyUid: key.uid, searchRules }, context.keys.valueOf(key.uid));
  };
  /** Filters of the searches that threads were asked for. */
  const filters = () =>
    context.queries.flatMap(({ work }) => {
      if (work.kind === 'search') return [work.request.filter?.form];
      if (work.kind === 'facetSearch') return [work.request.search.filter?.form];
      return work.kind === 'federated'
        ? work.search.queries.map(({ request }) => request.filter?.form)
        : [];
    });

  it('adds its filter to every kind of search', async () => {
    const tenant = token({ films: { filter: 'tenant = 1' } });
    const filter = 'year > 1990';
    await call('POST', '/indexes/films/search', { filter }, tenant);
    await call(
      'GET',
      `/indexes/films/search?filter=${encodeURIComponent(filter)}`,
      undefined,
      tenant,
    );
    await call('POST', '/indexes/films/facet-search', { facetName: 'genre', filter }, tenant);
    await call('POST', '/multi-search', { queries: [{ indexUid: 'films', filter }] }, tenant);
    await call(
      'POST',
      '/multi-search',
      { queries: [{ indexUid: 'films', filter }], federation: {} },
      tenant,
    );
    expect(filters()).toEqual(Array(5).fill(['tenant = 1', filter]));
  });

  it('binds searches that bring no filter', async () => {
    await call(
      'POST',
      '/indexes/films/search',
      {},
      token({ '*': { filter: [['a = 1', 'b = 1']] } }),
    );
    expect(filters()).toEqual([[['a = 1', 'b = 1']]]);
  });

  it('fails a search when its filter has no valid form, and sends nothing', async () => {
    const answer = await call(
      'POST',
      '/indexes/films/search',
      {},
      token({ '*': { filter: { a: 1 } } }),
    );
    expect(codeOf(answer)).toBe('invalid_search_filter');
    expect(context.queries).toEqual([]);
  });

  it('is refused on other routes and other indexes', async () => {
    const all = token(['*'], ['*']);
    for (const path of [
      '/indexes',
      '/tasks',
      '/stats',
      '/keys',
      '/version',
      '/indexes/films/documents',
    ]) {
      expect(codeOf(await call('GET', path, undefined, all)), path).toBe('invalid_api_key');
    }
    const books = token(['books_*']);
    expect(codeOf(await call('POST', '/indexes/films/search', {}, books))).toBe('invalid_api_key');
    expect((await call('POST', '/indexes/books_en/search', {}, books)).status).toBe(200);
    const both = { queries: [{ indexUid: 'books_en' }, { indexUid: 'films' }] };
    expect(codeOf(await call('POST', '/multi-search', both, books))).toBe('invalid_api_key');
  });
});
