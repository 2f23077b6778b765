/** Chats over HTTP: workspaces, and completions with a provider over HTTP and searches in memory. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { CHAT_LIMITS } from '../../src/chat/chat-limits.ts';
import { ChatMetrics } from '../../src/chat/chat-metrics.ts';
import { ChatPlaces } from '../../src/chat/chat-places.ts';
import { serve } from '../../src/http/server.ts';
import { AddressPolicy } from '../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../src/http-client/outgoing-http.ts';
import { NO_FEATURES } from '../../src/model/features.ts';
import { createFakeApiContext, jsonReply } from '../support/fake-api-context.ts';
import { httpCall, sendJson } from '../support/http-request.ts';
import {
  type MadeChatProvider,
  type MadeRound,
  makeChatProvider,
  saying,
  searching,
} from '../support/made-chat-provider.ts';
import { until } from '../support/until.ts';

const http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
const context = createFakeApiContext();
const server = await serve({ host: '127.0.0.1', port: 0, adapter: 'node' }, routes, context);
const open: MadeChatProvider[] = [];
afterAll(async () => {
  for (const provider of open) provider.close();
  http.close();
  await server.close(100);
});
beforeEach(() => {
  context.features = { ...NO_FEATURES, chatCompletions: true };
  context.chats.length = 0;
  context.queries.length = 0;
  context.chat = {
    open: http.open,
    places: new ChatPlaces(1),
    metrics: new ChatMetrics(),
    limits: { ...CHAT_LIMITS, requestCharsMax: 5000 },
  };
});

const call = (method: string, path: string, body?: unknown) =>
  httpCall(server.port, method, path, body === undefined ? {} : sendJson(body));
const messages = [{ role: 'user', content: 'Which?' }];
const COMPLETIONS = '/chats/shop/chat/completions';
const complete = (more: object = {}) =>
  call('POST', COMPLETIONS, { model: 'm', messages, stream: true, ...more });

async function providerOf(...rounds: readonly MadeRound[]) {
  const provider = await makeChatProvider(...rounds);
  open.push(provider);
  await call('PATCH', '/chats/shop/settings', { baseUrl: provider.url });
  return provider;
}

describe('workspaces', () => {
  it('are made by a change of their settings, listed, reset and deleted', async () => {
    expect(
      (await call('PATCH', '/chats/shop/settings', { apiKey: 'sk-123456' })).json,
    ).toMatchObject({
      source: 'openAi',
      apiKey: 'XXX...',
      baseUrl: null,
    });
    await call('PATCH', '/chats/zoo/settings', {});
    expect((await call('GET', '/chats?limit=1&offset=1')).json).toEqual({
      results: [{ uid: 'zoo' }],
      offset: 1,
      limit: 1,
      total: 2,
    });
    expect((await call('GET', '/chats/shop')).json).toEqual({ uid: 'shop' });
    expect((await call('DELETE', '/chats/shop/settings')).json).toMatchObject({ apiKey: null });
    expect((await call('DELETE', '/chats/shop')).status).toBe(204);
    expect((await call('GET', '/chats/shop/settings')).json).toMatchObject({
      code: 'chat_not_found',
    });
  });
});

describe('a completion', () => {
  it.each([
    [{ stream: false }, 'unimplemented_non_streaming_chat_completions', 501],
    [{ n: 2 }, 'unimplemented_multi_choice_chat_completions', 501],
    [{ n: 2, stream: false }, 'unimplemented_multi_choice_chat_completions', 501],
    [
      { tools: [{ type: 'function', function: { name: 'mine' } }] },
      'unimplemented_external_function_calling',
      501,
    ],
    [{ functions: [{ name: 'mine' }] }, 'unimplemented_external_function_calling', 501],
    [{ tools: [{ function: { name: '_meiliSearchInIndex' } }] }, 'bad_request', 400],
    [{ tool_choice: { function: { name: 'mine' } } }, 'bad_request', 400],
    [{ messages: [{ role: 'user', content: 'x'.repeat(5000) }] }, 'payload_too_large', 413],
  ])('%# is refused', async (body, code, status) => {
    const provider = await providerOf({ events: saying('no') });
    const answer = await complete(body);
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([status, code]);
    expect(provider.asked).toEqual([]);
  });

  it('searches as the setting of the index says, and renders by its template', async () => {
    context.publish('films', {
      filterableAttributes: ['year'],
      chat: {
        description: 'Films',
        documentTemplate: '{{ doc.title }} ({{ doc.year }})',
        searchParameters: { limit: 3, sort: ['year:desc'], matchingStrategy: 'all' },
      },
    });
    context.replies = [
      () => jsonReply({ hits: [], facetDistribution: { year: { 1943: 1 } } }),
      () =>
        jsonReply({
          hits: [
            { id: 1, title: 'Lassie', year: 1943 },
            { id: 2, title: 'Hachi' },
          ],
        }),
    ];
    const provider = await providerOf(
      { events: searching({ index_uid: 'films', q: 'dog', filter: 'year > 1940' }) },
      { events: saying('Lassie') },
    );
    const answer = await complete();
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
    });
    expect(answer.text).toContain('"content":"Lassie"');
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(context.queries[1]?.work).toMatchObject({
      kind: 'search',
      request: { q: 'dog', limit: 3, matchingStrategy: 'all' },
    });
    // A template that does not fit a document gives way to the default.
    expect(provider.asked[1]?.body.messages.at(-1)?.['content']).toBe(
      'Lassie (1943)\n---\nid: 2\ntitle: Hachi\n',
    );
  });

  it('gives its place back, also when the client leaves', async () => {
    context.publish('films', {});
    const provider = await providerOf({ events: saying('Las').slice(0, 2), hangs: true });
    const leave = new AbortController();
    const url = `http://127.0.0.1:${server.port}${COMPLETIONS}`;
    const init = { method: 'POST', ...sendJson({ model: 'm', messages, stream: true }) };
    const response = await fetch(url, { ...init, signal: leave.signal });
    await until('the provider is asked', () => provider.asked.length === 1);
    expect((await complete()).json).toMatchObject({ code: 'too_many_search_requests' });
    leave.abort();
    await response.text().catch(() => undefined);
    await until('the provider is left', () => provider.left() === 1);
    provider.close();
    await providerOf({ events: saying('again') });
    await until('the place is free', async () => (await complete()).status === 200);
  });
});
