/** Commands with answers of a server that has only these. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { runGannet } from '../../support/run-gannet.ts';

let server: Server | null = null;
afterEach(() => server?.close());

/** @param answers by method and path, without the query */
async function serverWith(
  answers: Readonly<Record<string, (query: URLSearchParams) => object>>,
): Promise<Record<string, string>> {
  server = createServer(({ method, url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    response.end(JSON.stringify(answers[`${method} ${pathname}`]?.(searchParams) ?? {}));
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return { GANNET_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('search counts the hits of an answer with pages', async () => {
  const answer = { hits: [{ id: 1 }], totalHits: 7, processingTimeMs: 2 };
  const env = await serverWith({ 'POST /indexes/films/search': () => answer });
  const { code, err } = await runGannet(['search', 'films', '--body', '{"page":1}'], env);
  expect({ code, err }).toEqual({ code: 0, err: '1 of 7 hits in 2 ms\n' });
});

it('keys list shows all keys, however many there are', async () => {
  const keys = Array.from({ length: 1001 }, (_, i) => ({
    uid: `key-${i}`,
    actions: ['search'],
    indexes: ['*'],
  }));
  const env = await serverWith({
    'GET /keys': (query) => {
      const offset = Number(query.get('offset'));
      return { results: keys.slice(offset, offset + 1000), total: keys.length };
    },
  });
  const { values } = await runGannet(['keys', 'list', '--json'], env);
  expect(values).toEqual(keys);
});
