/** The official client against real processes: search rules from the request to the hit. */
import type { Meilisearch, SearchRuleUpdatePayload } from 'meilisearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { freshUid, sharedServer } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

const FILMS = freshUid('films');
let client: Meilisearch;

beforeAll(async () => {
  ({ client } = await sharedServer());
  await client.updateExperimentalFeatures({ dynamicSearchRules: true });
  // Those of earlier files.
  await client.deleteAllDynamicSearchRules().waitTask();
  await client.index(FILMS).updateFilterableAttributes(['genre']).waitTask();
  const films = Array.from({ length: 12 }, (_, id) => ({
    id,
    title: `film ${id}`,
    genre: id % 2 === 0 ? 'drama' : 'war',
  }));
  await client.index(FILMS).addDocuments(films).waitTask();
});
afterAll(async () => {
  await client.deleteAllDynamicSearchRules().waitTask();
  await client.updateExperimentalFeatures({ dynamicSearchRules: false });
});

const pin = (id: string, position: number) => ({
  selector: { indexUid: FILMS, id },
  action: { type: 'pin' as const, position },
});
const put = (uid: string, rule: SearchRuleUpdatePayload) =>
  client.updateDynamicSearchRule(uid, rule).waitTask();

async function found(q: string, options: object = {}): Promise<unknown[]> {
  const { hits } = await client.index(FILMS).search(q, { limit: 3, ...options });
  return hits.map(({ id }) => id);
}

test('a rule is made, read, listed, changed and deleted', async () => {
  const made = await put('drama-first', {
    description: 'dramas come first',
    precedence: 3,
    conditions: { query: { words: 'film', isEmpty: null } },
    actions: [pin('10', 0)],
  });
  expect(made).toMatchObject({
    status: 'succeeded',
    type: 'dsrUpdate',
    indexUid: '.meili_dsr',
    details: { rule: { precedence: 3 }, updatedRules: 1 },
  });
  const rule = {
    uid: 'drama-first',
    description: 'dramas come first',
    lastUpdatedAt: expect.stringMatching(/^\d{4}-/),
    precedence: 3,
    active: true,
    conditions: { query: { words: 'film' } },
    actions: [pin('10', 0)],
  };
  expect(await client.getDynamicSearchRule('drama-first')).toEqual(rule);
  await put('later', {});
  expect(await client.getDynamicSearchRules({ limit: 1 })).toMatchObject({
    results: [{ uid: 'later', active: true, conditions: {}, actions: [] }],
    offset: 0,
    limit: 1,
    total: 2,
  });
  expect(await client.getDynamicSearchRules({ filter: { query: 'DRAMAS' } })).toMatchObject({
    results: [rule],
    total: 1,
  });
  const listed = async (query: string): Promise<number> =>
    (await client.getDynamicSearchRules({ filter: { query } })).total;
  for (const query of ['film', 'dramas nowhere', 'Drámas', '-nowhere dramas'])
    expect(await listed(query), query).toBe(1);
  for (const query of ['drama', 'drama-first', 'nowhere dramas', 'dramas -film'])
    expect(await listed(query), query).toBe(0);
  for (const query of ['', '*', '-nowhere']) expect(await listed(query), query).toBe(2);
  await put('drama-first', { description: null, active: false });
  expect(await client.getDynamicSearchRules({ filter: { active: false } })).toMatchObject({
    results: [{ uid: 'drama-first', precedence: 3, active: false }],
  });
  const deleted = await client.deleteDynamicSearchRule('drama-first').waitTask();
  expect(deleted).toMatchObject({ type: 'dsrUpdate', details: { updatedRules: 1 } });
  expect(await codeOf(client.getDynamicSearchRule('drama-first'))).toBe(
    'dynamic_search_rule_not_found',
  );
  const cleared = await client.deleteAllDynamicSearchRules().waitTask();
  expect(cleared).toMatchObject({ type: 'dsrClear', details: { deletedDocuments: 1 } });
  const { results } = await client.tasks.getTasks({ indexUids: ['.meili_dsr'], limit: 5 });
  expect(results.map(({ type }) => type)).toEqual([
    'dsrClear',
    ...['dsrUpdate', 'dsrUpdate', 'dsrUpdate', 'dsrUpdate'],
  ]);
});

test('every search acts by a rule from the moment its task has succeeded, on every thread, kept answers too', async () => {
  for (let round = 0; round < 8; round++) {
    const id = String(round + 4);
    await put('first', { actions: [pin(id, 0)] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => found('film')));
    for (const ids of answers) expect(ids).toEqual([Number(id), 0, 1]);
  }
  await put('first', { active: false });
  expect(await found('film')).toEqual([0, 1, 2]);
});

test('conditions open and close a rule while time goes by', async () => {
  let aheadMs = 500;
  const early = await until('an answer before the start', async () => {
    aheadMs *= 2;
    const start = new Date(Date.now() + aheadMs).toISOString();
    await put('first', { active: true, conditions: { time: { start } }, actions: [pin('9', 1)] });
    const ids = await found('film');
    return Date.now() < Date.parse(start) ? ids : null;
  });
  expect(early).toEqual([0, 1, 2]);
  await expect.poll(() => found('film')).toContain(9);
  expect(await found('film')).toEqual([0, 9, 1]);
  await put('first', { conditions: { filter: { values: { genre: 'war' } } } });
  expect(await found('film')).toEqual([0, 1, 2]);
  expect(await found('film', { filter: 'genre = war' })).toEqual([1, 9, 3]);
});

test('what a tenant token and the filter hide stays hidden', async () => {
  await put('first', { conditions: {}, actions: [pin('9', 0)] });
  expect(await found('film', { filter: 'genre = drama' })).toEqual([0, 2, 4]);
});

test('rules do nothing while the feature is off', async () => {
  expect(await found('film')).toEqual([9, 0, 1]);
  await client.updateExperimentalFeatures({ dynamicSearchRules: false });
  expect(await found('film')).toEqual([0, 1, 2]);
  expect(await codeOf(client.getDynamicSearchRules())).toBe('feature_not_enabled');
  expect(await codeOf(client.updateDynamicSearchRule('first', {}))).toBe('feature_not_enabled');
  await client.updateExperimentalFeatures({ dynamicSearchRules: true });
  expect(await found('film')).toEqual([9, 0, 1]);
});
