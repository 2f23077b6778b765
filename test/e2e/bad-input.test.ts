/**
 * What no client should send, over the wire to real processes: typed answers, no crash, bounded
 * memory.
 */
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { randomOf } from '../../load-tests/bench/random.ts';
import { type HttpAnswer, sendJson } from '../support/http-request.ts';
import { residentBytes } from '../support/processes.ts';
import { amount } from '../support/run-length.ts';
import { type ChildName, cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const MEGABYTE = 1024 ** 2;
/** Payload limit of this server. */
const LIMIT_BYTES = 20 * MEGABYTE;
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

/** What the server says on a connection until it closes it, or until `quietMs` have passed. */
function converse(bytes: string | Buffer, quietMs = 500): Promise<string> {
  return new Promise((done) => {
    const socket = connect(server.port, '127.0.0.1');
    let heard = '';
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => done(heard));
    socket.write(bytes);
  });
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
  test('ids of 511 bytes are taken, of 512 refused with the position of their document, and indexes none of them', async () => {
    const add = (docs: object[]) => server.call('POST', DOCUMENTS, sendJson(docs));
    expect(await taskOf(await add([{ id: 'a'.repeat(511) }]))).toMatchObject({
      status: 'succeeded',
    });
    const failed = await taskOf(await add([{ id: 'fine' }, { id: 'a'.repeat(512) }]));
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_document_id' } });
    expect((await server.call('GET', `${DOCUMENTS}/fine`)).status).toBe(404);
    expect((await server.call('GET', `${DOCUMENTS}/${'a'.repeat(511)}`)).status).toBe(200);
    expect(codeOf(await server.call('GET', `${DOCUMENTS}/${'a'.repeat(512)}`))).toBe(
      'document_not_found',
    );
    await server.client.index('films').deleteDocument('a'.repeat(511)).waitTask();
  });

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

  test('more than 65,535 fields fail the task and leave the index as it was', async () => {
    const doc = Object.fromEntries(Array.from({ length: 66_000 }, (_, i) => [`f${i}`, 1]));
    const task = await taskOf(
      await server.call('POST', DOCUMENTS, sendJson({ id: 'wider', ...doc })),
    );
    expect(task).toMatchObject({ status: 'failed', error: { code: 'max_fields_limit_exceeded' } });
    expect((await server.call('GET', `${DOCUMENTS}/wider`)).status).toBe(404);
  });

  test.each(['gzip', 'br'])('a %s bomb is stopped at the payload limit', async (encoding) => {
    const zeros = Buffer.alloc(4 * LIMIT_BYTES, ' ');
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

  test('bodies cut in the middle make no task', async () => {
    const before = (await server.client.tasks.getTasks({ limit: 1 })).total;
    const spooled = () => readdirSync(join(server.dbPath, 'spool'));
    for (const path of [DOCUMENTS, '/indexes', '/indexes/films/search', '/swap-indexes']) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => socket.destroy());
      const part = `${head(path, 200_000)}[{"id":2,"title":"${'x'.repeat(100_000)}`;
      await new Promise((sent) => socket.write(part, sent));
      if (path === DOCUMENTS) await until('the upload has begun', () => spooled().length > 0);
      socket.destroy();
    }
    await until('the upload is thrown away', () => spooled().length === 0);
    expect((await server.client.tasks.getTasks({ limit: 1 })).total).toBe(before);
  });

  test('garbage, TLS and heads without end are closed or refused', async () => {
    const random = randomOf(7);
    const noise = Buffer.from(Array.from({ length: 5000 }, () => Math.floor(random() * 256)));
    const inputs = [
      noise,
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      'GET /health HTTP/9.9\r\n\r\n',
      'GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /indexes HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
      'POST /indexes HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n',
      'POST /indexes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZZZ\r\n',
      `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(2 * MEGABYTE)}\r\n\r\n`,
      `GET /indexes/films/search?q=${'a'.repeat(2 * MEGABYTE)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`,
    ];
    for (const input of inputs) {
      const heard = await converse(input);
      expect(heard.slice(0, 40)).toMatch(/^$|^HTTP\/1\.1 (4\d\d|505 HTTP Version Not Supported)/);
    }
  });

  test('garbage behind a good request ends its connection only', async () => {
    const heard = await converse('GET /health HTTP/1.1\r\nHost: x\r\n\r\n\0\0garbage\r\n\r\n');
    expect(heard).toMatch(/^$|^HTTP\/1\.1 (200|4\d\d|505)/);
  });

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

describe('anything', () => {
  const ROUTES: readonly [string, string][] = [
    ['POST', '/indexes'],
    ['PATCH', '/indexes/films'],
    ['POST', '/swap-indexes'],
    ['POST', '/indexes/films/search'],
    ['POST', '/indexes/films/documents/fetch'],
    ['POST', '/indexes/films/documents/delete-batch'],
    ['PATCH', '/indexes/noise/settings'],
    ['PUT', '/indexes/noise/settings/synonyms'],
    ['PATCH', '/indexes/noise/settings/typo-tolerance'],
    ['POST', '/indexes/noise/documents'],
    ['PUT', '/indexes/noise/documents'],
  ];
  const PIECES = [
    '{',
    '}',
    '[',
    ']',
    '"q"',
    '"uid"',
    '"id"',
    ':',
    ',',
    '1',
    '-1e999',
    'null',
    '"\\u0000"',
    '1e400',
    '""',
  ];
  const VALUES = [
    null,
    true,
    -1,
    1e300,
    0.5,
    '',
    '\0',
    'a'.repeat(600),
    [],
    {},
    [[]],
    [null],
    { a: { b: [] } },
  ];
  const NAMES = [
    'q',
    'limit',
    'offset',
    'page',
    'attributesToRetrieve',
    'rankingScoreThreshold',
    'uid',
    'primaryKey',
  ];

  const REQUESTS = amount(300, 3000);
  test('random bodies and queries are never a fault of the server', async () => {
    const random = randomOf(11);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const oddJson = (): string =>
      Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(PIECES)).join('');
    const oddObject = (): string =>
      JSON.stringify({ [pick(NAMES)]: pick(VALUES), [pick(NAMES)]: pick(VALUES) });
    for (let i = 0; i < REQUESTS; i += 10) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const [method, path] = pick(ROUTES);
          const body = random() < 0.5 ? oddJson() : oddObject();
          const query =
            random() < 0.3 ? `?${pick(NAMES)}=${encodeURIComponent(String(pick(VALUES)))}` : '';
          const answer = await server.call(method, path + query, { headers: JSON_TYPE, body });
          return { request: `${method} ${path}${query} ${body}`, answer };
        }),
      );
      for (const { request, answer } of answers) {
        expect(answer.status, `${request} → ${answer.text}`).toBeLessThan(500);
        if (answer.status >= 400) expect(codeOf(answer), request).toEqual(expect.any(String));
      }
    }
    await server.client.tasks.waitForTasks(
      (await server.client.tasks.getTasks({ statuses: ['enqueued', 'processing'] })).results.map(
        ({ uid }) => uid,
      ),
    );
    const { results } = await server.client.tasks.getTasks({ limit: 2000, statuses: ['failed'] });
    expect(
      results.filter(({ error }) => error?.type === 'internal' || error?.code === 'internal'),
    ).toEqual([]);
  });
});
