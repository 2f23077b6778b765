/** Every switch opens what it names: refused while it is off, never for its sake while it is on. */
import { afterAll, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { serve } from '../../src/http/server.ts';
import { FEATURES, type Feature, NO_FEATURES } from '../../src/model/features.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { httpCall, sendJson } from '../support/http-request.ts';

const context = createFakeApiContext();
context.publish('films', { embedders: { e: { source: 'userProvided', dimensions: 2 } } });
const server = await serve({ host: '127.0.0.1', port: 0, adapter: 'node' }, routes, context);
afterAll(() => server.close(100));

type Request = readonly [method: string, path: string, body?: object];

const media = { media: {}, hybrid: { embedder: 'e' } };
const part = {
  source: 'rest',
  url: 'https://a.example/',
  dimensions: 2,
  request: '{{text}}',
  response: '{{embedding}}',
};
const composite = { source: 'composite', searchEmbedder: part, indexingEmbedder: part };

/** Filters are parsed by query threads: CONTAINS and `_vectors` are looked at in test/e2e. */
const GATED: Readonly<Partial<Record<Feature, readonly Request[]>>> = {
  metrics: [['GET', '/metrics']],
  logsRoute: [
    ['POST', '/logs/stderr', {}],
    ['DELETE', '/logs/stream'],
  ],
  dynamicSearchRules: [
    ['POST', '/dynamic-search-rules', {}],
    ['GET', '/dynamic-search-rules/a'],
    ['PATCH', '/dynamic-search-rules/a', {}],
    ['DELETE', '/dynamic-search-rules/a'],
    ['DELETE', '/dynamic-search-rules'],
  ],
  editDocumentsByFunction: [['POST', '/indexes/films/documents/edit', { function: 'doc.a = 1' }]],
  network: [
    ['GET', '/network'],
    ['PATCH', '/network', {}],
    ['POST', '/indexes/films/search', { useNetwork: false }],
    ['POST', '/indexes/films/facet-search', { facetName: 'a', useNetwork: false }],
    ['POST', '/indexes/films/documents/fetch', { useNetwork: false }],
    [
      'POST',
      '/multi-search',
      {
        queries: [{ indexUid: 'films', federationOptions: { queryPosition: 1 } }],
        federation: {},
      },
    ],
  ],
  foreignKeys: [['PUT', '/indexes/films/settings/foreign-keys', []]],
  getTaskDocumentsRoute: [['GET', '/tasks/1/documents']],
  taskQueueCompactionRoute: [['POST', '/tasks/compact']],
  compositeEmbedders: [['PATCH', '/indexes/films/settings/embedders', { c: composite }]],
  chatCompletions: [
    ['GET', '/chats'],
    ['GET', '/chats/a'],
    ['DELETE', '/chats/a'],
    ['GET', '/chats/a/settings'],
    ['PATCH', '/chats/a/settings', {}],
    ['DELETE', '/chats/a/settings'],
    ['POST', '/chats/a/chat/completions', { model: 'm', messages: [{ role: 'user' }] }],
    ['PATCH', '/indexes/films/settings', { chat: {} }],
    ['PATCH', '/indexes/films/settings/chat', { description: 'Films' }],
  ],
  multimodal: [
    ['POST', '/indexes/films/search', media],
    [
      'PATCH',
      '/indexes/films/settings/embedders',
      { r: { searchFragments: { a: { value: 'a' } } } },
    ],
  ],
  renderRoute: [
    ['POST', '/render-template', { template: { kind: 'inlineDocumentTemplate', inline: 'a' } }],
  ],
};

/** Its answers do not end. */
const STREAMING: readonly Feature[] = ['tasksStreamingRoute'];
/** What query threads refuse. */
const IN_FILTERS: readonly Feature[] = ['containsFilter'];
/** Refuses nothing. */
const REFUSING_NOTHING: readonly Feature[] = ['disableDocumentsFetchQueue', 'legacySearch'];

it('each switch that exists is looked at', () => {
  const seen = [...Object.keys(GATED), ...STREAMING, ...IN_FILTERS, ...REFUSING_NOTHING].sort();
  expect(seen).toEqual([...FEATURES].sort());
});

const codeOf = async ([method, path, body]: Request): Promise<unknown> => {
  const options = body === undefined ? {} : sendJson(body);
  const { json } = await httpCall(server.port, method, path, options);
  return (json as { readonly code?: string } | undefined)?.code;
};

it.each(
  Object.entries(GATED).flatMap(([name, requests]) => requests.map((r) => [name, r] as const)),
)('%s opens %j', async (name, request) => {
  context.features = NO_FEATURES;
  expect(await codeOf(request)).toBe('feature_not_enabled');
  context.features = { ...NO_FEATURES, [name]: true };
  expect(await codeOf(request)).not.toBe('feature_not_enabled');
  const others = FEATURES.filter((other) => other !== name);
  context.features = {
    ...NO_FEATURES,
    ...Object.fromEntries(others.map((other) => [other, true])),
  };
  expect(await codeOf(request)).toBe('feature_not_enabled');
});

it.each(['/tasks/stream', '/batches/stream'])('tasksStreamingRoute opens %s', async (path) => {
  context.features = NO_FEATURES;
  expect(await codeOf(['GET', path])).toBe('feature_not_enabled');
});
