/**
 * Answers of a real server against the public API description, `../shared/spec/openapi.json`, if it
 * is next to the project.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Meilisearch } from 'meilisearch';
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerShapeOf } from '../../src/api/description/answer-shapes.ts';
import { routes } from '../../src/api/routes/index.ts';
import { httpCall, sendJson } from '../support/http-request.ts';
import { cleanUp, clientOf, TestServer } from '../support/test-server.ts';

const FILE = new URL('../../../shared/spec/openapi.json', import.meta.url);
const isPresent = existsSync(FILE);
const KEY = 'a master key of some length';

interface Description {
  readonly paths: Record<
    string,
    Record<string, { readonly responses: Record<string, DescribedAnswer> }>
  >;
  readonly components: object;
}

interface DescribedAnswer {
  readonly content?: { readonly 'application/json'?: { readonly schema: object } };
}

/** Members that the description asks for and the recorded release did not have yet. */
const LATER_MEMBERS: readonly unknown[] = ['indexSize', 'usedIndexSize'];

const readDescription = (): Description =>
  JSON.parse(readFileSync(FILE, 'utf8'), (key, value) =>
    key === 'required' && Array.isArray(value)
      ? value.filter((name) => !LATER_MEMBERS.includes(name))
      : value,
  ) as Description;

/**
 * A request: `METHOD /path/{as described}`, its path where that has parameters or a query, its
 * body.
 */
type Asked = readonly [described: string, path?: string, body?: unknown];

/** Whatever parameters are called. */
const operationOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/:\w+|\{\w+\}/g, '{}')}`;

/** Where the description errs, as seen on a live server (api.md 1.5 and 24). */
const SEEN: Readonly<Record<string, string>> = { 'POST /export': '200' };

const INDEX = '/indexes/{index_uid}';
const SETTINGS = `${INDEX}/settings`;
const documents = Array.from({ length: 30 }, (_, id) => ({
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

const sequence: readonly Asked[] = [
  ['POST /indexes', '', { uid: 'films', primaryKey: 'id' }],
  [
    `PATCH ${SETTINGS}`,
    '/indexes/films/settings',
    { filterableAttributes: ['genre', 'year', '_geo'], sortableAttributes: ['year', '_geo'] },
  ],
  [`POST ${INDEX}/documents`, '/indexes/films/documents', documents],
  [`PUT ${INDEX}/documents`, '/indexes/films/documents', documents.slice(0, 2)],
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
  ['GET /keys/{key}', '/keys/nobody'],
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

describe.skipIf(!isPresent)(
  'answers have the shape of the public description (skipped when ../shared is absent)',
  () => {
    const description = isPresent ? readDescription() : null;
    let server: TestServer;
    let client: Meilisearch;

    beforeAll(async () => {
      server = await TestServer.start({ flags: ['--master-key', KEY] });
      client = clientOf(server.url, KEY);
    });
    afterAll(cleanUp);

    /** What the answer has that the description does not allow, or lacks. */
    async function complaints([described, given = '', body]: Asked): Promise<unknown> {
      const [method = '', template = ''] = described.split(' ');
      const options = body === undefined ? {} : sendJson(body);
      const headers = { ...options.headers, authorization: `Bearer ${KEY}` };
      const { status, json } = await httpCall(server.port, method, given || template, {
        ...options,
        headers,
      });
      const { taskUid } = (json ?? {}) as { taskUid?: number };
      if (taskUid !== undefined) await client.tasks.waitForTask(taskUid);
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
      for (const asked of sequence)
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
      await client.createIndex('films').waitTask();
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
  },
);
