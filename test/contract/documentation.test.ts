/** Documents that a server hands out about itself, to people without a key too. */
import { afterAll, describe, expect, it } from 'vitest';
import { renderDocumentation } from '../../scripts/lib/documentation.mjs';
import { routes } from '../../src/api/routes/index.ts';
import { errorCodes } from '../../src/core/error-codes.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { httpCall } from '../support/http-request.ts';

const { files: rendered } = renderDocumentation('.');
const documentation = new Map(
  [...rendered].map(([name, text], place) => [
    name,
    { bytes: Buffer.from(text), etag: `W/"${place}"` },
  ]),
);
const context = { ...createFakeApiContext({ masterKey: 'a master key' }), documentation };
const server = await serve({ host: '127.0.0.1', port: 0, adapter: 'node' }, routes, context);
const url = `http://127.0.0.1:${server.port}`;
afterAll(() => server.close(100));

it('the link of an error names its entry on a page', async () => {
  const { json: refused } = await httpCall(server.port, 'GET', '/indexes');
  expect(refused).toMatchObject({ code: 'missing_authorization_header' });
  const link = new URL((refused as { readonly link: string }).link, url);
  const page = await fetch(link);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const html = await page.text();
  expect(html).toContain(`<a id="${link.hash.slice(1)}">`);
  const rows = [...html.matchAll(/<td><a id="(\w+)">/g)].map(([, code]) => code);
  expect(rows).toEqual(Object.keys(errorCodes));
});

describe('a page of the documentation', () => {
  it('is at its name, may load nothing from elsewhere, and is not sent twice', async () => {
    for (const path of ['/docs', '/docs/', '/docs/backups', '/docs/adr-0012-local-models']) {
      const page = await fetch(url + path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const etag = page.headers.get('etag') ?? '';
      const again = await fetch(url + path, { headers: { 'if-none-match': `"x", ${etag}` } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([
        304,
        etag,
        '',
      ]);
      const other = await fetch(url + path, { headers: { 'if-none-match': '"x"' } });
      expect(other.status).toBe(200);
    }
  });

  it('is not found where there is none, whatever the name tries', async () => {
    for (const name of [
      'nothing',
      'backups.html.map',
      '..%2F..%2Fpackage.json',
      '__proto__',
      '%00',
    ])
      expect([name, (await fetch(`${url}/docs/${name}`)).status]).toEqual([name, 404]);
  });
});

it('the OpenAPI description names every path', async () => {
  const { json, headers } = await httpCall(server.port, 'GET', '/openapi.json');
  expect(headers['content-type']).toBe('application/json');
  const { paths } = json as { readonly paths: object };
  const templates = routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  expect(Object.keys(paths)).toEqual([...new Set(templates)]);
});
