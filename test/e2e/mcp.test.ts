/** `gannet mcp` and `POST /mcp`, called by the client of the protocol's SDK. */
import { resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';

const PROGRAM = resolve(import.meta.dirname, '../../scripts/gannet.mjs');
const FILMS = freshUid('films');

let server: SharedServer;
let readKey: string;
const clients: Client[] = [];

async function connect(key: string, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', GANNET_URL: server.url, GANNET_KEY: key };
  const args = [PROGRAM, 'mcp', ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  clients.push(client);
  return client;
}

/** @param versionNegotiation of the client; its default opens sessions as clients of 2025 do */
async function connectOverHttp(
  key: string,
  query = '',
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), { requestInit }),
  );
  clients.push(client);
  return client;
}

async function ask(client: Client, name: string, given: object): Promise<unknown> {
  const { content } = await client.callTool({ name, arguments: { ...given } });
  const [first] = content;
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

beforeAll(async () => {
  server = await sharedServer();
  const { client: admin } = server;
  const embedders = { own: { source: 'userProvided' as const, dimensions: 2 } };
  await admin.index(FILMS).updateSettings({ filterableAttributes: ['genre'], embedders });
  const films = [
    { id: 1, title: 'Dark Star', genre: 'comedy', _vectors: { own: [1, 0] } },
    { id: 2, title: 'Star Wars', genre: 'adventure', _vectors: { own: [0, 1] } },
  ];
  await admin.index(FILMS).addDocuments(films).waitTask();
  const actions = ['search', 'documents.get', 'indexes.get', 'settings.get', 'stats.get'] as const;
  const key = await admin.createKey({ actions: [...actions], indexes: [FILMS], expiresAt: null });
  readKey = key.key;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
});

describe('an assistant', () => {
  it('gets tools that read, each with the rights of its API key', async () => {
    const client = await connect(readKey);
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(tools.map(({ name }) => name)).toEqual([
      'list_indexes',
      'index_statistics',
      'index_settings',
      'search',
      'facet_search',
      'get_documents',
    ]);
    const index = FILMS;
    expect(await ask(client, 'list_indexes', {})).toMatchObject({ results: [{ uid: FILMS }] });
    expect(await ask(client, 'index_statistics', { index })).toMatchObject({
      numberOfDocuments: 2,
    });
    expect(await ask(client, 'index_settings', { index })).toMatchObject({
      filterableAttributes: ['genre'],
    });
    const found = { index, q: 'star', filter: 'genre = comedy', facets: ['genre'] };
    expect(await ask(client, 'search', found)).toMatchObject({
      hits: [{ id: 1 }],
      facetDistribution: { genre: { comedy: 1 } },
    });
    const hybrid = { embedder: 'own', semanticRatio: 1 };
    expect(await ask(client, 'search', { index, vector: [0, 1], hybrid, limit: 1 })).toMatchObject({
      hits: [{ id: 2 }],
    });
    expect(await ask(client, 'facet_search', { index, facetName: 'genre' })).toMatchObject({
      facetHits: [{ value: 'adventure' }, { value: 'comedy' }],
    });
    expect(
      await ask(client, 'get_documents', { index, ids: [2], fields: ['title'] }),
    ).toMatchObject({
      results: [{ title: 'Star Wars' }],
    });
  });

  it('gets error codes of refusals, and errors of invalid arguments', async () => {
    const client = await connect(readKey);
    const call = (name: string, given: object) =>
      client.callTool({ name, arguments: { ...given } });
    expect(await call('search', { index: FILMS, filter: 'title = x' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_search_filter' } },
    });
    expect(await call('search', { index: 'secret' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_api_key' } },
    });
    expect(await call('search', { index: FILMS, limit: 1000 })).toMatchObject({ isError: true });
  });

  it('may change documents with --allow-writes', async () => {
    const client = await connect(MASTER_KEY, '--allow-writes');
    const documents = [{ id: 3, title: 'Solaris', genre: 'drama', _vectors: { own: null } }];
    expect(await ask(client, 'add_documents', { index: FILMS, documents })).toMatchObject({
      status: 'succeeded',
    });
    await ask(client, 'delete_documents', { index: FILMS, ids: [1] });
    expect(await ask(client, 'search', { index: FILMS })).toMatchObject({
      estimatedTotalHits: 2,
    });
  });
});

describe('an assistant over HTTP', () => {
  it.each([
    ['a client of 2025', {}],
    ['a client of 2026', { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const],
  ])('%s gets tools that read, with the rights of its API key', async (_, options) => {
    const client = await connectOverHttp(readKey, '', options);
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(await ask(client, 'list_indexes', {})).toMatchObject({ results: [{ uid: FILMS }] });
    const found = { index: FILMS, q: 'wars', facets: ['genre'] };
    expect(await ask(client, 'search', found)).toMatchObject({
      hits: [{ id: 2 }],
      facetDistribution: { genre: { adventure: 1 } },
    });
    expect(await client.callTool({ name: 'search', arguments: { index: 'secret' } })).toMatchObject(
      {
        isError: true,
        structuredContent: { error: { code: 'invalid_api_key' } },
      },
    );
  });

  it('may change documents with allowWrites', async () => {
    const client = await connectOverHttp(MASTER_KEY, '?allowWrites=true');
    const documents = [{ id: 9, title: 'Stalker', genre: 'drama', _vectors: { own: null } }];
    expect(await ask(client, 'add_documents', { index: FILMS, documents })).toMatchObject({
      status: 'succeeded',
    });
    expect(await ask(client, 'search', { index: FILMS, q: 'stalker' })).toMatchObject({
      hits: [{ id: 9 }],
    });
    expect(
      await client.callTool({
        name: 'add_documents',
        arguments: { index: FILMS, documents: [{ title: 'no id' }] },
      }),
    ).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'missing_document_id' } },
    });
  });

  it('needs a key that may search', async () => {
    const asked = (key: string) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(key && { Authorization: key }) },
        body: '{}',
      });
    expect((await asked('')).status).toBe(401);
    expect((await asked('Bearer wrong')).status).toBe(403);
  });
});
