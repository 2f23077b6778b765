/**
 * Settings through the official client: read, changed, reset, tried, and seen by the next search.
 * Each sub-route: test/unit/api/routes.test.ts.
 */
import type { Index, Settings } from 'meilisearch';
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

/** A value of each setting. */
const VALUES = {
  searchableAttributes: ['title'],
  displayedAttributes: ['id', 'title'],
  rankingRules: ['typo', 'words', 'exactness'],
  stopWords: ['the', 'a', 'the'],
  synonyms: { ocean: ['sea'] },
  separatorTokens: ['&&', '|'],
  nonSeparatorTokens: ['#', '@'],
  dictionary: ['J. R. R.'],
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 4, twoTypos: 9 },
    disableOnWords: ['sea'],
    disableOnAttributes: ['text'],
    disableOnNumbers: true,
  },
  proximityPrecision: 'byAttribute',
  prefixSearch: 'disabled',
  searchCutoffMs: 150,
  pagination: { maxTotalHits: 12 },
} satisfies Partial<Settings>;
/** What is read afterwards. */
const STORED: Partial<Settings> = { ...VALUES, stopWords: ['a', 'the'] };

test('all settings are changed and reset at once', async () => {
  await index.updateSettings(VALUES).waitTask();
  expect(await index.getSettings()).toEqual({ ...defaults, ...STORED });
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
