/** Tokens of a real OpenID provider against real processes: roles, filters, rotation, outage. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { sendJson } from '../support/http-request.ts';
import { makeChatProvider, saying, searching } from '../support/made-chat-provider.ts';
import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.ts';
import { isLongRun } from '../support/run-length.ts';
import {
  cleanUp,
  clientOf,
  freshFolder,
  ServerProcess,
  TestServer,
} from '../support/test-server.ts';

const MASTER_KEY = 'the master key of these tests';
/** Between two requests that wait for the end of the cooldown of 30 seconds. */
const SELDOM_MS = 500;
const ROLES = [
  { role: 'admin', actions: ['*'], indexes: ['*'] },
  { role: 'editor', actions: ['documents.*', 'search', 'tasks.get'], indexes: ['notes', 'texts'] },
  {
    role: 'customer',
    actions: ['search', 'chatCompletions'],
    indexes: ['notes'],
    filter: 'tenant = {tenant}',
  },
];

function rolesFile(roles: unknown): string {
  const path = join(freshFolder(), 'roles.json');
  writeFileSync(path, JSON.stringify(roles));
  return path;
}

const flagsOf = ({ issuer, audience }: Pick<OpenidProvider, 'issuer' | 'audience'>) => [
  ...['--master-key', MASTER_KEY, '--oidc-issuer', issuer, '--oidc-audience', audience],
  ...['--oidc-roles-claim', 'realm_access.roles', '--oidc-roles-file', rolesFile(ROLES)],
  ...['--experimental-allowed-ip-networks', '127.0.0.1'],
];

const chats = await makeChatProvider(({ body: { messages } }) => {
  const last = messages.at(-1);
  return last?.['role'] === 'tool'
    ? { events: saying(String(last['content'])) }
    : { events: searching({ index_uid: 'notes', q: 'blue', filter: null }) };
});
let provider: OpenidProvider;
let server: TestServer;
const as = (apiKey: string) => clientOf(server.url, apiKey);
const tokenOf = (role: string, more: object = {}) =>
  provider.token({ realm_access: { roles: [role] }, ...more });

beforeAll(async () => {
  provider = await startOpenidProvider();
  server = await TestServer.start({ flags: flagsOf(provider) });
  const master = as(MASTER_KEY);
  const notes = master.index('notes');
  await master.updateExperimentalFeatures({ chatCompletions: true });
  await notes.updateSettings({
    filterableAttributes: ['tenant', 'kind'],
    embedders: { made: { source: 'userProvided', dimensions: 2 } },
  });
  await notes
    .addDocuments([
      { id: 1, title: 'Blue notebook', tenant: 7, kind: 'book', _vectors: { made: [1, 0] } },
      { id: 2, title: 'Blue pen', tenant: 8, kind: 'tool', _vectors: { made: [1, 0.1] } },
      { id: 3, title: 'Blue paper', tenant: 'x" OR tenant = "8', _vectors: { made: [0, 1] } },
    ])
    .waitTask();
  await notes.updateChat({ description: 'Notes', documentTemplate: '{{ doc.title }}' }).waitTask();
  await master.chat('shop').update({ source: 'vLlm', baseUrl: chats.url, apiKey: 'sk-1' });
});
afterAll(async () => {
  const exit = await server.stop();
  chats.close();
  await provider.close();
  await cleanUp();
  expect(exit.code).toBe(0);
});

describe('a token of the provider', () => {
  it('has the actions and indexes of its role, with bodies of every size', async () => {
    expect((await as(await tokenOf('admin')).getKeys()).total).toBe(4);
    const editor = as(await tokenOf('editor'));
    await as(MASTER_KEY).createIndex('texts').waitTask();
    const documents = Array.from({ length: 2000 }, (_, id) => {
      return { id, title: `${'Long '.repeat(200)}${id}` };
    });
    const task = await editor.index('texts').addDocuments(documents).waitTask();
    expect(task).toMatchObject({ status: 'succeeded', details: { receivedDocuments: 2000 } });
    expect((await editor.index('texts').search('long 17')).hits).toHaveLength(20);
    expect(await codeOf(editor.getKeys())).toBe('invalid_api_key');
    const refused = await server.call('POST', '/indexes/texts/documents', {
      headers: {
        authorization: `Bearer ${await tokenOf('nobody')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(documents),
    });
    expect(refused).toMatchObject({ status: 403, json: { code: 'invalid_api_key' } });
  });

  it('searches behind the filter of its role by every route', async () => {
    const client = as(await tokenOf('customer', { tenant: 7 }));
    const notes = client.index('notes');
    const ids = (hits: readonly Record<string, unknown>[]) => hits.map(({ id }) => id);
    expect(ids((await notes.search('blue')).hits)).toEqual([1]);
    expect(ids((await notes.search('blue', { filter: 'tenant = 8' })).hits)).toEqual([]);
    const queries = [{ indexUid: 'notes', q: 'blue' }];
    const { results } = await client.multiSearch({ queries });
    expect(ids(results[0]?.hits ?? [])).toEqual([1]);
    expect(ids((await client.multiSearch({ federation: {}, queries })).hits)).toEqual([1]);
    const similar = await notes.searchSimilarDocuments({ id: 1, embedder: 'made' });
    expect(ids(similar.hits)).toEqual([]);
    const hidden = notes.searchSimilarDocuments({ id: 2, embedder: 'made' });
    expect(await codeOf(hidden)).toBe('not_found_similar_id');
    const facets = await notes.searchForFacetValues({ facetName: 'kind' });
    expect(facets.facetHits).toEqual([{ value: 'book', count: 1 }]);
    const stream = await client.chat('shop').streamCompletion({
      model: 'made',
      messages: [{ role: 'user', content: 'blue?' }],
      stream: true,
    });
    const said = await new Response(stream).text();
    expect(said).toContain('Blue notebook');
    expect(said).not.toMatch(/Blue (pen|paper)/);
    expect(await codeOf(notes.getDocuments())).toBe('invalid_api_key');
    expect(await codeOf(client.index('other').search(''))).toBe('invalid_api_key');
  });

  it('cannot widen its filter by a claim', async () => {
    const client = as(await tokenOf('customer', { tenant: 'x" OR tenant = "8' }));
    expect((await client.index('notes').search('blue')).hits.map(({ id }) => id)).toEqual([3]);
  });

  it('for another resource is refused, and the log names no token', async () => {
    const token = await provider.token({ realm_access: { roles: ['admin'] } }, 'urn:other');
    const answer = await server.call('GET', '/keys', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer).toMatchObject({ status: 403, json: { code: 'invalid_api_key' } });
    const [, claims = ''] = token.split('.');
    expect(answer.text + server.stdout + server.stderr).not.toContain(claims);
  });
});

describe('a start', () => {
  it('ends with the reason when the roles are invalid', async () => {
    const roles = rolesFile([{ ...ROLES[0], filter: 'tenant = 1' }]);
    const flags = [...flagsOf({ issuer: 'http://127.0.0.1:9', audience: 'a' })];
    flags[flags.indexOf('--oidc-roles-file') + 1] = roles;
    const { exited } = new ServerProcess([...flags, '--db-path', freshFolder()]);
    const { code, stderr } = await exited;
    expect(code).not.toBe(0);
    expect(stderr).toContain('option `--oidc-roles-file`: role 1: expected no action');
  });

  it('needs no provider: the master key works, tokens are answered with 503', async () => {
    const started = await TestServer.start({
      flags: flagsOf({ issuer: 'http://127.0.0.1:9', audience: provider.audience }),
    });
    expect((await clientOf(started.url, MASTER_KEY).getKeys()).total).toBe(4);
    const answer = await started.call('POST', '/indexes/x/search', {
      ...sendJson({ q: '' }),
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await tokenOf('admin')}`,
      },
    });
    expect(answer).toMatchObject({
      status: 503,
      json: { code: 'identity_provider_unavailable' },
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(started.stdout + started.stderr).toContain('could not be fetched');
    await started.stop();
  });
});

describe('the keys of the provider', () => {
  // The cooldown takes half a minute; test/unit/auth/openid-tokens.test.ts has a clock of its own.
  it.runIf(isLongRun)(
    'are fetched once; the cooldown limits fetches for unknown keys',
    async () => {
      const fetches = () => provider.asked.filter((path) => path === '/jwks').length;
      const before = fetches();
      await provider.rotate(true);
      const rotated = await tokenOf('admin');
      const totalOf = () =>
        as(rotated)
          .getKeys()
          .then(
            ({ total }) => total,
            () => null,
          );
      await expect.poll(totalOf, { interval: SELDOM_MS }).toBe(4);
      expect(fetches()).toBe(before + 1);
    },
  );

  it('outlive the provider', async () => {
    const [first, second] = [await tokenOf('admin'), await tokenOf('editor')];
    await provider.close();
    expect((await as(first).getKeys()).total).toBe(4);
    expect((await as(second).index('notes').search('blue')).hits).toHaveLength(3);
    provider = await startOpenidProvider();
  });
});
