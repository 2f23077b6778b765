/** Logic of tasks and keys that needs no browser. */
import { describe, expect, it } from 'vitest';
import { tenantToken } from '../../../src/cli/commands/token-command.ts';
import { KEY_ACTIONS } from '../../../src/model/actions.ts';
import {
  actionGroups,
  type KeyChoices,
  keyBodyOf,
  PURPOSES,
} from '../../../src/search-page/manage/key-choices.ts';
import { retryOf } from '../../../src/search-page/manage/retry-task.ts';
import { signTenantToken } from '../../../src/search-page/manage/tenant-token.ts';

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

it('a tenant token of the page is that of the command line', async () => {
  const searchRules = { 'films*': { filter: 'tenant = "ü"' } };
  const facts = { apiKey: 'a key', apiKeyUid: 'a uid', searchRules, exp: 1_900_000_000 };
  expect(await signTenantToken(facts)).toBe(
    tenantToken('a key', 'a uid', searchRules, 1_900_000_000),
  );
});
