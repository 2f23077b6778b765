/** Which route answers a method and path. */
import { describe, expect, it } from 'vitest';
import { defineRoute, type Method, type Route } from '../../../src/api/contract/route.ts';
import { Router } from '../../../src/http/router.ts';

const route = (method: Method, path: string): Route =>
  defineRoute({
    id: `${method} ${path}`,
    endpoint: `${method} ${path}`,
    action: null,
    summary: '',
    errors: [],
    handler: () => ({ status: 200 }),
  });

const router = new Router([
  route('GET', '/'),
  route('GET', '/tasks'),
  route('GET', '/tasks/:uid'),
  route('POST', '/tasks/cancel'),
  route('DELETE', '/tasks'),
  route('GET', '/indexes/:indexUid/documents/:documentId'),
  route('PATCH', '/indexes/:indexUid'),
]);

describe('Router', () => {
  it.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '', 'GET /', {}],
    ['GET', '//tasks//', 'GET /tasks', {}],
    ['GET', '/tasks/7', 'GET /tasks/:uid', { uid: '7' }],
    ['POST', '/tasks/cancel', 'POST /tasks/cancel', {}],
    [
      'GET',
      '/indexes/a%2Fb/documents/x%20y',
      'GET /indexes/:indexUid/documents/:documentId',
      { indexUid: 'a/b', documentId: 'x y' },
    ],
    [
      'GET',
      '/indexes/%zz/documents/1',
      'GET /indexes/:indexUid/documents/:documentId',
      { indexUid: '%zz', documentId: '1' },
    ],
    ['GET', '/%74asks', 'GET /tasks', {}],
  ])('%s %s is %s', (method, path, id, params) => {
    expect(router.match(method, path)).toMatchObject({ kind: 'found', route: { id }, params });
  });

  it.each([
    ['GET', '/nothing'],
    ['GET', '/indexes'],
    ['GET', '/tasks/7/more'],
    ['GET', '/indexes/a/documents'],
    ['GET', '/TASKS'],
  ])('%s %s is unknown', (method, path) => {
    expect(router.match(method, path)).toEqual({ kind: 'unknownPath' });
  });

  it.each([
    ['PUT', '/tasks', 'GET, DELETE'],
    ['GET', '/tasks/cancel', 'POST'],
    ['HEAD', '/', 'GET'],
    ['get', '/tasks', 'GET, DELETE'],
    ['__proto__', '/tasks', 'GET, DELETE'],
  ])('%s %s has other methods', (method, path, allow) => {
    expect(router.match(method, path)).toEqual({ kind: 'otherMethod', allow });
  });

  it('refuses a table with two routes for one method and path', () => {
    expect(() => new Router([route('GET', '/a/:x'), route('GET', '/a/:y/')])).toThrow('two routes');
  });
});
