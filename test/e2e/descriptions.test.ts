/**
 * Answers of a real server have the shape that its own OpenAPI description gives them, and that of the
 * public description, `../shared/spec/openapi.json`, if it is next to the project.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerShapeOf } from '../../src/api/description/answer-shapes.ts';
import { routes } from '../../src/api/routes/index.ts';
import { Router } from '../../src/http/router.ts';
import { FEATURES } from '../../src/model/features.ts';
import { sendJson } from '../support/http-request.ts';
import { LOCAL_TARGETS } from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const KEY = 'a master key of some length';
const KEY_UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';

/** Method, path, body. `$webhook` in a path is the webhook that was made. */
type Asked = readonly [method: string, path: string, body?: unknown];

const FILMS = '/indexes/films';
const documents = Array.from({ length: 8 }, (_, id) => ({
  id,
  title: `film ${id}`,
  genre: 'drama',
  year: 1990 + id,
  _vectors: { e: [id, 1] },
}));
const semantic = { vector: [1, 2], hybrid: { embedder: 'e', semanticRatio: 1 } };
const everything = {
  q: 'film',
  facets: ['genre', 'year'],
  showRankingScoreDetails: true,
  showPerformanceDetails: true,
  retrieveVectors: true,
};

const sequence: readonly Asked[] = [
  ['POST', '/indexes', { uid: 'films', primaryKey: 'id' }],
  [
    'PATCH',
    `${FILMS}/settings`,
    {
      filterableAttributes: ['genre', 'year'],
      sortableAttributes: ['year'],
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
    },
  ],
  ['POST', `${FILMS}/documents`, documents],
  ['PUT', `${FILMS}/documents`, documents.slice(0, 2)],
  ['POST', `${FILMS}/documents`, [{ id: {} }]],
  ['GET', `${FILMS}/documents?limit=2`],
  ['POST', `${FILMS}/documents/fetch`, { filter: 'year > 1995' }],
  ['GET', `${FILMS}/documents/3`],
  ['GET', `${FILMS}/search?q=film&profile=true`],
  ['POST', `${FILMS}/search`, everything],
  ['POST', `${FILMS}/search?profile=true`, { ...semantic, page: 1, retrieveVectors: true }],
  ['POST', `${FILMS}/search`, { q: 'film', useNetwork: true, facets: ['genre'] }],
  ['POST', `${FILMS}/similar`, { id: 1, embedder: 'e', showPerformanceDetails: true }],
  ['GET', `${FILMS}/similar?id=1&embedder=e`],
  ['POST', `${FILMS}/facet-search`, { facetName: 'genre', facetQuery: 'dra' }],
  ['POST', `${FILMS}/facet-search`, { facetName: 'genre', useNetwork: true }],
  ['POST', '/multi-search', { queries: [{ indexUid: 'films', ...everything }] }],
  [
    'POST',
    '/multi-search',
    {
      federation: { facetsByIndex: { films: ['genre'] }, showPerformanceDetails: true },
      queries: [{ indexUid: 'films', ...semantic, retrieveVectors: true }],
    },
  ],
  [
    'POST',
    '/multi-search',
    {
      federation: { facetsByIndex: { films: ['genre'] }, mergeFacets: {}, page: 1 },
      queries: [{ indexUid: 'films', useNetwork: true }],
    },
  ],
  ['POST', '/events', { eventType: 'click', eventName: 'Clicked', indexUid: 'films' }],
  ['GET', '/analytics/queries'],
  ['GET', '/analytics/queries?byFilter=true'],
  ...['day', 'index', 'filter'].map((by) => ['GET', `/analytics/counts?by=${by}`] as const),
  ['GET', '/audit-log?limit=1000'],
  ['POST', `${FILMS}/fields`, {}],
  ['GET', `${FILMS}/fingerprint?parts=true`],
  ['GET', `${FILMS}/fingerprint?documents=00,0f`],
  ['GET', FILMS],
  ['GET', `${FILMS}/settings`],
  ['GET', `${FILMS}/stats`],
  ['GET', '/stats?sizeFormat=human&showInternalDatabaseSizes=true'],
  ['GET', '/telemetry/preview'],
  ['GET', '/indexes'],
  ...['/health', '/livez', '/readyz', '/version', '/openapi.json'].map(
    (path) => ['GET', path] as const,
  ),
  [
    'POST',
    '/keys',
    { actions: ['search'], indexes: ['*'], expiresAt: null, uid: KEY_UID, requestsPerSecond: 5 },
  ],
  ['GET', '/keys'],
  ['GET', `/keys/${KEY_UID}`],
  ['PATCH', `/keys/${KEY_UID}`, { name: 'n' }],
  ['POST', `/keys/${KEY_UID}/rotate`, {}],
  ['DELETE', `/keys/${KEY_UID}`],
  ['GET', '/webhooks'],
  ['GET', '/webhooks/$webhook'],
  ['PATCH', '/webhooks/$webhook', { headers: { a: 'b' } }],
  ['GET', '/webhooks/$webhook/deliveries'],
  ['DELETE', '/webhooks/$webhook'],
  ['PATCH', '/chats/shop/settings', { apiKey: 'sk-secret', prompts: { system: 'Be brief.' } }],
  ['GET', '/chats'],
  ['GET', '/chats/shop'],
  ['GET', '/chats/shop/settings'],
  ['DELETE', '/chats/shop/settings'],
  ['DELETE', '/chats/shop'],
  [
    'PATCH',
    '/dynamic-search-rules/first?customMetadata=a',
    {
      description: 'the first film',
      precedence: 1,
      conditions: { query: { isEmpty: true }, filter: { values: { year: [1999] } } },
      actions: [{ selector: { indexUid: 'films', id: '2' }, action: { type: 'pin', position: 0 } }],
    },
  ],
  ['GET', '/dynamic-search-rules/first'],
  ['POST', '/dynamic-search-rules', { filter: { query: 'first', active: true } }],
  ['DELETE', '/dynamic-search-rules/first'],
  ['DELETE', '/dynamic-search-rules'],
  ['GET', '/network'],
  ['PATCH', '/network', { self: 'a', remotes: { a: { url: 'http://a' } } }],
  ['GET', '/experimental-features'],
  ['POST', '/logs/stderr', {}],
  ['DELETE', '/logs/stream'],
  ['POST', '/render-template', { template: { kind: 'inlineDocumentTemplate', inline: 'a' } }],
  ['POST', `${FILMS}/documents/edit`, { function: 'doc.year += 1' }],
  ['POST', `${FILMS}/documents/delete`, { filter: 'year = 1999' }],
  ['POST', `${FILMS}/documents/delete-batch`, [1]],
  ['DELETE', `${FILMS}/documents/4`],
  ['PATCH', FILMS, { primaryKey: 'id' }],
  ['POST', `${FILMS}/compact`],
  ['POST', '/tasks/compact'],
  ['PUT', '/aliases/movies', { indexUid: 'films' }],
  ['GET', '/aliases'],
  ['GET', '/aliases/movies'],
  ['DELETE', '/aliases/movies'],
  ['POST', `${FILMS}/branches`, { uid: 'films-next' }],
  [
    'POST',
    `${FILMS}/compare`,
    {
      candidate: 'films-next',
      queries: [{ q: 'a', wanted: ['1'] }],
      search: { sort: ['year:asc'] },
    },
  ],
  ['POST', '/indexes', { uid: 'books' }],
  ['POST', '/swap-indexes', [{ indexes: ['films', 'books'] }]],
  ['POST', '/swap-indexes', [{ indexes: ['films', 'books'] }]],
  ['POST', '/tasks/cancel?uids=1'],
  ['DELETE', '/tasks?uids=1'],
  ['DELETE', '/indexes/books/documents'],
  ['DELETE', '/indexes/books'],
  ['POST', '/snapshots'],
  ['POST', '/dumps'],
  ['GET', '/backups'],
  ['GET', '/tasks?limit=100'],
  ['GET', '/tasks/3'],
  ['GET', '/batches?limit=100'],
  ['GET', '/batches/3'],
];

interface DescribedAnswer {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, DescribedAnswer>> }>>
    >
  >;
  readonly components: object;
}

let server: TestServer;
const target = createServer((_, response) => response.end());

beforeAll(async () => {
  await new Promise<void>((done) => target.listen(0, '127.0.0.1', done));
  server = await TestServer.start({
    masterKey: KEY,
    flags: [...LOCAL_TARGETS, '--search-analytics', '--audit-log'],
  });
});
afterAll(async () => {
  target.close();
  await server.stop();
  await cleanUp();
});

const ask = (method: string, path: string, body?: unknown) =>
  server.call(method, path, body === undefined ? {} : sendJson(body));

async function settle(taskUid: unknown): Promise<void> {
  await until(`the end of task ${taskUid}`, async () => {
    const { json } = await ask('GET', `/tasks/${taskUid}`);
    const { status } = (json ?? {}) as { status?: string };
    return status !== 'enqueued' && status !== 'processing';
  });
}

const FILE = new URL('../../../shared/spec/openapi.json', import.meta.url);
const isPresent = existsSync(FILE);

/** Members that the description asks for and the recorded release did not have yet. */
const LATER_MEMBERS: readonly unknown[] = ['indexSize', 'usedIndexSize'];

const readDescription = (): Description =>
  JSON.parse(readFileSync(FILE, 'utf8'), (key, value) =>
    key === 'required' && Array.isArray(value)
      ? value.filter((name) => !LATER_MEMBERS.includes(name))
      : value,
  ) as Description;

/** Whatever parameters are called. */
const operationOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/:\w+|\{\w+\}/g, '{}')}`;

/** Where the description errs, as seen on a live server (api.md 1.5 and 24). */
const SEEN: Readonly<Record<string, string>> = { 'POST /export': '200' };

const INDEX = '/indexes/{index_uid}';
const SETTINGS = `${INDEX}/settings`;
const publicDocuments = Array.from({ length: 30 }, (_, id) => ({
  id,
  title: `film ${id}`,
  genre: ['drama', 'comedy'][id % 2],
  year: 1990 + id,
  _geo: { lat: id, lng: -id },
}));
const detailed = {
  q: 'film',
  facets: ['genre', 'year'],
  showRankingScore: true,
  showRankingScoreDetails: true,
  showMatchesPosition: true,
  attributesToHighlight: ['*'],
  sort: ['_geoPoint(0,0):asc'],
};

/** `METHOD /path/{as described}`, the path where that has parameters or a query, the body. */
type PubliclyAsked = readonly [described: string, path?: string, body?: unknown];

const publicSequence: readonly PubliclyAsked[] = [
  ['POST /indexes', '', { uid: 'films', primaryKey: 'id' }],
  [
    `PATCH ${SETTINGS}`,
    '/indexes/films/settings',
    { filterableAttributes: ['genre', 'year', '_geo'], sortableAttributes: ['year', '_geo'] },
  ],
  [`POST ${INDEX}/documents`, '/indexes/films/documents', publicDocuments],
  [`PUT ${INDEX}/documents`, '/indexes/films/documents', publicDocuments.slice(0, 2)],
  [`POST ${INDEX}/documents`, '/indexes/films/documents', [{ id: {} }]],
  [`GET ${INDEX}/documents`, '/indexes/films/documents?limit=2'],
  [
    `POST ${INDEX}/documents/fetch`,
    '/indexes/films/documents/fetch',
    { filter: 'year > 1995', limit: 2 },
  ],
  [`GET ${INDEX}/documents/{document_id}`, '/indexes/films/documents/3'],
  [`GET ${INDEX}/documents/{document_id}`, '/indexes/films/documents/300'],
  [`GET ${INDEX}/search`, '/indexes/films/search?q=film&facets=genre'],
  [`POST ${INDEX}/search`, '/indexes/films/search', detailed],
  [`POST ${INDEX}/search`, '/indexes/films/search', { q: 'film', page: 1 }],
  [
    `POST ${INDEX}/facet-search`,
    '/indexes/films/facet-search',
    { facetName: 'genre', facetQuery: 'dra' },
  ],
  [
    'POST /multi-search',
    '',
    { federation: { facetsByIndex: { films: ['genre'] } }, queries: [{ indexUid: 'films' }] },
  ],
  [`GET ${INDEX}`, '/indexes/films'],
  [`GET ${INDEX}`, '/indexes/nothing'],
  [`GET ${INDEX}/stats`, '/indexes/films/stats'],
  [`GET ${SETTINGS}`, '/indexes/films/settings'],
  ['GET /indexes'],
  ['GET /stats'],
  ['GET /stats', '/stats?sizeFormat=human&showInternalDatabaseSizes=true'],
  ['GET /health'],
  ['GET /version'],
  ['GET /keys'],
  ['POST /keys', '', { actions: ['search'], indexes: ['films'], expiresAt: null }],
  ['GET /keys/{key}', '/keys/unknown'],
  ['GET /experimental-features'],
  ['PATCH /experimental-features', '', { containsFilter: true, editDocumentsByFunction: true }],
  [`POST ${INDEX}/documents/edit`, '/indexes/films/documents/edit', { function: 'doc.year += 1' }],
  [`POST ${INDEX}/documents/delete`, '/indexes/films/documents/delete', { filter: 'year = 1999' }],
  [`POST ${INDEX}/documents/delete-batch`, '/indexes/films/documents/delete-batch', [1, 2]],
  [`DELETE ${INDEX}/documents/{document_id}`, '/indexes/films/documents/4'],
  [`PATCH ${INDEX}`, '/indexes/films', { primaryKey: 'id' }],
  ['POST /indexes', '', { uid: 'books' }],
  ['POST /swap-indexes', '', [{ indexes: ['films', 'books'] }]],
  ['POST /tasks/cancel', '/tasks/cancel?uids=1'],
  ['DELETE /tasks', '/tasks?uids=1'],
  [`DELETE ${INDEX}/documents`, '/indexes/books/documents'],
  [`DELETE ${INDEX}`, '/indexes/books'],
  ['GET /tasks', '/tasks?limit=100'],
  ['GET /tasks/{task_id}', '/tasks/3'],
  ['GET /tasks/{task_id}', '/tasks/3000'],
  ['GET /batches', '/batches?limit=100'],
  ['GET /batches/{batch_id}', '/batches/3'],
];

describe.skipIf(!isPresent)('the public description (skipped when ../shared is absent)', () => {
  const description = isPresent ? readDescription() : null;

  /** What the answer has that the description does not allow, or lacks. */
  async function complaints([described, given = '', body]: PubliclyAsked): Promise<unknown> {
    const [method = '', template = ''] = described.split(' ');
    const { status, json } = await ask(method, given || template, body);
    await settle((json as { taskUid?: number } | undefined)?.taskUid ?? 0);
    const answer = description?.paths[template]?.[method.toLowerCase()]?.responses[status];
    if (answer === undefined) return `status ${status}: ${JSON.stringify(json)}`;
    const schema = answer.content?.['application/json']?.schema;
    if (schema === undefined) return null;
    const [isValid, errors] = Compile({ ...schema, components: description?.components }).Errors(
      json,
    );
    return isValid ? null : errors;
  }

  it('on every route, in the life of an index', async () => {
    for (const asked of publicSequence)
      expect({ asked: asked[0], found: await complaints(asked) }).toEqual({
        asked: asked[0],
        found: null,
      });
  });

  it('on every operation, with the status of what succeeds', () => {
    const own = new Map(
      routes.map((route) => [
        operationOf(route.method, route.path),
        String(answerShapeOf(route).status),
      ]),
    );
    const operations = Object.entries(description?.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        operation: operationOf(method, path),
        status:
          SEEN[operationOf(method, path)] ??
          Object.keys(responses).find((status) => status < '300'),
      })),
    );
    expect(operations.length).toBeGreaterThan(100);
    const others = operations
      .filter(({ operation, status }) => own.get(operation) !== status)
      .map((described) => ({ ...described, own: own.get(described.operation) }));
    expect(others).toEqual([]);
  });

  /** Reads of settings that are null: seen on a live server, though described as values. */
  const nullable = ['distinct-attribute', 'localized-attributes', 'search-cutoff-ms'];

  it('on every route of a setting', async () => {
    await server.client.createIndex('films').waitTask();
    const routes = Object.keys(description?.paths ?? {}).filter((path) =>
      path.startsWith(`${SETTINGS}/`),
    );
    expect(routes.length).toBeGreaterThan(18);
    for (const route of routes) {
      const path = route.replace('{index_uid}', 'films');
      const name = route.slice(SETTINGS.length + 1);
      if (['chat', 'embedders', 'foreign-keys'].includes(name)) continue;
      for (const method of nullable.includes(name) ? ['DELETE'] : ['GET', 'DELETE'])
        expect({ method, path, found: await complaints([`${method} ${route}`, path]) }).toEqual({
          method,
          path,
          found: null,
        });
    }
  });
});

it('its own description, on every route, in the life of an index', async () => {
  const description = (await ask('GET', '/openapi.json')).json as Description;
  await server.client.deleteIndex('films').waitTask();
  const offered = ((await ask('GET', '/experimental-features')).json ?? {}) as object;
  for (const name of FEATURES.filter((each) => each in offered))
    await ask('PATCH', '/experimental-features', { [name]: true });
  const { port } = target.address() as AddressInfo;
  const made = await ask('POST', '/webhooks', { url: `http://127.0.0.1:${port}/` });
  const { uuid } = made.json as { uuid: string };
  const router = new Router(routes);
  const seen = new Set<string>();
  const settings = routes
    .filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/indexes/:indexUid/settings/'),
    )
    .map(({ path }) => ['GET', path.replace(':indexUid', 'films')] as const);
  for (const [method, given, body] of [...sequence, ...settings]) {
    const path = given.replace('$webhook', uuid);
    const answer = await ask(method, path, body);
    const match = router.match(method, path.split('?')[0] ?? '');
    if (match.kind !== 'found') throw new Error(`no route ${method} ${path}`);
    seen.add(match.route.id);
    const template = match.route.path.replace(/:(\w+)/g, '{$1}');
    const described = description.paths[template]?.[method.toLowerCase()]?.responses[answer.status];
    const place = `${method} ${path} ${answer.status}`;
    expect([place, described !== undefined, answer.status < 300]).toEqual([place, true, true]);
    const [type, media] = Object.entries(described?.content ?? {})[0] ?? [];
    expect([place, answer.headers['content-type']]).toEqual([place, type]);
    if (media?.schema !== undefined) {
      const schema = { ...media.schema, components: description.components };
      const [isValid, errors] = Compile(schema).Errors(answer.json);
      expect({ place, errors: isValid ? [] : errors }).toEqual({ place, errors: [] });
    }
    await settle((answer.json as { taskUid?: number } | undefined)?.taskUid ?? 0);
  }
  const missing = routes.filter(({ id }) => !seen.has(id) && !id.startsWith('settings.'));
  expect(missing.map(({ id }) => id).sort()).toEqual([
    ...[
      'backups.download',
      'batches.stream',
      'chats.complete',
      'docs.home',
      'docs.page',
      'docs.search',
      'export',
      'features.update',
      'logs.stream',
      'mcp.post',
      'metrics.get',
      'network.control',
    ],
    ...['root', 'searchPage.file', 'tasks.documents', 'tasks.stream', 'webhooks.create'],
  ]);
});
