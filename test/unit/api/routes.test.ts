/** What routes ask of the indexer and the query threads, and what they make of the answers. */
import { describe, expect, it } from 'vitest';
import type { Answer, BytesAnswer, JsonAnswer } from '../../../src/api/contract/answer.ts';
import { routes } from '../../../src/api/routes/index.ts';
import { type Access, FULL_ACCESS } from '../../../src/auth/access.ts';
import type { PendingPayload, TaskRecord } from '../../../src/model/task.ts';
import {
  createFakeApiContext,
  type FakeApiContext,
  jsonReply,
} from '../../support/fake-api-context.ts';
import { NO_HEADERS, noAsk } from '../../support/route-request.ts';

interface Given {
  readonly params?: Record<string, string>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly rawQuery?: string;
  readonly access?: Access;
}

/** Any finished answer. */
type Finished = Pick<Answer, 'status'> & Partial<BytesAnswer & JsonAnswer>;

function call(context: FakeApiContext, id: string, given: Given = {}): Promise<Finished> {
  const route = routes.find((candidate) => candidate.id === id);
  if (route === undefined) throw new Error(`no route ${id}`);
  const request = {
    params: { indexUid: 'films' },
    query: {},
    body: {},
    headers: NO_HEADERS,
    ask: noAsk,
    access: FULL_ACCESS,
    rawQuery: '',
    receivedAtMs: performance.now(),
    caller: { isAborted: false, requestUid: 'r', keyUid: null },
    ...given,
  };
  return Promise.resolve(route.handler(context, request));
}

const withFilms = (settings = {}): FakeApiContext => {
  const context = createFakeApiContext();
  context.publish('films', settings);
  return context;
};

const drafts = ({ calls }: FakeApiContext): unknown[] =>
  calls.filter(({ name }) => name === 'enqueue').map(({ argument }) => argument);

describe('reading an index', () => {
  it('sends one task with the published generation and hands its bytes on', async () => {
    const context = withFilms();
    const body = new TextEncoder().encode('{"hits":[1.0]}');
    context.replies = [() => ({ ok: true, body })];
    const answer = await call(context, 'search.post', { body: { q: 'a' } });
    expect(answer.bytes).toBe(body);
    expect(context.queries).toHaveLength(1);
    expect(context.queries[0]).toMatchObject({
      snapshotKey: '7:1',
      work: { kind: 'search', request: { q: 'a', limit: 20 } },
    });
  });

  it('tries the newest generation once when a thread finds its own gone', async () => {
    const context = withFilms();
    context.replies = [
      () => {
        context.publish('films', {}, 2);
        return { ok: false, error: { code: 'internal', message: 'gone' }, retryWithNewest: true };
      },
      () => jsonReply({}),
    ];
    expect((await call(context, 'search.post')).status).toBe(200);
    expect(context.queries.map(({ snapshotKey }) => snapshotKey)).toEqual(['7:1', '7:2']);
    context.replies = [
      () => ({ ok: false, error: { code: 'internal', message: 'gone' }, retryWithNewest: true }),
    ];
    await expect(call(context, 'search.post')).rejects.toMatchObject({ code: 'internal' });
    expect(context.queries).toHaveLength(4);
  });

  it('passes errors of the thread on with their code', async () => {
    const context = withFilms();
    context.replies = [
      () => ({ ok: false, error: { code: 'invalid_search_facets', message: 'no' } }),
    ];
    await expect(call(context, 'search.post')).rejects.toMatchObject({
      code: 'invalid_search_facets',
      message: 'no',
    });
  });

  it('reads documents by page, ids and id', async () => {
    const context = withFilms();
    await call(context, 'documents.list', { query: { fields: ['*'], ids: ['1'] } });
    await call(context, 'documents.fetch', {
      body: { fields: ['*'], ids: [1, -2, 'x'], limit: 5, filter: 'a = 1' },
    });
    await call(context, 'documents.get', {
      params: { indexUid: 'films', documentId: 'not valid' },
      query: { fields: ['a'] },
    });
    expect(context.queries.map(({ work }) => work)).toEqual([
      {
        kind: 'documents',
        request: {
          offset: 0,
          limit: 20,
          fields: null,
          ids: ['1'],
          filter: null,
          sort: [],
          retrieveVectors: false,
        },
      },
      {
        kind: 'documents',
        request: {
          offset: 0,
          limit: 5,
          fields: ['*'],
          ids: ['1', '-2', 'x'],
          filter: {
            form: 'a = 1',
            features: { containsFilter: false, multimodal: false, foreignKeys: false },
          },
          sort: [],
          retrieveVectors: false,
        },
      },
      { kind: 'document', id: 'not valid', fields: ['a'], retrieveVectors: false },
    ]);
  });
});

describe('writes', () => {
  it('become task drafts, also for indexes that do not exist', async () => {
    const context = createFakeApiContext();
    const payload = { payload: { kind: 'inline', base64: '' }, format: 'json', documentCount: 0 };
    await call(context, 'documents.replace', {
      query: { primaryKey: 'id', customMetadata: '' },
      body: payload,
    });
    await call(context, 'documents.update', { query: { skipCreation: true }, body: payload });
    await call(context, 'documents.deleteOne', {
      params: { indexUid: 'films', documentId: 'a b' },
    });
    await call(context, 'documents.deleteBatch', { body: ['a', 1, true, { b: 1 }] });
    await call(context, 'documents.deleteAll', { query: { customMetadata: 'm' } });
    await call(context, 'indexes.create', { body: { uid: 'new' } });
    await call(context, 'indexes.update', { body: { uid: 'other' } });
    await call(context, 'indexes.delete');
    await call(context, 'indexes.swap', {
      body: [{ indexes: ['a', 'b'] }, { indexes: ['c', 'd'], rename: true }],
    });
    const common = {
      type: 'documentAdditionOrUpdate',
      indexUid: 'films',
      allowIndexCreation: true,
      ...payload,
    };
    expect(drafts(context)).toEqual([
      { ...common, method: 'replace', primaryKey: 'id', skipCreation: false, customMetadata: '' },
      { ...common, method: 'update', primaryKey: null, skipCreation: true },
      { type: 'documentDeletion', indexUid: 'films', by: { kind: 'ids', ids: ['a b'] } },
      {
        type: 'documentDeletion',
        indexUid: 'films',
        by: { kind: 'ids', ids: ['a', '1', 'true', '{"b":1}'] },
      },
      { type: 'documentDeletion', indexUid: 'films', by: { kind: 'all' }, customMetadata: 'm' },
      { type: 'indexCreation', indexUid: 'new', primaryKey: null },
      { type: 'indexUpdate', indexUid: 'films', primaryKey: null, newUid: 'other' },
      { type: 'indexDeletion', indexUid: 'films' },
      {
        type: 'indexSwap',
        swaps: [
          { indexes: ['a', 'b'], rename: false },
          { indexes: ['c', 'd'], rename: true },
        ],
      },
    ]);
  });

  it('of settings carry values as sent; resets never create an index', async () => {
    const context = createFakeApiContext();
    await call(context, 'settings.update', { body: { stopWords: ['b', 'a'], rankingRules: null } });
    await call(context, 'settings.stopWords.update', { body: null });
    await call(context, 'settings.stopWords.reset');
    await call(context, 'settings.reset');
    const [patch, put, reset, resetAll] = drafts(context) as {
      settings: Record<string, unknown>;
      isReset: boolean;
      allowIndexCreation: boolean;
    }[];
    expect(patch).toMatchObject({
      settings: { stopWords: ['b', 'a'], rankingRules: null },
      isReset: false,
      allowIndexCreation: true,
    });
    expect(put).toMatchObject({
      settings: { stopWords: null },
      isReset: false,
      allowIndexCreation: true,
    });
    expect(reset).toMatchObject({
      settings: { stopWords: null },
      isReset: true,
      allowIndexCreation: false,
    });
    expect(Object.keys(resetAll?.settings ?? {})).toHaveLength(26);
    expect(resetAll).toMatchObject({
      settings: { chat: null, foreignKeys: null },
      isReset: true,
      allowIndexCreation: false,
    });
  });

  it('of task selections keep the query string as it was sent', async () => {
    const context = createFakeApiContext();
    const answers = [
      await call(context, 'tasks.cancel', {
        query: { statuses: ['enqueued'] },
        rawQuery: 'statuses=enqueued',
      }),
      await call(context, 'tasks.delete', { query: { uids: ['*'] }, rawQuery: 'uids=*' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(drafts(context)).toEqual([
      {
        type: 'taskCancelation',
        query: { statuses: ['enqueued'] },
        originalFilter: '?statuses=enqueued',
      },
      { type: 'taskDeletion', query: {}, originalFilter: '?uids=*' },
    ]);
  });
});

describe('settings as answers show them', () => {
  it('hide members of features that are off, mask secrets, and complete the order of facet values', async () => {
    const context = withFilms({
      embedders: { a: { source: 'openAi', apiKey: 'sk-0123456789' } },
      faceting: { maxValuesPerFacet: 5, sortFacetValuesBy: { genre: 'count' } },
    });
    const { json } = await call(context, 'settings.get');
    expect(Object.keys(json as object)).toHaveLength(20);
    expect(json).not.toHaveProperty('chat');
    expect(json).not.toHaveProperty('foreignKeys');
    expect(json).toMatchObject({
      embedders: { a: { source: 'openAi', apiKey: 'skXXXX...' } },
      faceting: { maxValuesPerFacet: 5, sortFacetValuesBy: { '*': 'alpha', genre: 'count' } },
      rankingRules: [
        'words',
        'typo',
        'proximity',
        'attributeRank',
        'sort',
        'wordPosition',
        'exactness',
      ],
    });
    expect((await call(context, 'settings.foreignKeys.get')).json).toEqual([]);
    expect((await call(context, 'settings.searchCutoffMs.get')).json).toBeNull();
  });

  it('have the additions to the convention only if they are set', async () => {
    const plain = withFilms({});
    expect((await call(plain, 'settings.get')).json).not.toHaveProperty('matchingStrategy');
    expect((await call(plain, 'settings.matchingStrategy.get')).json).toBe('last');
    const set = withFilms({ matchingStrategy: 'any', inflections: ['eng'] });
    expect((await call(set, 'settings.get')).json).toMatchObject({
      matchingStrategy: 'any',
      inflections: ['eng'],
    });
  });
});

describe('lists and statistics', () => {
  it('list indexes by uid, page by page', async () => {
    const context = createFakeApiContext();
    for (const uid of ['c', 'a', 'b']) context.publish(uid);
    const { json } = await call(context, 'indexes.list', { query: { offset: 1, limit: 1 } });
    expect(json).toMatchObject({ results: [{ uid: 'b' }], offset: 1, limit: 1, total: 3 });
    expect(Object.keys((json as { results: object[] }).results[0] ?? {})).toEqual([
      'uid',
      'createdAt',
      'updatedAt',
      'primaryKey',
    ]);
  });

  it('join what threads and the indexer know, in numbers or in words', async () => {
    const context = createFakeApiContext();
    const files = [
      { component: 'documents', name: 's.seg', bytes: 5000, covers: '' },
      { component: 'columns', name: 's.col', bytes: 600, covers: ['year'] },
      { component: 'columns', name: 't.col', bytes: 400, covers: ['tag'] },
    ];
    const segment = { id: 's', documentCount: 4, deadCount: 1, tombstones: '', files };
    Object.assign(context.publish('films').manifest, { segments: [segment] });
    context.publish('gone');
    context.replies = [
      () =>
        jsonReply({
          numberOfDocuments: 1,
          rawDocumentDbSize: 2048,
          avgDocumentSize: 10,
          isIndexing: false,
          fieldDistribution: {},
        }),
      () => ({ ok: false, error: { code: 'index_not_found', message: 'gone' } }),
    ];
    context.answers = {
      instanceStats: { databaseSize: 4096, usedDatabaseSize: 100, indexing: ['films'] },
    };
    expect(
      (
        await call(context, 'stats.get', {
          query: { sizeFormat: 'human', showInternalDatabaseSizes: true },
        })
      ).json,
    ).toEqual({
      databaseSize: '4 KiB',
      usedDatabaseSize: '100 B',
      lastUpdate: '2024-08-08T17:05:55.791772Z',
      indexes: {
        films: {
          numberOfDocuments: 1,
          indexSize: '5.86 KiB',
          usedIndexSize: '5.86 KiB',
          rawDocumentDbSize: '2 KiB',
          avgDocumentSize: '10 B',
          isIndexing: true,
          fieldDistribution: {},
          internalDatabaseSizes: { documents: '4.88 KiB', columns: '1000 B' },
        },
      },
    });
  });
});

describe('the statistics of an index', () => {
  it('are counted once a generation', async () => {
    const context = createFakeApiContext();
    const count = async () => {
      const { json } = await call(context, 'stats.index', { params: { indexUid: 'films' } });
      return (json as { readonly numberOfDocuments: number }).numberOfDocuments;
    };
    context.replies = [1, 2].map((numberOfDocuments) => () => jsonReply({ numberOfDocuments }));
    context.publish('films', {}, 1);
    expect([await count(), await count()]).toEqual([1, 1]);
    expect(context.queries).toHaveLength(1);
    context.publish('films', {}, 2);
    expect([await count(), await count()]).toEqual([2, 2]);
    expect(context.queries).toHaveLength(2);
  });
});

describe('the documents of a task', () => {
  const given = { params: { taskUid: '3' } };
  const withTask = (stored: PendingPayload | null) => {
    const context = createFakeApiContext();
    context.features = { ...context.features, getTaskDocumentsRoute: true };
    context.answers.getTask = { indexUid: 'films' } as TaskRecord;
    context.answers.getPayload = stored;
    return context;
  };
  const inline = (text: string): PendingPayload => ({
    payload: { kind: 'inline', base64: Buffer.from(text).toString('base64') },
    format: 'ndjson',
  });

  it('are sent as NDJSON while they are stored', async () => {
    const answer = (await call(withTask(inline('{"id":1}\n')), 'tasks.documents', given)) as Answer;
    expect(answer).toMatchObject({ status: 200, contentType: 'application/x-ndjson' });
    const pieces: unknown[] = [];
    if ('stream' in answer)
      for await (const piece of answer.stream(new AbortController().signal)) pieces.push(piece);
    expect(Buffer.concat(pieces as Uint8Array[]).toString()).toBe('{"id":1}\n');
  });

  it('are not found when the task brings none or its file is gone', async () => {
    const gone = {
      payload: { kind: 'file', name: 'x', bytes: 1, crc32c: 0 },
      format: 'json',
    } as const;
    for (const stored of [null, gone])
      await expect(call(withTask(stored), 'tasks.documents', given)).rejects.toMatchObject({
        code: 'task_file_not_found',
      });
  });

  it('are hidden from a key that does not reach the index', async () => {
    const access = { ...FULL_ACCESS, isRestricted: true, reaches: () => false };
    const answer = call(withTask(inline('{}')), 'tasks.documents', { ...given, access });
    await expect(answer).rejects.toMatchObject({ code: 'task_not_found' });
  });
});

it('readiness is refused until the indexer has sent indexes and keys', async () => {
  const context = createFakeApiContext();
  expect(await call(context, 'ready')).toEqual({ status: 200, json: { status: 'ready' } });
  const young = { ...context, indexer: { ...context.indexer, isInitialised: false } };
  await expect(Promise.resolve().then(() => call(young, 'ready'))).rejects.toMatchObject({
    code: 'indexer_unavailable',
  });
});
