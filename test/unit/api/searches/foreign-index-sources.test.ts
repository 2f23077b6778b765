/** Which other indexes a search brings along to its thread, and what keeps its answer from being kept wrongly. */
import { describe, expect, it } from 'vitest';
import { searchRoutes } from '../../../../src/api/routes/search-routes.ts';
import {
  foreignAccess,
  foreignIndexSources,
} from '../../../../src/api/searches/foreign-index-sources.ts';
import { type Access, FULL_ACCESS } from '../../../../src/auth/access.ts';
import type { QueryTask, QueryWork } from '../../../../src/ipc/queries/query-protocol.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { createFakeApiContext, type FakeApiContext } from '../../../support/fake-api-context.ts';
import { NO_HEADERS } from '../../../support/route-request.ts';
import { searchFilter, searchRequest } from '../../../support/search-request.ts';

const KEYS = [
  { fieldName: 'by', foreignIndexUid: 'people' },
  { fieldName: 'sequel', foreignIndexUid: 'films' },
  { fieldName: 'place', foreignIndexUid: 'nowhere' },
];
const ON = { ...NO_FEATURES, foreignKeys: true };
const SEARCH: QueryWork = {
  kind: 'search',
  request: DEFAULT_SEARCH_REQUEST,
  requestUid: 'r',
  spentMs: 0,
};

function setUp(): FakeApiContext {
  const context = createFakeApiContext();
  context.features = ON;
  context.publish('people', {}, 3);
  context.publish('films', { foreignKeys: KEYS }, 5);
  return context;
}

function sources(context: FakeApiContext, access: Access | null, work = SEARCH): unknown[] {
  const films = context.indexes.get('films');
  if (films === undefined) throw new Error('no films');
  return foreignIndexSources(context, films, work, access).map((source) => [
    source.fieldName,
    source.snapshotKey,
    source.binding?.form ?? null,
  ]);
}

const PEOPLE = ['by', '7:3', null];
const FILMS = ['sequel', '8:5', null];

describe('a search brings along', () => {
  it('the indexes of its keys that exist, in their newest generation', () => {
    const context = setUp();
    expect(sources(context, FULL_ACCESS)).toEqual([PEOPLE, FILMS]);
    context.publish('people', {}, 4);
    expect(sources(context, FULL_ACCESS)).toEqual([['by', '7:4', null], FILMS]);
  });

  it('never another generation of its own index, under whatever name that is known by now', () => {
    const context = setUp();
    const old = context.indexes.get('films');
    context.publish('films', { foreignKeys: KEYS }, 6);
    if (old === undefined) throw new Error('no films');
    const keys = foreignIndexSources(context, old, SEARCH, FULL_ACCESS).map((s) => s.snapshotKey);
    expect(keys).toEqual(['7:3', '8:5']);
  });

  it('nothing while the feature is off, and nothing for another instance', () => {
    const context = setUp();
    expect(sources(context, null)).toEqual([]);
    const headers = { ...NO_HEADERS, proxySearch: 'true' };
    expect(foreignAccess({ access: FULL_ACCESS, headers })).toBeNull();
    expect(foreignAccess({ access: FULL_ACCESS, headers: { ...headers, proxySearch: '' } })).toBe(
      FULL_ACCESS,
    );
    context.features = NO_FEATURES;
    expect(sources(context, FULL_ACCESS)).toEqual([]);
  });

  it('what the caller reaches, with the filter that binds it there', () => {
    const reaches = (uid: string): boolean => uid !== 'people';
    expect(sources(setUp(), { ...FULL_ACCESS, reaches })).toEqual([FILMS]);
    const searchFilter = (uid: string): unknown => (uid === 'people' ? ['team = x'] : null);
    expect(sources(setUp(), { ...FULL_ACCESS, searchFilter })).toEqual([
      ['by', '7:3', ['team = x']],
      FILMS,
    ]);
  });

  it.each<[string, QueryWork, number]>([
    ['a document', { kind: 'document', id: '1', fields: null, retrieveVectors: false }, 0],
    ['statistics', { kind: 'stats' }, 0],
    ['documents', { kind: 'documents', request: documents(null) }, 0],
    ['documents by a filter', { kind: 'documents', request: documents('a = 1') }, 2],
    ['values of a facet', facetSearch(undefined), 0],
    ['values of a facet by a filter', facetSearch('a = 1'), 2],
    ['a federated search', { kind: 'federated', search: {} as never }, 2],
    ['similar documents', { kind: 'similar', request: {} as never, spentMs: 0 }, 2],
  ])('%s: %i', (_, work, count) => {
    expect(sources(setUp(), FULL_ACCESS, work)).toHaveLength(count);
  });

  it('what settings that are tried name', () => {
    const context = setUp();
    const films = context.indexes.get('films');
    if (films === undefined) throw new Error('no films');
    const settings = { ...films.manifest.settings, foreignKeys: KEYS.slice(0, 1) };
    const work = { kind: 'settingsPreview', settings, embeds: [], search: null } as const;
    expect(sources(context, FULL_ACCESS, work)).toEqual([PEOPLE]);
  });
});

function documents(filter: string | null) {
  const none = { fields: null, ids: null, sort: [], retrieveVectors: false };
  return { offset: 0, limit: 1, ...none, filter: searchFilter(filter) };
}

function facetSearch(filter: string | undefined): QueryWork {
  const search = searchRequest({ filter });
  return { kind: 'facetSearch', request: { facetName: 'a', facetQuery: null, search }, spentMs: 0 };
}

describe('a kept answer', () => {
  const places = { timeStart: 1, timeEnd: 1, uidStart: 1, uidEnd: 1 };

  function search(context: FakeApiContext, access: Access = FULL_ACCESS) {
    return searchRoutes[0]?.handler(context, {
      params: { indexUid: 'films' },
      query: {},
      headers: { userId: '' },
      body: { q: 'a' },
      access,
      rawQuery: '',
      receivedAtMs: context.clock.monotonic(),
      caller: { isAborted: false, requestUid: 'r', keyUid: null },
    } as never);
  }

  it('is computed again when an index of its keys has changed, or for callers that see less of it', async () => {
    const context = setUp();
    context.replies = [() => ({ ok: true, body: new Uint8Array([123, 125]), places })];
    const asked = async (access?: Access): Promise<number> => {
      await search(context, access);
      return context.queries.length;
    };
    expect([await asked(), await asked()]).toEqual([1, 1]);
    context.publish('people', {}, 4);
    expect([await asked(), await asked()]).toEqual([2, 2]);
    const bound = {
      ...FULL_ACCESS,
      searchFilter: (uid: string) => (uid === 'people' ? 'a = 1' : null),
    };
    expect([await asked(bound), await asked(bound), await asked()]).toEqual([3, 3, 3]);
    const blind = { ...FULL_ACCESS, reaches: (uid: string) => uid !== 'people' };
    expect([await asked(blind), await asked(blind)]).toEqual([4, 4]);
    context.features = NO_FEATURES;
    expect([await asked(), await asked()]).toEqual([5, 5]);
    context.features = ON;
    expect(await asked()).toBe(5);
  });

  it('is computed by a thread with these indexes; if files are gone, with the newest generation', async () => {
    const context = setUp();
    const told = ({ foreign }: QueryTask) => foreign?.map(({ snapshotKey }) => snapshotKey);
    context.replies = [
      () => {
        context.publish('people', {}, 4);
        const error = { code: 'internal', message: 'gone' } as const;
        return { ok: false, error, retryWithNewest: true };
      },
      () => ({ ok: true, body: new Uint8Array([123, 125]), places }),
    ];
    await search(context);
    expect(context.queries.map(told)).toEqual([
      ['7:3', '8:5'],
      ['7:4', '8:5'],
    ]);
  });
});
