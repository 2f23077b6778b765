/**
 * What no client should send, over the wire to real processes: typed answers, no crash, bounded
 * memory. Garbage on connections: test/contract; random bodies: random-requests.test.ts.
 */
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type HttpAnswer, sendJson } from '../support/http-request.ts';
import { residentBytes } from '../support/processes.ts';
import { type ChildName, cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const MEGABYTE = 1024 ** 2;
/** Payload limit of this server. */
const LIMIT_BYTES = 8 * MEGABYTE;
/**
 * Supervisor, front and indexer with their threads and mapped files; a bomb would need gigabytes.
 */
const RESIDENT_BYTES_MAX = 900 * MEGABYTE;
const JSON_TYPE = { 'content-type': 'application/json' };
const DOCUMENTS = '/indexes/films/documents';

let server: TestServer;
let pids: Record<ChildName, number | null>;

beforeAll(async () => {
  server = await TestServer.start({ flags: ['--http-payload-size-limit', String(LIMIT_BYTES)] });
  await server.client
    .index('films')
    .addDocuments([{ id: 1, title: 'Carol' }], { primaryKey: 'id' })
    .waitTask();
  pids = { front: server.pidOf('front'), indexer: server.pidOf('indexer') };
});
/** The same processes still serve, within their memory. */
afterEach(async () => {
  expect((await server.client.index('films').search('carol')).hits).toEqual([
    { id: 1, title: 'Carol' },
  ]);
  expect({ front: server.pidOf('front'), indexer: server.pidOf('indexer') }).toEqual(pids);
  expect(residentBytes(server.pid)).toBeLessThan(RESIDENT_BYTES_MAX);
});
afterAll(async () => {
  const exit = await server.stop();
  await cleanUp();
  expect(exit.code).toBe(0);
  expect(exit.stderr).not.toMatch(/failed unexpectedly|uncaught|unhandled/i);
});

const codeOf = ({ json }: HttpAnswer): unknown => (json as { code?: unknown } | undefined)?.code;

/** The task that the accepted answer names, once it is finished; its traces are removed. */
async function taskOf(
  answer: HttpAnswer,
): Promise<{ status: string; error: { code: string; message: string } | null }> {
  expect(answer.status, answer.text.slice(0, 200)).toBe(202);
  return server.client.tasks.waitForTask((answer.json as { taskUid: number }).taskUid);
}

describe('JSON', () => {
  const DEPTH = 100_000;
  test.each([
    ['POST', DOCUMENTS, `[{"id":2,"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}]`],
    ['POST', DOCUMENTS, '{"a":'.repeat(DEPTH)],
    ['POST', '/indexes/films/search', `{"q":${'['.repeat(DEPTH)}`],
    ['PATCH', '/indexes/films/settings', `${'{"synonyms":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`],
    ['POST', '/indexes', '['.repeat(DEPTH)],
    ['POST', '/swap-indexes', '['.repeat(DEPTH)],
    ['POST', `${DOCUMENTS}/delete-batch`, '['.repeat(DEPTH)],
  ])('100,000 levels are refused: %s %s', async (method, path, body) => {
    const answer = await server.call(method, path, { headers: JSON_TYPE, body });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'malformed_payload']);
  });

  test('the refusal of a deep document says where it is', async () => {
    const body = `[{"id":2},{"id":3,"deep":${'['.repeat(200)}${']'.repeat(200)}}]`;
    const answer = await server.call('POST', DOCUMENTS, { headers: JSON_TYPE, body });
    expect(codeOf(answer)).toBe('malformed_payload');
    expect(answer.text).toMatch(/line 1, column \d+/);
  });

  test('documents with 127 levels are stored and come back', async () => {
    const deep = `${'['.repeat(126)}1${']'.repeat(126)}`;
    const body = `[{"id":"deep","deep":${deep}}]`;
    expect(
      await taskOf(await server.call('POST', DOCUMENTS, { headers: JSON_TYPE, body })),
    ).toMatchObject({
      status: 'succeeded',
    });
    expect((await server.call('GET', `${DOCUMENTS}/deep`)).text).toBe(
      `{"id":"deep","deep":${deep}}`,
    );
    await server.client.index('films').deleteDocument('deep').waitTask();
  });

  test('names of JavaScript are names like others', async () => {
    const text =
      '{"id":"proto","__proto__":{"isAdmin":true},"constructor":{"prototype":1},"toString":"x","hasOwnProperty":2}';
    expect(
      await taskOf(await server.call('POST', DOCUMENTS, { headers: JSON_TYPE, body: text })),
    ).toMatchObject({
      status: 'succeeded',
    });
    expect((await server.call('GET', `${DOCUMENTS}/proto`)).text).toBe(text);
    const { hits } = (await server.call('POST', '/indexes/films/search', sendJson({ q: 'x' })))
      .json as {
      hits: object[];
    };
    expect(hits.map((hit) => Object.keys(hit))).toContainEqual(
      expect.arrayContaining(['__proto__', 'toString']),
    );
    const put = { headers: JSON_TYPE, body: '{"id":"proto","__proto__":{"isAdmin":false}}' };
    await taskOf(await server.call('PUT', DOCUMENTS, put));
    expect((await server.call('GET', `${DOCUMENTS}/proto`)).text).toContain(
      '"__proto__":{"isAdmin":false}',
    );
    const synonyms = {
      headers: JSON_TYPE,
      body: '{"__proto__":["carol"],"constructor":["carol"]}',
    };
    await taskOf(await server.call('PUT', '/indexes/films/settings/synonyms', synonyms));
    expect((await server.call('GET', '/indexes/films/settings/synonyms')).text).toBe(synonyms.body);
    for (const path of ['/indexes/films/settings', '/indexes/films/search', '/indexes']) {
      const method = path.endsWith('settings') ? 'PATCH' : 'POST';
      const answer = await server.call(method, path, {
        headers: JSON_TYPE,
        body: '{"__proto__":{"q":"x"},"uid":"x"}',
      });
      expect([answer.status, codeOf(answer)], path).toEqual([400, 'bad_request']);
    }
    await server.client.index('films').resetSynonyms().waitTask();
    await server.client.index('films').deleteDocument('proto').waitTask();
  });

  test('lone surrogates harm nothing', async () => {
    const search = await server.call('POST', '/indexes/films/search', {
      headers: JSON_TYPE,
      body: '{"q":"\\ud800 carol"}',
    });
    expect(search.status).toBeLessThan(500);
    const inUrl = await server.call('GET', '/indexes/films/search?q=%ED%A0%80%FFcarol');
    expect(inUrl.status).toBeLessThan(500);
    const value = '[{"id":"half","title":"a \\udc00 b","\\ud800":1}]';
    expect(
      await taskOf(await server.call('POST', DOCUMENTS, { headers: JSON_TYPE, body: value })),
    ).toMatchObject({
      status: 'succeeded',
    });
    expect((await server.call('GET', `${DOCUMENTS}/half`)).text).not.toMatch(/\\ud[89a-f]/i);
    const id = '[{"id":"\\ud800"}]';
    expect(
      await taskOf(await server.call('POST', DOCUMENTS, { headers: JSON_TYPE, body: id })),
    ).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_document_id' },
    });
    for (const setting of ['stop-words', 'separator-tokens', 'dictionary']) {
      const body = '["\\ud83d","\\udc00x"]';
      const answer = await server.call('PUT', `/indexes/films/settings/${setting}`, {
        headers: JSON_TYPE,
        body,
      });
      expect(answer.status, setting).toBeLessThan(500);
      if (answer.status === 202) await taskOf(answer);
    }
    await server.client.index('films').resetSettings().waitTask();
    await server.client.index('films').deleteDocument('half').waitTask();
  });
});

describe('sizes', () => {
  test('queries of 10,000 words, of one word of a megabyte and of quotes only are answered', async () => {
    const queries = [
      Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(' '),
      `carol ${'carol '.repeat(10_000)}`,
      'c'.repeat(MEGABYTE),
      '"'.repeat(20_000),
      '-'.repeat(20_000),
      `"${'a '.repeat(10_000)}"`,
      Array.from({ length: 10_000 }, (_, i) => `-w${i}`).join(' '),
      '👩‍👩‍👧‍👦'.repeat(5000),
    ];
    for (const q of queries) {
      const answer = await server.call(
        'POST',
        '/indexes/films/search',
        sendJson({ q, showRankingScoreDetails: true }),
      );
      expect([answer.status, q.slice(0, 20)]).toEqual([200, q.slice(0, 20)]);
    }
  });

  test('documents with a word of a megabyte, 100,000 words or 20,000 fields are stored', async () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field${i}`, i]));
    const docs = [
      { id: 'long', text: 'x'.repeat(MEGABYTE) },
      { id: 'many', text: 'word '.repeat(100_000) },
      { id: 'wide', ...fields },
    ];
    for (const doc of docs) {
      expect(
        await taskOf(await server.call('POST', DOCUMENTS, sendJson(doc))),
        doc.id,
      ).toMatchObject({
        status: 'succeeded',
      });
      expect((await server.call('GET', `${DOCUMENTS}/${doc.id}`)).json, doc.id).toEqual(doc);
    }
    const { hits } = await server.client
      .index('films')
      .search('word', { attributesToRetrieve: ['id'] });
    expect(hits).toEqual([{ id: 'many' }]);
    await server.client
      .index('films')
      .deleteDocuments(docs.map(({ id }) => id))
      .waitTask();
  });

  test.each(['gzip', 'br'])('a %s bomb is stopped at the payload limit', async (encoding) => {
    const zeros = Buffer.alloc(8 * LIMIT_BYTES, ' ');
    const body =
      encoding === 'gzip' ? gzipSync(zeros) : brotliCompressSync(zeros, { params: { 1: 1 } });
    expect(body.length).toBeLessThan(MEGABYTE);
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    for (const path of [DOCUMENTS, '/indexes/films/search']) {
      const answers = await Promise.all(
        [1, 2, 3].map(() => server.call('POST', path, { headers, body })),
      );
      for (const answer of answers)
        expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large']);
    }
  });

  test('a body beyond the limit is refused, announced or not', async () => {
    const body = Buffer.alloc(LIMIT_BYTES + 1, ' ');
    for (const isChunked of [false, true]) {
      const answer = await server
        .call('POST', DOCUMENTS, { headers: JSON_TYPE, body, isChunked })
        .catch(() => null);
      if (answer !== null) expect(codeOf(answer)).toBe('payload_too_large');
    }
  });
});

describe('connections', () => {
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  test('hundreds of slow uploads and idle connections delay no other request', async () => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 300; i += 1) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => socket.destroy());
      socket.write(i % 3 === 0 ? 'GET /hea' : `${head(DOCUMENTS, 1_000_000)}[{"id":${i}`);
      sockets.push(socket);
    }
    await Promise.all(sockets.map((socket) => until('it is connected', () => !socket.pending)));
    for (let round = 0; round < 5; round += 1) {
      for (const socket of sockets) socket.write(',');
      expect((await server.call('GET', '/health')).status).toBe(200);
      expect((await server.client.index('films').search('carol')).hits).toHaveLength(1);
    }
    for (const socket of sockets) socket.destroy();
  });
});
