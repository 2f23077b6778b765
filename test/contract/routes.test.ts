/**
 * The real route table over a context in memory, on both adapters: refused requests, authorization,
 * and the shape of answers.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { errorsOf } from '../../src/api/contract/route.ts';
import { routes } from '../../src/api/routes/index.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { type AdapterName, serve } from '../../src/http/server.ts';
import { NO_FEATURES } from '../../src/model/features.ts';
import { apiKey } from '../support/api-keys.ts';
import { createFakeApiContext, type FakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters, usedAdapter } from '../support/http-adapters.ts';
import { httpCall, sendJson } from '../support/http-request.ts';
import { routeErrorCases } from '../support/route-error-cases.ts';
import { GUARDED_KEY_UID } from '../support/route-errors/refused-request.ts';
import { isLongRun } from '../support/run-length.ts';

const MASTER_KEY = 'a master key of some length';
const routeById = new Map(routes.map((route) => [route.id, route]));
const examplePath = (path: string): string =>
  path.replace(':indexUid', 'films').replace(/:\w+/, '1');

/**
 * Cases of the route table, which both adapters serve: in `npm test` all over the adapter of this Node
 * version, every fourth over the other one.
 */
const casesOf = <T>(adapter: AdapterName, all: readonly T[]): readonly T[] =>
  all.filter((_, i) => isLongRun || adapter === usedAdapter || i % 4 === 0);

const describeRoutes = (adapter: AdapterName) =>
  describeOver(adapter, `routes over ${adapter}`, () => {
    let context: FakeApiContext;
    let guarded: FakeApiContext;
    let server: HttpServer;
    let guardedServer: HttpServer;

    beforeAll(async () => {
      context = createFakeApiContext();
      context.publish('films');
      context.publish('semantic', {
        embedders: { default: { source: 'userProvided', dimensions: 2 } },
      });
      guarded = createFakeApiContext({ masterKey: MASTER_KEY });
      guarded.analytics = null;
      guarded.audit = null;
      guarded.publish('films');
      guarded.keys.publish(apiKey({ uid: GUARDED_KEY_UID }));
      server = await serve({ host: '127.0.0.1', port: 0, adapter }, routes, context);
      guardedServer = await serve({ host: '127.0.0.1', port: 0, adapter }, routes, guarded);
    });
    beforeEach(() => {
      context.calls.length = 0;
      context.queries.length = 0;
    });
    afterAll(() => Promise.all([server.close(500), guardedServer.close(500)]));

    const refusals = routeErrorCases.map((refused, i) => {
      const { method, path, options } = refused;
      const body = typeof options.body === 'string' ? options.body.slice(0, 80) : '';
      return [`${i}: ${method} ${path.slice(0, 100)} ${body} → ${refused.code}`, refused] as const;
    });
    it.each(casesOf(adapter, refusals))(
      '%s',
      async (_name, { route, method, path, options, code, status, isGuarded, features }) => {
        context.features = { ...NO_FEATURES, ...features };
        const { port } = isGuarded ? guardedServer : server;
        const authorization = isGuarded ? { authorization: `Bearer ${MASTER_KEY}` } : {};
        const headers = { ...options.headers, ...authorization };
        const answer = await httpCall(port, method, path, { ...options, headers });
        expect(answer.json, answer.text).toMatchObject({ code, type: errorCodes[code].type });
        expect(answer.status).toBe(status ?? errorCodes[code].status);
        expect((answer.json as { message: string }).message.length).toBeGreaterThan(10);
        const definition = routeById.get(route);
        expect(definition?.method, route).toBe(method);
        expect(definition && errorsOf(definition).has(code), `${route} declares ${code}`).toBe(
          true,
        );
        expect(context.calls.filter(({ name }) => name === 'enqueue')).toEqual([]);
      },
    );

    const guardedRoutes = routes.filter(({ action }) => action !== null);
    const named = guardedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);
    it.each(casesOf(adapter, named))(
      '%s needs the master key when there is one',
      async (_name, { method, path }) => {
        const authorization = [
          '',
          'Basic YTpi',
          'bearer x',
          'Bearer',
          'Bearer wrong',
          `Bearer ${MASTER_KEY}x`,
        ];
        const codes = await Promise.all(
          authorization.map(async (header) => {
            const answer = await httpCall(
              guardedServer.port,
              method,
              examplePath(path),
              header === '' ? {} : { headers: { authorization: header } },
            );
            return [answer.status, (answer.json as { code: string }).code];
          }),
        );
        const missing = [401, 'missing_authorization_header'];
        const invalid = [403, 'invalid_api_key'];
        expect(codes).toEqual([missing, missing, missing, invalid, invalid, invalid]);
        const allowed = await httpCall(guardedServer.port, method, examplePath(path), {
          headers: { authorization: `Bearer ${MASTER_KEY}` },
        });
        expect([401, 403]).not.toContain(allowed.status);
        expect(guarded.failures).toEqual([]);
      },
    );

    it('leaves health and root open', async () => {
      expect((await httpCall(guardedServer.port, 'GET', '/health')).json).toEqual({
        status: 'available',
      });
      expect(
        (await httpCall(guardedServer.port, 'GET', '/', { headers: { authorization: 'Basic x' } }))
          .status,
      ).toBe(200);
    });

    it('without a master key refuses only malformed authorization', async () => {
      const codeWith = async (authorization: string) =>
        (await httpCall(server.port, 'GET', '/indexes', { headers: { authorization } })).status;
      expect(
        await Promise.all(['Bearer anything', 'Basic x', 'Bearer', 'Bearer '].map(codeWith)),
      ).toEqual([200, 401, 403, 403]);
    });

    it('refuses before it reads: a bad key beats a bad body, a bad body beats a missing index', async () => {
      const badBody = { headers: { 'content-type': 'text/plain' }, body: 'x' };
      expect(
        (await httpCall(guardedServer.port, 'POST', '/indexes/absent/search', badBody)).status,
      ).toBe(401);
      expect(
        (await httpCall(server.port, 'POST', '/indexes/absent/search', sendJson({ limit: 'a' })))
          .json,
      ).toMatchObject({ code: 'invalid_search_limit' });
    });

    it('waits for a task that a header names before reads, not before writes', async () => {
      context.answers = { waitForTask: false };
      const status = async (path: string, value: unknown) => {
        const { body, headers } = sendJson(value);
        const options = { body: body ?? '', headers: { ...headers, 'x-gannet-min-task': '9' } };
        return (await httpCall(server.port, 'POST', path, options)).status;
      };
      expect(await status('/indexes/films/search', {})).toBe(503);
      expect(await status('/indexes/films/documents', [{ id: 1 }])).toBe(202);
      context.answers = {};
    });

    it('serves a session of the official client’s calls', async () => {
      const call = (method: string, path: string, value?: unknown) =>
        httpCall(server.port, method, path, value === undefined ? {} : sendJson(value));
      expect(await call('GET', '/indexes?limit=1')).toMatchObject({
        status: 200,
        json: { offset: 0, limit: 1, total: 2, results: [{ uid: 'films', primaryKey: 'id' }] },
      });
      expect(await call('POST', '/indexes', { uid: 'new', primaryKey: null })).toMatchObject({
        status: 202,
        json: { indexUid: 'new', status: 'enqueued', type: 'indexCreation' },
      });
      expect(
        await call('POST', '/indexes/films/documents?primaryKey=id', [{ id: 1 }]),
      ).toMatchObject({ status: 202 });
      expect(await call('GET', '/tasks?statuses=Succeeded,failed&limit=2')).toMatchObject({
        status: 200,
        json: { results: [] },
      });
      expect(await call('POST', '/indexes/films/search', { q: 'a' })).toMatchObject({
        status: 200,
        json: { hits: [] },
      });
      expect(await call('DELETE', '/tasks?uids=*')).toMatchObject({ status: 200 });
      expect(await call('GET', '/version')).toMatchObject({
        status: 200,
        json: { pkgVersion: '0.1.0' },
      });
      expect(context.failures).toEqual([]);
    });
  });

for (const adapter of httpAdapters) describeRoutes(adapter);
