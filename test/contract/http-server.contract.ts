/** What every HTTP adapter owes: one suite over a small route table, run against each of them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import zlib, {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
} from 'node:zlib';
import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineRoute, defineUploadRoute, type Route } from '../../src/api/contract/route.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { type AdapterName, serve } from '../../src/http/server.ts';
import { closed, count, text } from '../../src/model/schemas/schema.ts';
import { createFakeApiContext, type FakeApiContext } from '../support/fake-api-context.ts';
import { Gate } from '../support/gate.ts';
import { describeOver } from '../support/http-adapters.ts';
import { type HttpRequestOptions, httpCall, sendJson } from '../support/http-request.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const PAYLOAD_BYTES_MAX = 200_000;
const PAGE = `<!doctype html>${'<p>gannet'.repeat(500)}`;
const LINES = 2000;
const BIG_ANSWER = JSON.stringify({ text: 'gannet '.repeat(2000) });
/** Of all lengths: parts that are cut, and parts that are joined. */
const HUGE_PARTS = [3_000_000, 1, 200_000, 900_000, 0, 99, 1 << 20, 3_000_000].map((bytes, i) =>
  Buffer.alloc(bytes, `${i} gannet `),
);
const ANSWER_MEMORY_BYTES = 32_000_000;
const HUGE_ANSWER = Buffer.concat(HUGE_PARTS);
const JSON_TYPE = { 'content-type': 'application/json' };

/** A test that waits this long has failed. */
const NEVER_MS = 100 * PATIENCE_MS;

const plain = { action: null, summary: '', errors: [] } as const;

const STREAM_CHUNK = 'x'.repeat(16_384);
/** Upper bound of the bytes that sockets and adapters buffer for an unread stream. */
const STREAM_BACKLOG_MAX = 16_000_000;

/** Streams of the test routes, by the last segment of their path. */
class StreamSource {
  pulledBytes = 0;
  /** Streams that have ended, for whatever reason. */
  ended: string[] = [];
  readonly #gate: Gate;
  constructor(gate: Gate) {
    this.#gate = gate;
  }
  async *open(name: string, signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield 'first';
      if (name === 'two') yield this.#gate.pass().then(() => ' second');
      if (name === 'broken') throw new TypeError('a bug in a stream');
      if (name === 'idle') await once(signal, 'abort');
      while (name === 'endless' && this.pulledBytes < 4 * STREAM_BACKLOG_MAX) {
        this.pulledBytes += STREAM_CHUNK.length;
        yield STREAM_CHUNK;
      }
    } finally {
      this.ended.push(name);
    }
  }
}

const testRoutes = (gate: Gate, source = new StreamSource(gate)): readonly Route[] => [
  defineRoute({
    ...plain,
    id: 'things.list',
    endpoint: 'GET /things',
    query: closed({
      limit: Type.Optional(count('invalid_index_limit')),
      q: Type.Optional(text('invalid_search_q')),
    }),
    handler: (_, { query }) => ({ status: 200, json: query }),
  }),
  defineRoute({
    ...plain,
    id: 'things.get',
    endpoint: 'GET /things/:name',
    handler: (_, { params }) => ({ status: 200, json: params }),
  }),
  defineRoute({
    ...plain,
    id: 'things.echo',
    endpoint: 'POST /things',
    body: Type.Unknown(),
    handler: (_, { body }) => ({ status: 200, json: body }),
  }),
  defineRoute({
    ...plain,
    id: 'things.drop',
    endpoint: 'DELETE /things/:name',
    handler: () => ({ status: 204 }),
  }),
  defineRoute({
    ...plain,
    id: 'big',
    endpoint: 'GET /big',
    handler: () => ({ status: 200, bytes: Buffer.from(BIG_ANSWER) }),
  }),
  defineRoute({
    ...plain,
    id: 'huge',
    endpoint: 'GET /huge',
    handler: () => ({ status: 200, bytes: HUGE_PARTS }),
  }),
  defineRoute({
    ...plain,
    id: 'lines',
    endpoint: 'GET /lines',
    handler: () => ({
      status: 200,
      contentType: 'application/x-ndjson',
      isFinite: true,
      stream: async function* () {
        for (let i = 0; i < LINES; i++) yield `{"id":${i}}\n`;
      },
    }),
  }),
  defineRoute({
    ...plain,
    id: 'broken',
    endpoint: 'GET /broken',
    handler: () => {
      throw new TypeError('a bug');
    },
  }),
  defineRoute({
    ...plain,
    id: 'full',
    endpoint: 'GET /full',
    handler: () => {
      throw new ApiError('too_many_search_requests', 'the queue is full');
    },
  }),
  defineRoute({
    ...plain,
    id: 'slow',
    endpoint: 'GET /slow',
    handler: async () => {
      await gate.pass();
      return { status: 200, json: 'slow' };
    },
  }),
  defineRoute({
    ...plain,
    id: 'page',
    endpoint: 'GET /page',
    handler: () => ({
      status: 200,
      bytes: Buffer.from(PAGE),
      contentType: 'text/html; charset=utf-8',
    }),
  }),
  defineRoute({
    ...plain,
    id: 'stream',
    endpoint: 'GET /stream/:name',
    handler: (_, { params }) => ({
      status: 200,
      contentType: 'text/event-stream',
      stream: (signal) => source.open(params.name, signal),
    }),
  }),
  defineUploadRoute({
    ...plain,
    id: 'upload',
    endpoint: 'POST /upload',
    upload: () => ({ format: 'ndjson', csvDelimiter: ',' }),
    handler: (_, { body }) => ({ status: 202, json: body }),
  }),
];

/** Everything that a raw connection says until it is closed or reset, or until `isEnough`. */
async function converse(
  port: number,
  request: string,
  isEnough: (answer: string) => boolean = () => false,
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
    if (isEnough(answer)) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.write(request);
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

export function describeHttpServer(adapter: AdapterName): void {
  describeOver(adapter, `HTTP server over ${adapter}`, () => {
    let context: FakeApiContext;
    let server: HttpServer;
    let gate: Gate;
    let source: StreamSource;
    const call = (method: string, path: string, options?: HttpRequestOptions) =>
      httpCall(server.port, method, path, options);
    const upload = (
      body: Uint8Array | string,
      headers: Record<string, string> = {},
      isChunked = false,
    ) =>
      call('POST', '/upload', {
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body,
        isChunked,
      });

    beforeEach(async () => {
      gate = new Gate();
      source = new StreamSource(gate);
      context = createFakeApiContext({
        payloadBytesMax: PAYLOAD_BYTES_MAX,
        answerBytesMax: ANSWER_MEMORY_BYTES / 4,
      });
      server = await serve(
        { host: '127.0.0.1', port: 0, adapter },
        testRoutes(gate, source),
        context,
      );
    });
    afterEach(async () => {
      gate.release();
      await server.close(500);
    });

    describe('routing', () => {
      it('ignores trailing and doubled slashes, and minds case', async () => {
        for (const path of ['/things', '/things/', '//things', '/things//'])
          expect((await call('GET', path)).status).toBe(200);
        expect((await call('GET', '/Things')).status).toBe(404);
      });

      it('decodes path parameters and leaves broken escapes as they are', async () => {
        expect((await call('GET', '/things/a%20b%2Fc')).json).toEqual({ name: 'a b/c' });
        expect((await call('GET', '/things/%E4%B8%AD')).json).toEqual({ name: '中' });
        expect((await call('GET', '/things/50%')).json).toEqual({ name: '50%' });
      });

      it('answers an unknown path with 404 and nothing else', async () => {
        const answer = await call('GET', '/nothing');
        expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([
          404,
          '',
          '0',
        ]);
      });

      it('answers an unknown method of a known path with 405 and the methods that it has', async () => {
        for (const method of ['PUT', 'HEAD', 'OPTIONS', 'TRACE']) {
          const answer = await call(method, '/things');
          expect([answer.status, answer.text, answer.headers['allow']], method).toEqual([
            405,
            '',
            'GET, POST',
          ]);
        }
      });

      it('reads query strings strictly', async () => {
        expect((await call('GET', '/things?limit=3&q=a+b%26c')).json).toEqual({
          limit: 3,
          q: 'a b&c',
        });
        expect((await call('GET', '/things?q=%FF')).json).toEqual({ q: '\ufffd' });
        expect((await call('GET', '/things?limit=')).json).toMatchObject({
          code: 'invalid_index_limit',
        });
        expect((await call('GET', '/things?Limit=3')).json).toMatchObject({ code: 'bad_request' });
        expect((await call('GET', '/things?__proto__=1')).json).toMatchObject({
          code: 'bad_request',
        });
      });

      it('takes a query string of tens of kilobytes', async () => {
        const q = 'x'.repeat(40_000);
        expect((await call('GET', `/things?q=${q}`)).json).toEqual({ q });
      });

      it('sends no body and no length with 204', async () => {
        const answer = await call('DELETE', '/things/a');
        expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([
          204,
          '',
          undefined,
        ]);
      });
    });

    describe('cross-origin requests', () => {
      const VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';

      it('allows any origin that is named, and says always what answers vary by', async () => {
        for (const path of ['/things', '/nothing', '/things?foo=1']) {
          const without = await call('GET', path);
          expect([without.headers['vary'], without.headers['access-control-allow-origin']]).toEqual(
            [VARY, undefined],
          );
          const withOrigin = await call('GET', path, {
            headers: { origin: 'https://shop.example' },
          });
          expect([
            withOrigin.headers['vary'],
            withOrigin.headers['access-control-allow-origin'],
          ]).toEqual([VARY, '*']);
        }
      });

      it('answers a preflight with 200, echoing the headers asked for', async () => {
        const headers = {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,x-client',
        };
        const answer = await call('OPTIONS', '/things', { headers });
        expect([answer.status, answer.text]).toEqual([200, '']);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'authorization,x-client',
          'access-control-max-age': '86400',
          vary: VARY,
        });
        expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
      });

      it('takes OPTIONS with a requested method for a preflight', async () => {
        const statusOf = async (headers: Record<string, string>) =>
          (await call('OPTIONS', '/things', { headers })).status;
        expect(await statusOf({ 'access-control-request-method': 'POST' })).toBe(200);
        expect(await statusOf({ origin: 'https://shop.example' })).toBe(405);
      });
    });

    describe('JSON bodies', () => {
      it('needs a content type that is JSON', async () => {
        expect((await call('POST', '/things', { body: '{}' })).json).toMatchObject({
          code: 'missing_content_type',
        });
        expect(
          (await call('POST', '/things', { body: '{}', headers: { 'content-type': '' } })).json,
        ).toMatchObject({ code: 'invalid_content_type' });
        expect(
          (await call('POST', '/things', { body: '{}', headers: { 'content-type': 'text/plain' } }))
            .status,
        ).toBe(415);
        for (const type of [
          'application/json; charset=utf-8',
          'application/vnd.api+json',
          'APPLICATION/JSON',
        ]) {
          expect(
            (await call('POST', '/things', { body: '{}', headers: { 'content-type': type } }))
              .status,
            type,
          ).toBe(200);
        }
      });

      it('refuses an empty body, and one that is not JSON with the position of the fault', async () => {
        expect((await call('POST', '/things', { headers: JSON_TYPE })).json).toMatchObject({
          code: 'missing_payload',
        });
        const answer = await call('POST', '/things', { headers: JSON_TYPE, body: '{"q": }' });
        expect(answer.json).toMatchObject({
          code: 'malformed_payload',
          message: expect.stringContaining('byte 6'),
        });
      });

      it('survives 100,000 nested arrays and members named __proto__', async () => {
        const bomb = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
        expect(
          (await call('POST', '/things', { headers: JSON_TYPE, body: bomb })).json,
        ).toMatchObject({
          code: 'malformed_payload',
        });
        const body = '{"__proto__":{"polluted":true}}';
        expect((await call('POST', '/things', { headers: JSON_TYPE, body })).text).toBe(body);
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      });

      it('refuses bytes that are not UTF-8', async () => {
        expect(
          (
            await call('POST', '/things', {
              headers: JSON_TYPE,
              body: Buffer.from([0x22, 0xff, 0x22]),
            })
          ).json,
        ).toMatchObject({ code: 'malformed_payload' });
      });

      it('takes bodies without a length', async () => {
        const value = { text: 'ä'.repeat(30_000) };
        expect(
          (await call('POST', '/things', { ...sendJson(value), isChunked: true })).json,
        ).toEqual(value);
      });

      it('puts a body together that arrives byte by byte', async () => {
        const socket = connect(server.port, '127.0.0.1');
        const body = '{"a":[1,2]}';
        socket.write(
          `POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
        );
        for (const char of body) {
          await new Promise((resolve) => setTimeout(resolve, 2));
          socket.write(char);
        }
        const [answer] = (await once(socket, 'data')) as [Buffer];
        expect(answer.toString()).toContain(body);
        socket.destroy();
      });
    });

    describe('compressed bodies', () => {
      const body = JSON.stringify({ text: 'sea bird '.repeat(50) });
      it.each([
        ['gzip', gzipSync(body)],
        ['deflate', deflateSync(body)],
        ['br', brotliCompressSync(body)],
        ['GZIP', gzipSync(body)],
        ['identity', Buffer.from(body)],
      ])('decodes %s', async (encoding, bytes) => {
        const answer = await call('POST', '/things', {
          headers: { ...JSON_TYPE, 'content-encoding': encoding },
          body: bytes,
        });
        expect(answer.text).toBe(body);
      });

      /** A frame with one raw block. */
      const zstdFrame = (text: string) =>
        Buffer.concat([
          Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, text.length, (text.length << 3) | 1, 0, 0]),
          Buffer.from(text),
        ]);
      it.skipIf(!('createZstdDecompress' in zlib))(
        'decodes zstd (Node 22.15 and later)',
        async () => {
          const answer = await call('POST', '/things', {
            headers: { ...JSON_TYPE, 'content-encoding': 'zstd' },
            body: zstdFrame('{"text":"a"}'),
          });
          expect(answer.text).toBe('{"text":"a"}');
        },
      );

      it.each([
        ['gzip', Buffer.from('not gzip at all')],
        ['gzip', gzipSync(body).subarray(0, 30)],
        ['deflate', deflateRawSync(body)],
        ['br', Buffer.from('not brotli, really not brotli')],
        ['gzip', Buffer.concat([gzipSync(body), Buffer.from('more')])],
        ['deflate', Buffer.concat([deflateSync(body), Buffer.from('more')])],
        ['deflate', Buffer.concat([deflateSync(body), deflateSync(body)])],
        ['deflate', Buffer.concat([deflateSync(body), Buffer.alloc(PAYLOAD_BYTES_MAX - 100)])],
        ['br', Buffer.concat([brotliCompressSync(body), Buffer.from('more')])],
        ['br', Buffer.concat([brotliCompressSync(body), brotliCompressSync(body)])],
      ])('answers corrupted %s with bad_request', async (encoding, bytes) => {
        const answer = await call('POST', '/things', {
          headers: { ...JSON_TYPE, 'content-encoding': encoding },
          body: bytes,
        });
        expect([answer.status, answer.json]).toMatchObject([400, { code: 'bad_request' }]);
      });

      it('stops a small body that grows beyond the limit when decoded', async () => {
        for (const [encoding, bomb] of [
          ['gzip', gzipSync(Buffer.alloc(50_000_000))],
          // The best quality, which is the default, takes seconds.
          [
            'br',
            brotliCompressSync(Buffer.alloc(50_000_000), {
              params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
            }),
          ],
        ] as const) {
          expect(bomb.length).toBeLessThan(PAYLOAD_BYTES_MAX);
          for (const path of ['/things', '/upload']) {
            const answer = await call('POST', path, {
              headers: { ...JSON_TYPE, 'content-encoding': encoding },
              body: bomb,
            });
            expect([answer.status, answer.json]).toMatchObject([
              413,
              { code: 'payload_too_large' },
            ]);
          }
        }
        expect(context.spools.every(({ state }) => state === 'aborted')).toBe(true);
      });
    });

    describe('uploads', () => {
      const line = '{"id":1}\n';

      it('keeps small payloads in memory and streams larger ones to a spool file', async () => {
        expect((await upload(line)).json).toMatchObject({
          payload: { kind: 'inline' },
          documentCount: 1,
        });
        const large = line.repeat(10_000);
        const answer = await upload(large);
        expect(answer.json).toMatchObject({
          payload: { kind: 'file', bytes: large.length },
          documentCount: 10_000,
        });
        expect(Buffer.concat(context.spools[0]?.chunks ?? []).toString()).toBe(large);
        expect((await upload(gzipSync(large), { 'content-encoding': 'gzip' })).json).toMatchObject({
          payload: { bytes: large.length },
        });
      });

      it('takes compressed megabytes faster than it can decode them, again and again on one connection', async () => {
        const roomy = createFakeApiContext({ payloadBytesMax: 50_000_000 });
        const other = await serve({ host: '127.0.0.1', port: 0, adapter }, testRoutes(gate), roomy);
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const text = `${randomBytes(6_000_000).toString('base64')}\n`;
        const body = gzipSync(text, { level: 1 });
        const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' };
        for (let i = 0; i < 3; i++) {
          const answer = await httpCall(other.port, 'POST', '/upload', { agent, headers, body });
          expect(answer.json).toMatchObject({ payload: { bytes: text.length } });
        }
        agent.destroy();
        await other.close(500);
      });

      it('refuses more than the limit, whether the length was announced or not', async () => {
        const large = line.repeat(30_000);
        for (const isChunked of [false, true]) {
          const answer = await upload(large, {}, isChunked);
          expect([answer.status, answer.json]).toMatchObject([413, { code: 'payload_too_large' }]);
        }
        expect((await upload(line)).status).toBe(202);
      });

      it('refuses an empty payload', async () => {
        expect((await upload('')).json).toMatchObject({ code: 'missing_payload' });
        expect((await upload(gzipSync(''), { 'content-encoding': 'gzip' })).json).toMatchObject({
          code: 'missing_payload',
        });
      });

      it('throws away what a client sent that went away', async () => {
        const socket = connect(server.port, '127.0.0.1');
        socket.write(
          `POST /upload HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\ncontent-length: 150000\r\n\r\n${line.repeat(10_000)}`,
        );
        await until('the upload has begun', () => context.spools.length === 1);
        socket.destroy();
        await until('it is thrown away', () => context.spools[0]?.state === 'aborted');
        expect((await upload(line)).status).toBe(202);
      });
    });

    describe('answers', () => {
      it.each([
        ['br', 'gzip, deflate, br', (bytes: Buffer) => brotliDecompressSync(bytes)],
        ['gzip', 'deflate, gzip', (bytes: Buffer) => gunzipSync(bytes)],
        ['gzip', 'br;q=0, gzip;q=0.5', (bytes: Buffer) => gunzipSync(bytes)],
        ['deflate', 'deflate', (bytes: Buffer) => inflateSync(bytes)],
      ])('come as %s for a client that accepts %s', async (encoding, accepted, decode) => {
        const answer = await call('GET', '/big', { headers: { 'accept-encoding': accepted } });
        expect(answer.headers['content-encoding']).toBe(encoding);
        expect(decode(answer.bytes).toString()).toBe(BIG_ANSWER);
        expect(answer.bytes.length).toBeLessThan(BIG_ANSWER.length / 10);
      });

      it.each(['', '*', 'identity', 'zstd', 'br;q=0'])(
        'come plain for a client that accepts %j',
        async (accepted) => {
          const answer = await call('GET', '/big', { headers: { 'accept-encoding': accepted } });
          expect([answer.headers['content-encoding'], answer.text]).toEqual([
            undefined,
            BIG_ANSWER,
          ]);
        },
      );

      it('come plain when they are tiny and the client accepts several forms', async () => {
        const headers = { 'accept-encoding': 'gzip, br' };
        expect((await call('GET', '/things', { headers })).headers['content-encoding']).toBe(
          undefined,
        );
      });

      it('are compressed whatever their size for a client that names one coding, errors too', async () => {
        const headers = { 'accept-encoding': 'gzip' };
        for (const path of ['/things', '/things?limit=a', '/broken']) {
          const answer = await call('GET', path, { headers });
          expect([path, answer.headers['content-encoding']]).toEqual([path, 'gzip']);
          expect(JSON.parse(gunzipSync(answer.bytes).toString())).toBeInstanceOf(Object);
        }
        const empty = await call('DELETE', '/things/a', { headers });
        expect([empty.headers['content-encoding'], empty.text]).toEqual([undefined, '']);
      });

      it('arrive whole when they are megabytes, plain and compressed', async () => {
        expect((await call('GET', '/huge')).bytes.equals(HUGE_ANSWER)).toBe(true);
        const compressed = await call('GET', '/huge', { headers: { 'accept-encoding': 'gzip' } });
        expect(gunzipSync(compressed.bytes).equals(HUGE_ANSWER)).toBe(true);
        expect(context.answerMemory.heldBytes).toBe(0);
      });

      it('that clients do not read share a budget; further ones are refused until the clients leave', async () => {
        const sockets: Socket[] = [];
        const heldBytes = () => context.answerMemory.heldBytes;
        for (
          let held = HUGE_ANSWER.length;
          held <= ANSWER_MEMORY_BYTES;
          held += HUGE_ANSWER.length
        ) {
          const socket = connect(server.port, '127.0.0.1');
          socket.pause();
          socket.write('GET /huge HTTP/1.1\r\nhost: x\r\n\r\n');
          sockets.push(socket);
          await until('the answer is held', () => heldBytes() === held);
        }
        const refused = await call('GET', '/huge');
        expect(refused.status).toBe(503);
        expect(refused.json).toMatchObject({ code: 'too_many_search_requests', type: 'system' });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        expect((await call('GET', '/big')).text).toBe(BIG_ANSWER);
        for (const socket of sockets) socket.destroy();
        await until('no answer is held', () => heldBytes() === 0);
        expect((await call('GET', '/huge')).bytes.equals(HUGE_ANSWER)).toBe(true);
      });

      it('are compressed while they come into being, when they end by themselves', async () => {
        const plainText = (await call('GET', '/lines')).text;
        expect(plainText.split('\n').length).toBe(LINES + 1);
        for (const [name, decode] of [
          ['gzip', gunzipSync],
          ['br', brotliDecompressSync],
          ['deflate', inflateSync],
        ] as const) {
          const headers = { 'accept-encoding': name };
          const answer = await call('GET', '/lines', { headers });
          expect(answer.headers['content-encoding']).toBe(name);
          expect(answer.headers['vary']).toContain('Accept-Encoding');
          expect(answer.bytes.length).toBeLessThan(plainText.length / 2);
          expect(decode(answer.bytes).toString()).toBe(plainText);
        }
      });

      it('are JSON and carry the envelope when something fails', async () => {
        const answer = await call('GET', '/things?limit=a');
        expect(answer.headers['content-type']).toBe('application/json');
        expect(answer.json).toEqual({
          message: expect.stringContaining('"a"'),
          code: 'invalid_index_limit',
          type: 'invalid_request',
          link: '/docs/errors#invalid_index_limit',
        });
      });

      it('hide the message of a bug, which is logged', async () => {
        const answer = await call('GET', '/broken');
        expect([answer.status, answer.json]).toMatchObject([
          500,
          { code: 'internal', type: 'internal' },
        ]);
        expect(answer.text).not.toContain('a bug');
        expect(context.failures).toHaveLength(1);
      });

      it('tell when to come back when the queue is full', async () => {
        const answer = await call('GET', '/full');
        expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
      });
    });

    describe('answers that are not JSON', () => {
      it('say what they are, plain and compressed', async () => {
        const answer = await call('GET', '/page');
        expect([answer.headers['content-type'], answer.text]).toEqual([
          'text/html; charset=utf-8',
          PAGE,
        ]);
        const encoded = await call('GET', '/page', { headers: { 'accept-encoding': 'gzip' } });
        expect([encoded.headers['content-type'], encoded.headers['content-encoding']]).toEqual([
          'text/html; charset=utf-8',
          'gzip',
        ]);
        expect(gunzipSync(encoded.bytes).toString()).toBe(PAGE);
      });
    });

    describe('streams', () => {
      const open = async (name: string) => {
        const stopper = new AbortController();
        const { headers, body } = await fetch(`http://127.0.0.1:${server.port}/stream/${name}`, {
          signal: stopper.signal,
        });
        if (body === null) throw new Error('no body');
        const reader = body.pipeThrough(new TextDecoderStream()).getReader();
        return { headers, reader, leave: () => stopper.abort() };
      };
      type Reader = Awaited<ReturnType<typeof open>>['reader'];
      /** Everything that still comes. */
      const rest = async (reader: Reader): Promise<string> => {
        let text = '';
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return text;
          text += value;
        }
      };

      it('reach the client while they are being made, plain and not to be kept', async () => {
        const { headers, reader } = await open('two');
        expect((await reader.read()).value).toBe('first');
        gate.release();
        expect(await rest(reader)).toBe(' second');
        expect([
          headers.get('content-type'),
          headers.get('content-encoding'),
          headers.get('cache-control'),
        ]).toEqual(['text/event-stream', null, 'no-store']);
        expect(source.ended).toEqual(['two']);
      });

      it('wait for a client that does not read, then go on', async () => {
        const socket = connect(server.port, '127.0.0.1');
        socket.write('GET /stream/endless HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
        let pulledBefore = -1;
        while (pulledBefore !== source.pulledBytes || pulledBefore === 0) {
          pulledBefore = source.pulledBytes;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(pulledBefore).toBeLessThan(STREAM_BACKLOG_MAX);
        socket.resume();
        await until('the stream has ended', () => source.ended.length === 1);
        expect(source.pulledBytes).toBeGreaterThanOrEqual(4 * STREAM_BACKLOG_MAX);
        socket.destroy();
      });

      it.each(['idle', 'endless'])('end when the client of one that is %s leaves', async (name) => {
        const { reader, leave } = await open(name);
        await reader.read();
        leave();
        await until('the stream has ended', () => source.ended.length === 1);
        expect(source.pulledBytes).toBeLessThan(4 * STREAM_BACKLOG_MAX);
        expect(context.failures).toEqual([]);
      });

      it('end whole when the server closes, which does not wait for them', async () => {
        const { reader } = await open('idle');
        expect((await reader.read()).value).toBe('first');
        const text = rest(reader);
        await server.close(NEVER_MS);
        expect([await text, source.ended]).toEqual(['', ['idle']]);
      });

      it('that fail are cut off, so that no client takes them for complete', async () => {
        await expect(open('broken').then(({ reader }) => rest(reader))).rejects.toThrow();
        expect(context.failures).toHaveLength(1);
      });
    });

    describe('connections', () => {
      it('are kept for the next request', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const ports = new Set<number | undefined>();
        agent.on('free', (socket: Socket) => ports.add(socket.localPort));
        for (let i = 0; i < 3; i++)
          expect((await call('GET', '/things', { agent })).status).toBe(200);
        expect(
          (await call('POST', '/things', { agent, headers: JSON_TYPE, body: '{' })).status,
        ).toBe(400);
        expect((await call('GET', '/things', { agent })).status).toBe(200);
        expect(ports.size).toBe(1);
        agent.destroy();
      });

      it('answer pipelined requests in order', async () => {
        const get = (name: string) => `GET /things/${name} HTTP/1.1\r\nhost: x\r\n\r\n`;
        const answer = await converse(server.port, get('one') + get('two') + get('three'), (all) =>
          all.includes('three"}'),
        );
        expect([...answer.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)).toEqual([
          'one',
          'two',
          'three',
        ]);
      });

      it('give pipelined requests that take time their answers in order, or end', async () => {
        const post = (n: number) =>
          `POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"n":${n}}`;
        const slow = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
        void gate.entered.then(gate.release);
        const answer = await converse(server.port, slow + post(1) + slow + post(2), (all) =>
          all.includes('"n":2'),
        );
        const order = [...answer.matchAll(/"slow"|"n":\d/g)].map(([text]) => text);
        expect(['"slow"', '"n":1', '"slow"', '"n":2'].slice(0, order.length)).toEqual(order);
        expect((await call('GET', '/things')).status).toBe(200);
        expect(context.failures).toEqual([]);
      });

      it('of clients that pipeline thousands of requests end', async () => {
        const request = 'GET /things/one HTTP/1.1\r\nhost: x\r\n\r\n';
        const answer = await converse(server.port, request.repeat(20_000));
        expect(answer.split('HTTP/1.1 200').length).toBeLessThan(5000);
        expect((await call('GET', '/things')).status).toBe(200);
      });

      it('of clients that read no answers end before many answers wait', async () => {
        const socket = connect(server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        let isOpen = true;
        const closed = new Promise<void>((resolve) => {
          socket.once('close', () => {
            isOpen = false;
            resolve();
          });
        });
        for (let i = 0; isOpen && i < 20_000; i++) {
          socket.write('GET /big HTTP/1.1\r\nhost: x\r\n\r\n');
          await new Promise((resolve) => setImmediate(resolve));
        }
        await closed;
        expect((await call('GET', '/things')).status).toBe(200);
      });

      it('survive requests with 10,000 headers, garbage, and heads without end', async () => {
        const headers = Array.from({ length: 10_000 }, (_, i) => `x-header-${i}: value\r\n`).join(
          '',
        );
        expect(
          await converse(server.port, `GET /things HTTP/1.1\r\nhost: x\r\n${headers}\r\n`),
        ).not.toContain('HTTP/1.1 2');
        expect(await converse(server.port, '\u0000\u0001garbage\r\n\r\n')).not.toContain(
          'HTTP/1.1 2',
        );
        expect(
          await converse(
            server.port,
            `GET /things?q=${'x'.repeat(200_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
          ),
        ).not.toContain('HTTP/1.1 2');
        expect((await call('GET', '/things')).status).toBe(200);
      });

      it('that end while their answer is prepared do no harm', async () => {
        const socket = connect(server.port, '127.0.0.1');
        socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
        await gate.entered;
        socket.destroy();
        await new Promise((resolve) => setTimeout(resolve, 20));
        gate.release();
        expect((await call('GET', '/things')).status).toBe(200);
        expect(context.failures).toEqual([]);
      });
    });

    describe('closing', () => {
      it('answers what was accepted, then refuses connections', async () => {
        const slow = call('GET', '/slow');
        await gate.entered;
        const closing = server.close(5000);
        gate.release();
        expect((await slow).json).toBe('slow');
        await closing;
        await expect(call('GET', '/things')).rejects.toThrow();
      });

      it('does not wait longer than the given time', async () => {
        const slow = call('GET', '/slow').catch((error: Error) => error);
        await gate.entered;
        await server.close(50);
        expect(await slow).toBeInstanceOf(Error);
      });

      it('does not wait for idle connections, and may be asked twice', async () => {
        const agent = new Agent({ keepAlive: true });
        await call('GET', '/things', { agent });
        await Promise.all([server.close(NEVER_MS), server.close(NEVER_MS)]);
        agent.destroy();
      });
    });

    it.each([
      ['is taken', '127.0.0.1', 'EADDRINUSE'],
      ['is of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
    ])('says so when the address %s', async (_, host, code) => {
      const at = { host, port: server.port, adapter };
      await expect(serve(at, [], createFakeApiContext())).rejects.toMatchObject({ code });
    });
  });
}
