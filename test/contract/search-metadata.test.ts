/** The header that asks for `metadata`, on both HTTP adapters (api.md 1.8). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { type AdapterName, serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';
import { httpCall, sendJson } from '../support/http-request.ts';

const describeMetadata = (adapter: AdapterName) => {
  let server: HttpServer;
  beforeAll(async () => {
    const context = createFakeApiContext();
    context.publish('films');
    server = await serve({ host: '127.0.0.1', port: 0, adapter }, routes, context);
  });
  afterAll(() => server.close(500));

  const search = async (headers: Readonly<Record<string, string>>, q: string | null = 'a') => {
    const { headers: own, body } = sendJson({ q });
    const answer = await httpCall(server.port, 'POST', '/indexes/films/search', {
      headers: { ...own, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    expect(answer.status).toBe(200);
    return answer.json as { readonly hits: unknown; readonly metadata?: unknown };
  };

  it.each(['true', '1'])('is given for %s', async (value) => {
    const { hits, metadata } = await search({ 'Meili-Include-Metadata': value });
    expect(hits).toEqual([]);
    expect(metadata).toEqual({
      queryUid: expect.any(String),
      indexUid: 'films',
      primaryKey: 'id',
      query: 'a',
    });
  });

  it.each([
    ['', { query: '' }],
    [' ', { query: ' ' }],
    [null, {}],
  ] as const)('repeats the query %j as it came', async (q, expected) => {
    const { metadata } = await search({ 'Meili-Include-Metadata': 'true' }, q);
    expect(metadata).toEqual({
      queryUid: expect.any(String),
      indexUid: 'films',
      primaryKey: 'id',
      ...expected,
    });
  });

  it.each(['false', '0', '', 'yes'])('is not given for «%s»', async (value) => {
    expect(await search({ 'Meili-Include-Metadata': value })).toEqual({ hits: [] });
  });

  it('is absent without the header, and has a new uid for each run', async () => {
    expect(await search({})).toEqual({ hits: [] });
    const runs = [
      await search({ 'meili-include-metadata': '1' }),
      await search({ 'meili-include-metadata': '1' }),
    ];
    const [first, second] = runs.map(({ metadata }) => (metadata as { queryUid: string }).queryUid);
    expect(first).not.toBe(second);
  });
};

for (const adapter of httpAdapters)
  describeOver(adapter, `metadata over ${adapter}`, () => describeMetadata(adapter));
