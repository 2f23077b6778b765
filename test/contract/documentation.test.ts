/** Documents that a server hands out about itself, to people without a key too. */
import { afterAll, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { httpCall } from '../support/http-request.ts';

const context = createFakeApiContext({ masterKey: 'a master key' });
const server = await serve({ host: '127.0.0.1', port: 0, adapter: 'node' }, routes, context);
const url = `http://127.0.0.1:${server.port}`;
afterAll(() => server.close(100));

it('the link of an error names its row on a page', async () => {
  const { json: refused } = await httpCall(server.port, 'GET', '/indexes');
  expect(refused).toMatchObject({ code: 'missing_authorization_header' });
  const link = new URL((refused as { readonly link: string }).link, url);
  const page = await fetch(link);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const html = await page.text();
  expect(html).toContain(`<tr id="${link.hash.slice(1)}">`);
  const rows = [...html.matchAll(/<tr id="(\w+)">/g)].map(([, code]) => code);
  expect(rows).toEqual(Object.keys(errorCodes));
});

it('the OpenAPI description names every path', async () => {
  const { json, headers } = await httpCall(server.port, 'GET', '/openapi.json');
  expect(headers['content-type']).toBe('application/json');
  const { paths } = json as { readonly paths: object };
  const templates = routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  expect(Object.keys(paths)).toEqual([...new Set(templates)]);
});
