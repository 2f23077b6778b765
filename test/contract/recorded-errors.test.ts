/** Recorded malformed requests and what a public reference server answered to them: status and code must be the same. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { httpCall } from '../support/http-request.ts';

const MASTER_KEY = 'a master key of some length';
const FOLDER = new URL('../../../shared/golden/', import.meta.url);
const files = ['random-01.json.gz', 'random-02.json.gz']
  .map((name) => new URL(name, FOLDER))
  .filter((file) => existsSync(file));

interface Recorded {
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Record<string, string>;
  readonly expect: { readonly status: number; readonly body: { readonly code?: string } | string };
}

/** Not the outcomes that depend on documents or settings. */
const isInScope = ({ path, body, expect: { body: answer } }: Recorded): boolean => {
  if (path.endsWith('/documents/not_there')) return false;
  const code = typeof answer === 'string' ? '' : answer.code;
  const text = JSON.stringify(body) ?? decodeURIComponent(path);
  const needsState =
    code === 'invalid_search_facets' ||
    /"filter":"|filter=|"sort":\["(title|unknownattr):asc|"facetName":"\w/.test(text);
  return !needsState || /"facets":("x"|\{)/.test(text);
};

function recordedRequests(): Recorded[] {
  const all = files.flatMap((file) => {
    const { cases } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as { cases: { requests: Recorded[] }[] };
    return cases.flatMap(({ requests }) => requests.filter(({ kind }) => kind === 'error'));
  });
  return [
    ...new Map(
      all
        .filter(isInScope)
        .map((request) => [
          JSON.stringify([request.method, request.path, request.body, request.raw, request.headers]),
          request,
        ]),
    ).values(),
  ];
}

const encodePath = (path: string): string =>
  path.replace(/[^\x21-\x7e]/gu, encodeURIComponent).replace(/["<>`{}|\\^]/g, encodeURIComponent);

describe.skipIf(files.length === 0)('recorded malformed requests (skipped when ../shared is absent)', () => {
  let server: HttpServer;
  beforeAll(async () => {
    const context = createFakeApiContext({ masterKey: MASTER_KEY });
    context.publish('films');
    server = await serve({ host: '127.0.0.1', port: 0 }, routes, context);
  });
  afterAll(() => server.close(1000));

  it.each(
    recordedRequests().map((request): [string, Recorded] => [
      `${request.method} ${request.path} ${request.raw ?? JSON.stringify(request.body) ?? ''}`.slice(0, 120),
      request,
    ]),
  )('%s', async (_name, { method, path, body, raw, headers, expect: expected }) => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body).replaceAll('{uid}', 'films'));
    const answer = await httpCall(server.port, method, encodePath(path.replaceAll('{uid}', 'films')), {
      headers: {
        authorization: `Bearer ${MASTER_KEY}`,
        ...(headers ?? (body === undefined ? {} : { 'content-type': 'application/json' })),
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const code = typeof expected.body === 'string' ? undefined : expected.body.code;
    expect([answer.status, (answer.json as { code?: string } | undefined)?.code]).toEqual([expected.status, code]);
    if (expected.body === '') expect(answer.text).toBe('');
  });
});
