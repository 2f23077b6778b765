/**
 * Settings through the official client: whole and on each sub-route, read, changed, reset, and seen
 * by the next search.
 */
import type { EnqueuedTaskPromise, Index, Settings } from 'meilisearch';
import { beforeAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

const UID = freshUid('settings');
let server: SharedServer;
let index: Index;
let defaults: Settings;

beforeAll(async () => {
  server = await sharedServer();
  index = server.client.index(UID);
  const docs = [
    { id: 1, title: 'the sea', text: 'shore and foam' },
    { id: 2, title: 'a lake', text: 'the still water' },
  ];
  await index.addDocuments(docs, { primaryKey: 'id' }).waitTask();
  defaults = await index.getSettings();
});

interface SubRoute {
  readonly name: keyof Settings;
  readonly get: () => Promise<unknown>;
  readonly update: (value: never) => EnqueuedTaskPromise;
  readonly reset: () => EnqueuedTaskPromise;
  readonly value: unknown;
  /** What is read afterwards, where it is not the value. */
  readonly stored?: unknown;
}

const typoTolerance = {
  enabled: true,
  minWordSizeForTypos: { oneTypo: 4, twoTypos: 9 },
  disableOnWords: ['sea'],
  disableOnAttributes: ['text'],
  disableOnNumbers: true,
};

const subRoutes = (i: Index): SubRoute[] => [
  {
    name: 'searchableAttributes',
    get: () => i.getSearchableAttributes(),
    update: (value) => i.updateSearchableAttributes(value),
    reset: () => i.resetSearchableAttributes(),
    value: ['title'],
  },
  {
    name: 'displayedAttributes',
    get: () => i.getDisplayedAttributes(),
    update: (value) => i.updateDisplayedAttributes(value),
    reset: () => i.resetDisplayedAttributes(),
    value: ['id', 'title'],
  },
  {
    name: 'rankingRules',
    get: () => i.getRankingRules(),
    update: (value) => i.updateRankingRules(value),
    reset: () => i.resetRankingRules(),
    value: ['typo', 'words', 'exactness'],
  },
  {
    name: 'stopWords',
    get: () => i.getStopWords(),
    update: (value) => i.updateStopWords(value),
    reset: () => i.resetStopWords(),
    value: ['the', 'a', 'the'],
    stored: ['a', 'the'],
  },
  {
    name: 'synonyms',
    get: () => i.getSynonyms(),
    update: (value) => i.updateSynonyms(value),
    reset: () => i.resetSynonyms(),
    value: { ocean: ['sea'] },
  },
  {
    name: 'separatorTokens',
    get: () => i.getSeparatorTokens(),
    update: (value) => i.updateSeparatorTokens(value),
    reset: () => i.resetSeparatorTokens(),
    value: ['&&', '|'],
  },
  {
    name: 'nonSeparatorTokens',
    get: () => i.getNonSeparatorTokens(),
    update: (value) => i.updateNonSeparatorTokens(value),
    reset: () => i.resetNonSeparatorTokens(),
    value: ['#', '@'],
  },
  {
    name: 'dictionary',
    get: () => i.getDictionary(),
    update: (value) => i.updateDictionary(value),
    reset: () => i.resetDictionary(),
    value: ['J. R. R.'],
  },
  {
    name: 'typoTolerance',
    get: () => i.getTypoTolerance(),
    update: (value) => i.updateTypoTolerance(value),
    reset: () => i.resetTypoTolerance(),
    value: typoTolerance,
  },
  {
    name: 'proximityPrecision',
    get: () => i.getProximityPrecision(),
    update: (value) => i.updateProximityPrecision(value),
    reset: () => i.resetProximityPrecision(),
    value: 'byAttribute',
  },
  {
    name: 'prefixSearch',
    get: () => i.getPrefixSearch(),
    update: (value) => i.updatePrefixSearch(value),
    reset: () => i.resetPrefixSearch(),
    value: 'disabled',
  },
  {
    name: 'searchCutoffMs',
    get: () => i.getSearchCutoffMs(),
    update: (value) => i.updateSearchCutoffMs(value),
    reset: () => i.resetSearchCutoffMs(),
    value: 150,
  },
  {
    name: 'pagination',
    get: () => i.getPagination(),
    update: (value) => i.updatePagination(value),
    reset: () => i.resetPagination(),
    value: { maxTotalHits: 12 },
  },
];

test('every sub-route is read, changed and reset', async () => {
  for (const { name, get, update, reset, value, stored = value } of subRoutes(index)) {
    expect(await get(), name).toEqual(defaults[name]);
    const task = await update(value as never).waitTask();
    expect(task, name).toMatchObject({ status: 'succeeded', type: 'settingsUpdate', error: null });
    expect(await get(), name).toEqual(stored);
    expect((await index.getSettings())[name], name).toEqual(stored);
    expect((await reset().waitTask()).status, name).toBe('succeeded');
    expect(await get(), name).toEqual(defaults[name]);
  }
});

test('all settings are changed and reset at once', async () => {
  const wanted = Object.fromEntries(
    subRoutes(index).map(({ name, value }) => [name, value]),
  ) as Settings;
  const stored = Object.fromEntries(
    subRoutes(index).map(({ name, value, stored = value }) => [name, stored]),
  );
  await index.updateSettings(wanted).waitTask();
  expect(await index.getSettings()).toEqual({ ...defaults, ...stored });
  await index.updateSettings({ stopWords: null }).waitTask();
  expect(await index.getStopWords()).toEqual([]);
  expect(await index.getPagination()).toEqual({ maxTotalHits: 12 });
  await index.resetSettings().waitTask();
  expect(await index.getSettings()).toEqual(defaults);
});

test('a changed setting changes the next search', async () => {
  const ids = async (query: string) => (await index.search(query)).hits.map(({ id }) => id);
  expect(await ids('ocean')).toEqual([]);
  await index.updateSynonyms({ ocean: ['sea'] }).waitTask();
  expect(await ids('ocean')).toEqual([1]);
  expect(await ids('foam')).toEqual([1]);
  await index.updateSearchableAttributes(['title']).waitTask();
  expect(await ids('foam')).toEqual([]);
  expect(await ids('sae')).toEqual([]);
  await index.updateTypoTolerance({ minWordSizeForTypos: { oneTypo: 3 } }).waitTask();
  expect(await ids('sae')).toEqual([1]);
  await index.updateDisplayedAttributes(['title']).waitTask();
  expect((await index.search('sea')).hits).toEqual([{ title: 'the sea' }]);
  await index.resetSettings().waitTask();
});

test('a setting that depends on a stored one fails its task and changes nothing', async () => {
  const task = await index.updateTypoTolerance({ minWordSizeForTypos: { oneTypo: 20 } }).waitTask();
  expect(task).toMatchObject({
    status: 'failed',
    error: { code: 'invalid_settings_typo_tolerance' },
  });
  expect(await index.getSettings()).toEqual(defaults);
});

const post = (path: string, body: object) =>
  server.call('POST', `/indexes/${UID}${path}`, sendJson(body));

const tried = async (body: object) => {
  const answer = await post('/settings/preview', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as {
    rebuilds: { component: string; segments: number; documents: number; bytes: number }[];
    embeds: string[];
    result: object | null;
  };
};

const withoutFacts = (answer: object) => ({ ...answer, requestUid: '', processingTimeMs: 0 });

test('settings that are tried answer as they would stored, and are not stored', async () => {
  const changes: readonly Partial<Settings>[] = [
    { synonyms: { ocean: ['sea'] } },
    { rankingRules: ['words', 'title:desc'] as string[] },
    { typoTolerance: { minWordSizeForTypos: { oneTypo: 3 } } },
    { displayedAttributes: ['title'] },
    { stopWords: [] },
    { pagination: { maxTotalHits: 1 } },
    { searchableAttributes: ['text', '*'] },
  ];
  const searches = ['', 'ocean', 'sae', 'the'].map((q) => ({
    q,
    showRankingScore: true,
    attributesToHighlight: ['*'],
  }));
  for (const settings of changes) {
    const answers = [];
    for (const search of searches) answers.push(await tried({ settings, search }));
    expect(await index.getSettings()).toEqual(defaults);
    await index.updateSettings(settings).waitTask();
    for (const [i, search] of searches.entries()) {
      const { rebuilds, embeds, result } = answers[i]!;
      const stored = (await post('/search', search)).json as object;
      const isReady = rebuilds.length === 0;
      expect({ embeds, result: isReady ? withoutFacts(result ?? {}) : result }).toEqual({
        embeds: [],
        result: isReady ? withoutFacts(stored) : null,
      });
    }
    await index.resetSettings().waitTask();
  }
});

test('settings that are tried tell what they would rebuild', async () => {
  const search = { q: 'sea' };
  expect(await tried({ settings: { searchableAttributes: ['title'] }, search })).toMatchObject({
    rebuilds: [{ component: 'documents', segments: 1, documents: 2 }],
    result: null,
  });
  expect(await tried({ settings: { filterableAttributes: ['title'] } })).toMatchObject({
    rebuilds: [{ component: 'columns', segments: 1, documents: 2 }],
  });
  const ofUser = { source: 'userProvided', dimensions: 2 };
  expect(await tried({ settings: { embedders: { ofUser } }, search })).toMatchObject({
    rebuilds: [{ component: 'vectors' }],
    embeds: [],
    result: null,
  });
  const ollama = { source: 'ollama', model: 'm', url: 'http://127.0.0.1:1/api/embed' };
  expect(await tried({ settings: { embedders: { ollama } }, search })).toEqual({
    rebuilds: [],
    embeds: ['ollama'],
    result: null,
  });
  expect(await tried({ settings: {} })).toEqual({ rebuilds: [], embeds: [], result: null });
});

test('settings create an index, a reset does not', async () => {
  const made = server.client.index(freshUid('made-by-settings'));
  await made.updateStopWords(['x']).waitTask();
  expect(await made.getStopWords()).toEqual(['x']);
  expect(
    (await server.client.index(freshUid('not-made')).resetStopWords().waitTask()).error?.code,
  ).toBe('index_not_found');
});
