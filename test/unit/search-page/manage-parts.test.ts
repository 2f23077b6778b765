/** Logic of tasks and keys that needs no browser. */
import { describe, expect, it } from 'vitest';
import { KEY_ACTIONS } from '../../../src/model/actions.ts';
import {
  everyDay,
  firstDay,
  summaryOf,
} from '../../../src/search-page/manage/analytics-figures.ts';
import {
  actionGroups,
  type KeyChoices,
  keyBodyOf,
  PURPOSES,
} from '../../../src/search-page/manage/key-choices.ts';
import { exampleOf, operationsOf, requestPath } from '../../../src/search-page/manage/openapi.ts';
import { retryOf } from '../../../src/search-page/manage/retry-task.ts';
import {
  bodyOfRule,
  conditionSentence,
  draftOfRule,
  EMPTY_RULE,
  filterValuesOf,
} from '../../../src/search-page/manage/rule-draft.ts';

describe('a retry', () => {
  const failed = { status: 'failed', indexUid: 'a b', details: null };

  it.each([
    [
      'settingsUpdate',
      { stopWords: ['a'] },
      'PATCH',
      'indexes/a%20b/settings',
      { stopWords: ['a'] },
    ],
    [
      'settingsUpdate',
      { embedders: { a: { source: 'rest', url: 'http://b/', headers: {} } } },
      'PATCH',
      'indexes/a%20b/settings',
      { embedders: { a: { source: 'rest', url: 'http://b/', headers: {} } } },
    ],
    ['indexCreation', { primaryKey: 'id' }, 'POST', 'indexes', { uid: 'a b', primaryKey: 'id' }],
    ['indexUpdate', { primaryKey: 'id' }, 'PATCH', 'indexes/a%20b', { primaryKey: 'id' }],
    ['indexSwap', { swaps: [1] }, 'POST', 'swap-indexes', [1]],
    [
      'documentDeletion',
      { originalFilter: '"a = 1"' },
      'POST',
      'indexes/a%20b/documents/delete',
      { filter: 'a = 1' },
    ],
  ])('of %s repeats its request', (type, details, method, path, body) =>
    expect(retryOf({ ...failed, type, details })).toEqual({ method, path, body }),
  );

  it.each([
    [{ type: 'documentAdditionOrUpdate' }],
    [{ type: 'indexDeletion' }],
    [{ type: 'documentDeletion', details: { originalFilter: null, providedIds: 3 } }],
    [
      {
        type: 'settingsUpdate',
        details: { embedders: { a: { source: 'openAi', apiKey: 'XXX...' } } },
      },
    ],
    [{ type: 'settingsUpdate', details: { rerankers: { a: { headers: { b: 'XXX...' } } } } }],
    [{ type: 'settingsUpdate', details: { embedders: { a: { url: 'http://b:XXX...@c/' } } } }],
    [{ type: 'dumpCreation', status: 'succeeded' }],
    [{ type: 'dumpCreation', status: 'processing' }],
  ])('is not offered for %j', (task) => expect(retryOf({ ...failed, ...task })).toBeNull());
});

describe('a new key', () => {
  const choices: KeyChoices = {
    name: ' shop ',
    purpose: 'search',
    actions: ['version'],
    indexes: [],
    lifetime: 'never',
    requestsPerSecond: null,
  };

  it('has what was chosen', () => {
    expect(keyBodyOf(choices, 0)).toEqual({
      name: 'shop',
      actions: ['search'],
      indexes: ['*'],
      expiresAt: null,
    });
    expect(
      keyBodyOf(
        { ...choices, purpose: 'custom', indexes: ['a'], lifetime: 7, requestsPerSecond: 5 },
        0,
      ),
    ).toEqual({
      name: 'shop',
      actions: ['version'],
      indexes: ['a'],
      expiresAt: '1970-01-08T00:00:00.000Z',
      requestsPerSecond: 5,
    });
  });

  it('has actions that the server has', () => {
    const offered = Object.values(PURPOSES).flatMap(({ actions }) => actions as readonly string[]);
    expect(offered.filter((action) => !KEY_ACTIONS.includes(action))).toEqual([]);
    expect([...actionGroups().values()].flat().sort()).toEqual([...KEY_ACTIONS].sort());
  });
});

describe('a search rule', () => {
  const conditions = {
    time: { start: '2030-01-01T00:00:00Z' },
    query: { words: 'paris' },
    filter: { values: { genres: 'Drama', year: [1990, 1991] } },
  };
  const actions = [
    { selector: { indexUid: 'films', id: '43' }, action: { type: 'pin' as const, position: 0 } },
    { selector: { id: '7' }, action: { type: 'pin' as const, position: 4 } },
  ];

  it('comes back from its form as it was', () => {
    const rule = {
      uid: 'r',
      active: false,
      precedence: 3,
      lastUpdatedAt: null,
      conditions,
      actions,
    };
    expect(bodyOfRule(draftOfRule(rule))).toEqual({
      description: null,
      active: false,
      precedence: 3,
      conditions,
      actions,
    });
    expect(bodyOfRule(EMPTY_RULE)).toMatchObject({ conditions: {}, actions: [] });
  });

  it('says when it acts', () => {
    expect(conditionSentence(EMPTY_RULE)).toBe('Always');
    expect(conditionSentence({ ...EMPTY_RULE, queryIs: 'words', words: 'a', end: '2030' })).toBe(
      'When the query has “a”, and until 2030',
    );
  });

  it('has numbers and booleans among the values of filters', () => {
    expect(filterValuesOf('1990, true,, a b, -1.5')).toEqual([1990, true, 'a b', -1.5]);
  });
});

describe('the console', () => {
  const schemas = {
    Body: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } },
  };

  it.each([
    [{ $ref: '#/components/schemas/Body' }, { q: '' }],
    [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }, 'a'],
    [{ type: 'array', items: { type: 'integer' } }, [0]],
    [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
    [{ type: 'string', example: 'x' }, 'x'],
  ])('takes %j as %j', (schema, example) => expect(exampleOf(schema, schemas)).toEqual(example));

  it('lists routes with their parameters and bodies', () => {
    const parameters = [
      { name: 'uid', in: 'path', schema: { type: 'string' } },
      { name: 'limit', in: 'query', description: 'how many' },
    ];
    const content = { 'application/json': { example: { a: 1 } } };
    const route = { summary: 'Does it', tags: ['t'], parameters, requestBody: { content } };
    const [operation] = operationsOf({ paths: { '/x/{uid}': { post: route } } });
    expect(operation).toMatchObject({
      id: 'POST /x/{uid}',
      group: 't',
      example: '{\n  "a": 1\n}',
      parameters: [{ in: 'path' }, { in: 'query', about: 'how many' }],
    });
    if (operation === undefined) throw new Error('no operation');
    expect(requestPath(operation, { uid: 'a b', limit: '2' })).toBe('x/a%20b?limit=2');
    expect(requestPath(operation, { uid: 'a', limit: '' })).toBe('x/a');
  });
});

describe('figures of search analytics', () => {
  const figures = {
    searches: 8,
    searchesWithoutResults: 2,
    trackedSearches: 4,
    clickThroughRate: 0.25,
    meanClickPosition: 1.26,
  };

  it('have every day of the period, also over the end of a month', () => {
    const days = everyDay([{ day: '2026-03-01', ...figures }], '2026-02-27', '2026-03-02');
    expect(days.map(({ day, searches }) => [day, searches])).toEqual([
      ['2026-02-27', 0],
      ['2026-02-28', 0],
      ['2026-03-01', 8],
      ['2026-03-02', 0],
    ]);
    expect(firstDay(30, Date.parse('2026-03-02T00:00:00Z'))).toBe('2026-02-01');
    expect(firstDay(1, Date.parse('2026-03-02T23:59:59Z'))).toBe('2026-03-02');
  });

  it('are texts for people, also without anything to divide by', () => {
    expect(summaryOf(figures).map(([, text]) => text)).toEqual(['8', '25.0 %', '25.0 %', '1.3']);
    const none = { ...figures, searches: 0, clickThroughRate: null, meanClickPosition: null };
    expect(summaryOf(none).map(([, text]) => text)).toEqual(['0', '–', '–', '–']);
  });
});
