/** Commands with answers of a server that has only these. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, expect, it } from 'vitest';
import { runGannet } from '../../support/run-gannet.ts';

const folder = mkdtempSync(join(tmpdir(), 'gannet-commands-'));
let server: Server | null = null;
afterEach(() => server?.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** @param answers by method and path, without the query. Resolves to its port. */
async function listen(
  answers: Readonly<Record<string, (query: URLSearchParams) => object>>,
  host = '127.0.0.1',
): Promise<number> {
  server = createServer(({ method, url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    response.end(JSON.stringify(answers[`${method} ${pathname}`]?.(searchParams) ?? {}));
  });
  await new Promise<void>((done) => server?.listen(0, host, done));
  return (server.address() as AddressInfo).port;
}

const serverWith = async (answers: Parameters<typeof listen>[0]) => ({
  GANNET_URL: `http://127.0.0.1:${await listen(answers)}`,
});

it('search counts the hits of an answer with pages', async () => {
  const answer = { hits: [{ id: 1 }], totalHits: 7, processingTimeMs: 2 };
  const env = await serverWith({ 'POST /indexes/films/search': () => answer });
  const { code, err } = await runGannet(['search', 'films', '--body', '{"page":1}'], env);
  expect({ code, err }).toEqual({ code: 0, err: '1 of 7 hits in 2 ms\n' });
});

it.each(['', '1.5', '-1'])('search names what --limit takes, not `%s`', async (limit) => {
  const { code, err } = await runGannet(['search', 'films', `--limit=${limit}`]);
  expect({ code, err }).toEqual({
    code: 2,
    err: `gannet: --limit takes a whole number of at least 0, not \`${limit}\`\n`,
  });
});

it('migrate names a file that cannot be read', async () => {
  const socket = join(folder, 'records.json');
  const listener = net.createServer().listen(socket);
  await once(listener, 'listening');
  const args = ['migrate', 'algolia', socket, '--dry-run'];
  const { code, err } = await runGannet(args, { XDG_STATE_HOME: folder });
  listener.close();
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/gannet: ENXIO: .*records\.json'\n$/),
  });
});

it('migrate keeps asking for vectors after another refusal', async () => {
  const settings = {
    'GET /indexes/films/settings': () => ({}),
    'GET /keys': () => ({ results: [] }),
  };
  const bodies: string[] = [];
  const source = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname.endsWith('/fetch')) {
      bodies.push(await text(request));
      response.writeHead(429);
      response.end('{"message": "wait", "code": "too_many_requests"}');
    } else if (pathname === '/indexes')
      response.end('{"results": [{"uid": "films", "primaryKey": "id"}], "total": 1}');
    else
      response.end(JSON.stringify(settings[`GET ${pathname}` as keyof typeof settings]?.() ?? {}));
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  const env = {
    ...(await serverWith({ 'GET /indexes/films': () => ({ primaryKey: 'id' }) })),
    XDG_STATE_HOME: folder,
  };
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const { code, err } = await runGannet(['migrate', 'meilisearch', url, '--into-existing'], env);
  source.close();
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('wait (too_many_requests)'),
  });
  expect(bodies.map((body) => JSON.parse(body).retrieveVectors)).toEqual([true]);
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

it('judge finds the ids of hits whose primary key lies below another field', async () => {
  const env = await serverWith({
    'GET /indexes/films': () => ({ primaryKey: 'meta.id' }),
    'POST /indexes/films/search': () => ({ hits: [{ meta: { id: 3 } }] }),
  });
  const file = join(folder, 'judgments.ndjson');
  writeFileSync(file, '{"q": "sea", "wanted": ["3"]}\n');
  const { values } = await runGannet(['judge', file, '--index', 'films', '--json'], env);
  expect(values).toEqual([expect.objectContaining({ ndcg: 1, recall: 1 })]);
});

it('doctor finds a server that listens at an address of IPv6', async () => {
  const port = await listen({ 'GET /health': () => ({ status: 'available' }) }, '::1');
  const env = { SVC_HTTP_ADDR: `[::1]:${port}` };
  const args = ['doctor', '--db-path', join(folder, 'data'), '--json'];
  const { values } = await runGannet(args, env);
  const message = `a server answers at ::1:${port}`;
  expect(values).toContainEqual({ about: 'address', state: 'ok', message });
});

it('judge refuses a file of --against without results', async () => {
  const env = await serverWith({
    'GET /indexes/films': () => ({ primaryKey: 'id' }),
    'POST /indexes/films/search': () => ({ hits: [] }),
  });
  const file = join(folder, 'judged.ndjson');
  writeFileSync(file, '{"q": "sea", "wanted": ["3"]}\n');
  const { code, err } = await runGannet(
    ['judge', file, '--index', 'films', '--against', file],
    env,
  );
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining(`gannet: ${file} has no results of`),
  });
});
