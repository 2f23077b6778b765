/** The memory that request bodies share, and the largest body of routes that take no documents. */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext, type FakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';
import { httpCall } from '../support/http-request.ts';

const KIB = 1024;
/** Bodies of more than 64 KiB may use three quarters of it. */
const MEMORY_BYTES = 400 * KIB;
const PATH = '/indexes/films/search';
const JSON_TYPE = { 'content-type': 'application/json' };
const bodyOf = (bytes: number) => `{"q":"${'x'.repeat(bytes - 8)}"}`;

for (const adapter of httpAdapters) {
  describeOver(adapter, `memory of request bodies over ${adapter}`, () => {
    let server: HttpServer;
    let context: FakeApiContext;
    const sockets: Socket[] = [];
    const start = async (bytes: number) => {
      context = createFakeApiContext({ payloadBytesMax: 20 << 20 }, bytes);
      context.publish('films');
      server = await serve({ host: '127.0.0.1', port: 0, adapter }, routes, context);
    };
    beforeEach(() => start(MEMORY_BYTES));
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await server.close(100);
    });
    const search = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      httpCall(server.port, 'POST', PATH, { headers: { ...JSON_TYPE, ...headers }, body });

    /** Announces a body of which nothing comes. */
    function announce(bytes: number): void {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const headers = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}`;
      socket.write(`POST ${PATH} HTTP/1.1\r\n${headers}\r\n\r\n`);
      sockets.push(socket);
    }

    it('is taken by announced bodies; what does not fit is refused before it is read', async () => {
      announce(200 * KIB);
      await expect.poll(() => context.bodyMemory.heldBytes).toBe(200 * KIB);
      const refused = await search(bodyOf(200 * KIB));
      expect(refused.status).toBe(503);
      expect(refused.json).toMatchObject({ code: 'payload_memory_exhausted', type: 'system' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await search(bodyOf(90 * KIB))).status).toBe(200);
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => context.bodyMemory.heldBytes).toBe(0);
      expect((await search(bodyOf(200 * KIB))).status).toBe(200);
      expect(context.bodyMemory.heldBytes).toBe(0);
    });

    it('keeps a quarter for small bodies, which large ones cannot use up', async () => {
      announce(290 * KIB);
      await expect.poll(() => context.bodyMemory.heldBytes).toBe(290 * KIB);
      expect((await search(bodyOf(70 * KIB))).status).toBe(503);
      expect((await search(bodyOf(60 * KIB))).status).toBe(200);
    });

    it('counts what compressed bodies and bodies without a length become', async () => {
      announce(150 * KIB);
      await expect.poll(() => context.bodyMemory.heldBytes).toBe(150 * KIB);
      const gzip = { 'content-encoding': 'gzip' };
      expect((await search(gzipSync(bodyOf(200 * KIB)), gzip)).status).toBe(503);
      expect((await search(gzipSync(bodyOf(100 * KIB)), gzip)).status).toBe(200);
      const chunked = { headers: JSON_TYPE, body: bodyOf(200 * KIB), isChunked: true };
      expect((await httpCall(server.port, 'POST', PATH, chunked)).status).toBe(503);
    });

    it('holds little of documents, which go to disk', async () => {
      announce(200 * KIB);
      await expect.poll(() => context.bodyMemory.heldBytes).toBe(200 * KIB);
      const body = `[${Array.from({ length: 100_000 }, (_, id) => `{"id":${id}}`).join(',')}]`;
      const path = '/indexes/films/documents';
      const answer = await httpCall(server.port, 'POST', path, { headers: JSON_TYPE, body });
      expect(answer.status).toBe(202);
      expect(context.bodyMemory.heldBytes).toBe(200 * KIB);
    });

    it('takes no more than 10 MiB where no documents are taken, however much there is', async () => {
      await server.close(100);
      await start(256 << 20);
      expect((await search(bodyOf(10 << 20))).status).toBe(200);
      const refused = await search(bodyOf((10 << 20) + 1));
      expect(refused.status).toBe(413);
      expect(refused.json).toMatchObject({
        code: 'payload_too_large',
        message: 'The body is larger than the 10485760 bytes that this instance accepts.',
      });
      expect(context.bodyMemory.heldBytes).toBe(0);
    });
  });
}
