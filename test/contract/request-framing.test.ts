/**
 * Requests on whose end two readers could disagree (request smuggling): both adapters refuse them,
 * close the connection, and serve nothing that comes behind them on it.
 */
import { connect } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineRoute } from '../../src/api/contract/route.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { describeOver, httpAdapters } from '../support/http-adapters.ts';

const BODY = '{"n":"first"}';
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const BEHIND = 'POST /things/behind HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';

const request = (headers: readonly string[], body: string, version = '1.1'): string =>
  [
    `POST /things/first HTTP/${version}`,
    'host: x',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');

const lengths = (...values: string[]) => values.map((value) => `content-length: ${value}`);
const encodings = (...values: string[]) => values.map((value) => `transfer-encoding: ${value}`);
const LENGTH = String(BODY.length);
const manyHeaders = (count: number) => Array.from({ length: count }, (_, i) => `x-${i}: v`);

const refused: readonly (readonly [string, string])[] = [
  ['two lengths that differ', request(lengths(LENGTH, '3'), BODY)],
  ['two lengths that differ, the right one last', request(lengths('3', LENGTH), BODY)],
  ['two lengths that agree', request(lengths(LENGTH, LENGTH), BODY)],
  ['a list of lengths', request(lengths(`${LENGTH}, ${LENGTH}`), BODY)],
  ['a length with a sign', request(lengths(`+${LENGTH}`), BODY)],
  ['a negative length', request(lengths('-1'), BODY)],
  ['a hexadecimal length', request(lengths('0xd'), BODY)],
  ['an empty length', request(lengths(''), BODY)],
  ['a length beyond numbers', request(lengths('9'.repeat(30)), BODY)],
  ['an unknown transfer encoding', request(encodings('magic'), BODY)],
  ['an empty transfer encoding', request([...encodings(''), ...lengths(LENGTH)], BODY)],
  ['identity', request([...encodings('identity'), ...lengths(LENGTH)], BODY)],
  ['gzip before chunked', request(encodings('gzip, chunked'), CHUNKED)],
  ['chunked before an unknown one', request(encodings('chunked, magic'), CHUNKED)],
  ['a name that ends with chunked', request(encodings('xchunked'), CHUNKED)],
  ['chunked twice', request(encodings('chunked', 'chunked'), CHUNKED)],
  ['chunked and identity', request(encodings('chunked', 'identity'), CHUNKED)],
  ['a length and chunked', request([...lengths(LENGTH), ...encodings('chunked')], CHUNKED)],
  ['chunked and a length', request([...encodings('chunked'), ...lengths(LENGTH)], CHUNKED)],
  ['two hosts', request(['host: y', ...lengths(LENGTH)], BODY)],
  ['a chunk of a negative size', request(encodings('chunked'), `-${CHUNKED}`)],
  ['a chunk whose size overflows', request(encodings('chunked'), 'f'.repeat(30) + CHUNKED)],
  ['another version', request(lengths(LENGTH), BODY, '2.0')],
  ['many headers', request([...lengths(LENGTH), ...manyHeaders(500)], BODY)],
];

/** Uws takes none of them for a head and ends the connection after ten seconds without an answer. */
const notAnswered: readonly (readonly [string, string])[] = [
  ['a space before the colon', request([`content-length : ${LENGTH}`], BODY)],
  ['a header over two lines', request(['x: a', ' b', ...lengths(LENGTH)], BODY)],
  ['a line that ends without a carriage return', request([`x: a\n${lengths('3')}`], BODY)],
  ['a null byte', request([`x: a\0b`, ...lengths(LENGTH)], BODY)],
  ['a line without a colon', request(['x', ...lengths(LENGTH)], BODY)],
  ['a name with a control character', request(['x\u0001y: a', ...lengths(LENGTH)], BODY)],
];

/**
 * What the connection says until it closes.
 * @param isLast the client closes its side after the text, so that no server waits for more
 */
async function sayUntilClosed(port: number, text: string, isLast = false): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk.toString();
  });
  socket.on('error', () => undefined);
  if (isLast) socket.end(text);
  else socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

for (const adapter of httpAdapters) {
  describeOver(adapter, `the framing of requests over ${adapter}`, () => {
    let server: HttpServer;
    const served: string[] = [];
    beforeAll(async () => {
      const things = defineRoute({
        id: 'things',
        action: null,
        summary: '',
        errors: [],
        endpoint: 'POST /things/:name',
        body: Type.Unknown(),
        handler: (_, { params }) => {
          served.push(params.name);
          return { status: 200, json: params.name };
        },
      });
      const context = createFakeApiContext();
      server = await serve({ host: '127.0.0.1', port: 0, adapter }, [things], context);
    });
    afterAll(() => server.close(100));

    it.each(refused)('refuses %s and closes the connection', async (_, text) => {
      served.length = 0;
      const said = await sayUntilClosed(server.port, text);
      expect(said).toMatch(/^HTTP\/1\.1 (400|431|505) /);
      expect(said.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(served).toEqual([]);
    });

    it.each(refused)('serves nothing that comes behind %s', async (_, text) => {
      served.length = 0;
      const said = await sayUntilClosed(server.port, text + BEHIND, true);
      expect(said).toMatch(/^(HTTP\/1\.1 (400|431|505) |$)/);
      expect(said.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThan(2);
      expect(served).toEqual([]);
    });

    it('serves no head that cannot be read, nor what comes behind it', async () => {
      served.length = 0;
      const said = await Promise.all(
        notAnswered.map(([, text]) => sayUntilClosed(server.port, text + BEHIND, true)),
      );
      expect(said.filter((text) => text.includes('HTTP/1.1 2'))).toEqual([]);
      expect(served).toEqual([]);
    });

    it.each([
      ['a length', request(lengths(LENGTH), BODY)],
      ['a length with zeros in front', request(lengths(`00${LENGTH}`), BODY)],
      ['as many headers as it takes', request([...lengths(LENGTH), ...manyHeaders(90)], BODY)],
    ])('serves %s', async (_, text) => {
      served.length = 0;
      const last = request([...lengths(LENGTH), 'connection: close'], BODY).replace(
        'first',
        'last',
      );
      const socket = connect(server.port, '127.0.0.1');
      let said = '';
      socket.on('data', (chunk) => {
        said += chunk.toString();
      });
      socket.write(text);
      await expect.poll(() => said).toContain('"first"');
      socket.write(last);
      await expect.poll(() => said).toContain('"last"');
      socket.destroy();
      expect(served).toEqual(['first', 'last']);
    });

    it.each([
      ['chunks', request(encodings('chunked'), CHUNKED)],
      ['chunks, in capitals', request(encodings('Chunked'), CHUNKED)],
    ])('serves %s', async (_, text) => {
      served.length = 0;
      const said = sayUntilClosed(server.port, text);
      await expect.poll(() => served).toEqual(['first']);
      if (adapter === 'uws') expect(await said).toContain('"first"');
    });

    it.each([
      ['a chunk size after a blank', ` ${CHUNKED}`],
      ['no chunk size', `\r\n${CHUNKED}`],
      ['a chunk without a line break behind it', CHUNKED.replace(`${BODY}\r\n`, `${BODY}XX`)],
      ['chunks with bare line feeds', CHUNKED.replaceAll('\r\n', '\n')],
    ])('serves nothing behind %s', async (_, chunks) => {
      served.length = 0;
      await sayUntilClosed(server.port, request(encodings('chunked'), chunks) + BEHIND, true);
      expect(served.filter((name) => name !== 'first')).toEqual([]);
    });
  });
}
