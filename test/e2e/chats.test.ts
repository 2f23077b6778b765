/** Chats with the official client against real processes and a provider on a socket. */
import { join } from 'node:path';
import type { ChatCompletionRequest, Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import {
  type AskedRound,
  type MadeRound,
  makeChatProvider,
  saying,
  searching,
  usage,
} from '../support/made-chat-provider.ts';
import {
  emptiedServer,
  LOCAL_TARGETS,
  MASTER_KEY,
  SHARED_BACKUPS,
  type SharedServer,
  sharedServer,
} from '../support/shared-server.ts';
import { cleanUp, clientOf, TestServer } from '../support/test-server.ts';

const SECRET = 'sk-0123456789012345678901234567890';

/** Searches for what the question says, then says what was found. */
function answer({ body: { messages } }: AskedRound): MadeRound {
  const last = messages.at(-1);
  const said = String(last?.['content']);
  if (last?.['role'] !== 'tool') return { events: searching(JSON.parse(said)), pieceBytes: 50 };
  return { events: [...saying(said).slice(0, -1), usage(100, 5), '[DONE]'] };
}

const provider = await makeChatProvider(answer);
let server: SharedServer;
let admin: Meilisearch;
beforeAll(async () => {
  server = await emptiedServer();
  admin = server.client;
  await admin.updateExperimentalFeatures({ chatCompletions: true, metrics: true });
  const films = admin.index('films');
  await films.updateSettings({ filterableAttributes: ['tenant', 'year'] });
  await films
    .addDocuments([
      { id: 1, title: 'Lassie', tenant: 1, year: 1943 },
      { id: 2, title: 'Hachi', tenant: 2, year: 2009 },
    ])
    .waitTask();
  await films
    .updateChat({ description: 'Films', documentTemplate: '{{ doc.title }}, {{ doc.year }}' })
    .waitTask();
  await admin
    .index('secrets')
    .addDocuments([{ id: 1, title: 'Lassie' }])
    .waitTask();
  await admin.chat('shop').update({ source: 'vLlm', baseUrl: provider.url, apiKey: SECRET });
});
afterAll(async () => {
  const { client } = await sharedServer();
  await client.deleteChatWorkspace('shop');
  await client.updateExperimentalFeatures({ chatCompletions: false, metrics: false });
  provider.close();
  await cleanUp();
});

const question = (content: object, more: object = {}): ChatCompletionRequest => ({
  model: 'made',
  messages: [{ role: 'user', content: JSON.stringify(content) }],
  stream: true,
  ...more,
});

/** What a client with the key reads of the stream. */
async function ask(key: string, request: ChatCompletionRequest): Promise<string> {
  const stream = await clientOf(server.url, key).chat('shop').streamCompletion(request);
  const text = await new Response(stream).text();
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  return text;
}

const contentOf = (text: string): string =>
  [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(([, json]) => JSON.parse(json ?? '').choices?.[0]?.delta.content ?? '')
    .join('');

async function keyNamed(name: string) {
  const { results } = await admin.getKeys();
  const found = results.find((key) => key.name === name);
  if (found === undefined) throw new Error(`no key ${name}`);
  return found;
}

describe('a chat', () => {
  it('searches and answers with the key for chats', async () => {
    const { key } = await keyNamed('Default Chat API Key');
    const text = await ask(
      key,
      question({ index_uid: 'films', q: 'lassie', filter: 'year < 2000' }),
    );
    expect(contentOf(text)).toBe('Lassie, 1943');
    expect(provider.asked.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const { key: searchKey } = await keyNamed('Default Search API Key');
    const refused = clientOf(server.url, searchKey).chat('shop').streamCompletion(question({}));
    expect(await codeOf(refused)).toBe('invalid_api_key');
  });

  it('shows the model frequent values of attributes, of documents that the client may see', async () => {
    const { key, uid } = await keyNamed('Default Chat API Key');
    const systemPrompt = () => String(provider.asked.at(-1)?.body.messages[0]?.['content']);
    await ask(key, question({ index_uid: 'films', q: 'lassie' }));
    expect(systemPrompt()).toContain('year (values such as "1943", "2009")');
    const token = await generateTenantToken({
      apiKey: key,
      apiKeyUid: uid,
      searchRules: { films: { filter: 'tenant = 1' } },
    });
    await ask(token, question({ index_uid: 'films', q: 'lassie' }));
    expect(systemPrompt()).toContain('year (values such as "1943")');
  });

  it('tells the model what is wrong with a filter, and what the client may not see', async () => {
    const { key, uid } = await keyNamed('Default Chat API Key');
    const wrong = await ask(key, question({ index_uid: 'films', filter: 'title = Lassie' }));
    expect(contentOf(wrong)).toMatch(/^The search failed: .*title/);
    const token = await generateTenantToken({
      apiKey: key,
      apiKeyUid: uid,
      searchRules: { films: { filter: 'tenant = 2' } },
    });
    const tools = [{ type: 'function', function: { name: '_meiliSearchSources' } }];
    const all = await ask(
      token,
      question({ index_uid: 'films', q: '', filter: 'tenant = 1 OR tenant = 2' }, { tools }),
    );
    expect(contentOf(all)).toBe('Hachi, 2009');
    expect(all).not.toContain('Lassie');
    expect(JSON.stringify(provider.asked.at(-1)?.body.messages[0])).not.toContain('secrets');
    const hidden = await ask(token, question({ index_uid: 'secrets', q: 'lassie' }));
    expect(contentOf(hidden)).toContain('there is no index `secrets`');
  });

  it('is counted', async () => {
    const metrics = await server.call('GET', '/metrics');
    expect(metrics.text).toMatch(/meilisearch_chat_searches_total\{type="internal"\} [1-9]/);
    expect(metrics.text).toMatch(
      /meilisearch_chat_tokens_total\{workspace="shop",model="made"\} \d+/,
    );
  });
});

describe('what is set', () => {
  it('is shown with the other settings while the feature is on', async () => {
    const { documentTemplate } = await admin.index('films').getChat();
    expect(documentTemplate).toBe('{{ doc.title }}, {{ doc.year }}');
    const settings = await admin.index('films').getSettings();
    expect(settings).toMatchObject({ chat: { description: 'Films', searchParameters: {} } });
  });

  it('goes with a dump', async () => {
    const before = await admin.chat('shop').get();
    const { details } = await admin.createDump().waitTask();
    const dump = join(SHARED_BACKUPS, `${details?.dumpUid}.dump`);
    const flags = [...LOCAL_TARGETS, '--import-dump', dump];
    server = await TestServer.start({ masterKey: MASTER_KEY, flags });
    admin = server.client;
    expect(await admin.chat('shop').get()).toEqual(before);
    expect(await admin.index('films').getChat()).toMatchObject({ description: 'Films' });
    const { key } = await keyNamed('Default Chat API Key');
    const text = await ask(key, question({ index_uid: 'films', q: 'hachi' }));
    expect(contentOf(text)).toBe('Hachi, 2009');
    expect(provider.asked.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });
});
