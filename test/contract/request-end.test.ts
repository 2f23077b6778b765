/** Requests to embedders, remotes and rerankers end with the request that they are made for. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { SearchEmbedders } from '../../src/embedding/search-embedders.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { AddressPolicy } from '../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../src/http-client/outgoing-http.ts';
import { NO_NETWORK } from '../../src/model/network.ts';
import { RemoteSearches } from '../../src/network/remote-searches.ts';
import { Personalization } from '../../src/rerank/personalization.ts';
import { RerankService } from '../../src/rerank/rerank-service.ts';
import { namedShape } from '../../src/rerank/service-shape.ts';
import {
  createFakeApiContext,
  type FakeApiContext,
  jsonReply,
} from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';
import { httpCall } from '../support/http-request.ts';
import {
  type MadeChatProvider,
  makeChatProvider,
  saying,
  searching,
} from '../support/made-chat-provider.ts';
import { madeEnvironment, restSettings } from '../support/made-embedder.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

type EmbedArguments =
  Parameters<FakeApiContext['embedders']['embedQuery']> extends [unknown, unknown, ...infer Rest]
    ? Rest
    : never;
const JSON_TYPE = { 'content-type': 'application/json' };
/** A reply to each kind of work. */
const REPLY = {
  hits: [{ id: 1 }, { id: 2 }],
  facetHits: [],
  results: [],
  total: 0,
  processingTimeMs: 0,
};
const SEARCH = '/indexes/films/search';
const hybrid = (semanticRatio: number) => ({ q: 'a', hybrid: { embedder: 'e', semanticRatio } });
const CALLS: readonly (readonly [string, string, object])[] = [
  ['the embedder of a semantic search', SEARCH, hybrid(1)],
  ['the embedder of a hybrid search', SEARCH, hybrid(0.5)],
  [
    'the embedder of a federated search',
    '/multi-search',
    { federation: {}, queries: [{ indexUid: 'films', ...hybrid(0.5) }] },
  ],
  [
    'a remote of a federated search',
    '/multi-search',
    { federation: {}, queries: [{ indexUid: 'films', federationOptions: { remote: 'far' } }] },
  ],
  [
    'a remote of a facet search',
    '/indexes/films/facet-search',
    { facetName: 'genre', useNetwork: true },
  ],
  ['a remote of documents', '/indexes/films/documents/fetch', { useNetwork: true }],
  ['a reranker', SEARCH, { q: 'a', personalize: { userContext: 'likes the sea' } }],
];

for (const adapter of httpAdapters) {
  describeOver(adapter, `a request to another server that never answers, over ${adapter}`, () => {
    let silent: Server;
    const sockets = new Set<Socket>();
    let outgoing: OutgoingHttp;
    let server: HttpServer;
    let context: FakeApiContext;
    const providers: MadeChatProvider[] = [];

    beforeEach(async () => {
      silent = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('data', () => undefined);
        socket.on('close', () => sockets.delete(socket));
      });
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      outgoing = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
    });
    afterEach(async () => {
      await server.close(100);
      for (const provider of providers.splice(0)) provider.close();
      outgoing.close();
      for (const socket of sockets) socket.destroy();
      silent.close();
    });

    async function start(searchTimeoutMs: number): Promise<void> {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const { send } = outgoing;
      const settings = restSettings(url);
      const embedders = new SearchEmbedders(madeEnvironment({ send }), 10);
      const remote = { url, searchApiKey: null, writeApiKey: null };
      const timeoutMs = PATIENCE_MS;
      const shape = namedShape('m', 'results');
      const service = new RerankService({ url, apiKey: 'k', shape, timeoutMs, send });
      const log = { warn: () => undefined };
      const fake = createFakeApiContext({ searchTimeoutMs });
      context = Object.assign(fake, {
        embedders: {
          embedQuery: (_: unknown, name: string, ...[query, options]: EmbedArguments) =>
            embedders.embedQuery(name, settings, query, options),
        },
        network: { ...NO_NETWORK, self: 'here', remotes: { far: remote } },
        remoteSearches: new RemoteSearches(send, PATIENCE_MS),
        personalization: new Personalization({ service, now: () => performance.now(), log }),
        features: { ...fake.features, network: true, chatCompletions: true },
        replies: [() => jsonReply(REPLY)],
      });
      const searchParameters = { hybrid: { embedder: 'e', semanticRatio: 1 } };
      context.publish('films', { embedders: { e: settings }, chat: { searchParameters } });
      context.chat = { ...context.chat, open: outgoing.open };
      server = await serve({ host: '127.0.0.1', port: 0, adapter }, routes, context);
    }

    it.each(CALLS)('ends when the client leaves: %s', async (_, path, body) => {
      await start(PATIENCE_MS);
      const asked = httpRequest({ port: server.port, path, method: 'POST', headers: JSON_TYPE });
      asked.on('error', () => undefined);
      asked.end(JSON.stringify(body));
      await until('the other server has been called', () => sockets.size === 1);
      asked.destroy();
      await until('the call has ended', () => sockets.size === 0);
      expect(context.failures).toEqual([]);
    });

    it.each(CALLS)('ends at the time limit: %s', async (_, path, body) => {
      await start(300);
      const answer = await httpCall(server.port, 'POST', path, {
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(503);
      expect(answer.json).toMatchObject({ code: 'search_timeout' });
      await until('the call has ended', () => sockets.size === 0);
      expect(context.failures).toEqual([]);
    });

    /** A provider that has a model search `films` and then answer. */
    async function startChat(searchTimeoutMs: number): Promise<MadeChatProvider> {
      await start(searchTimeoutMs);
      const provider = await makeChatProvider(
        { events: searching({ index_uid: 'films', q: 'a', filter: null }) },
        { events: saying('none') },
      );
      providers.push(provider);
      const { status } = await httpCall(server.port, 'PATCH', '/chats/shop/settings', {
        headers: JSON_TYPE,
        body: JSON.stringify({ baseUrl: provider.url }),
      });
      expect(status).toBe(200);
      return provider;
    }
    const COMPLETIONS = '/chats/shop/chat/completions';
    const COMPLETION = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'Which?' }],
      stream: true,
    });

    it('ends when the client leaves: the embedder of a search of a chat', async () => {
      const provider = await startChat(PATIENCE_MS);
      const asked = httpRequest({
        port: server.port,
        path: COMPLETIONS,
        method: 'POST',
        headers: JSON_TYPE,
      });
      asked.on('error', () => undefined);
      asked.on('response', (answer) => answer.on('error', () => undefined).resume());
      asked.end(COMPLETION);
      await until('the embedder has been called', () => sockets.size === 1);
      asked.destroy();
      await until('the call has ended', () => sockets.size === 0);
      expect(provider.asked).toHaveLength(1);
      expect(context.failures).toEqual([]);
    });

    it('ends at the time limit: the embedder of a search of a chat, which goes on', async () => {
      const provider = await startChat(300);
      const answer = await httpCall(server.port, 'POST', COMPLETIONS, {
        headers: JSON_TYPE,
        body: COMPLETION,
      });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('none');
      expect(provider.asked[1]?.body.messages.at(-1)?.['content']).toContain(
        '--search-timeout-seconds',
      );
      await until('the call has ended', () => sockets.size === 0);
      expect(context.failures).toEqual([]);
    });
  });
}
