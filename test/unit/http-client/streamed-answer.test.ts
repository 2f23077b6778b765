/** Answers that are pulled chunk by chunk. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import { streamedAnswer } from '../../../src/http-client/streamed-answer.ts';
import { PATIENCE_MS } from '../../support/until.ts';

const http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function answering(listener: RequestListener, stallMs = PATIENCE_MS) {
  const made = createServer(listener);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return streamedAnswer(http.send, {
    method: 'GET',
    url: `http://127.0.0.1:${(made.address() as AddressInfo).port}/secret-path`,
    headers: {},
    timeoutMs: PATIENCE_MS,
    answerBytesMax: 1000,
    stallMs,
  });
}

async function endOf(answer: AsyncIterator<unknown>): Promise<void> {
  while (!(await answer.next()).done);
}

it('yields the body of an answer and returns its head', async () => {
  const answer = await answering((_, response) => response.end('whole'));
  expect(String((await answer.next()).value)).toBe('whole');
  expect(await answer.next()).toMatchObject({ done: true, value: { status: 200 } });
});

it('returns an answer of another status whole', async () => {
  const answer = await answering((_, response) => response.writeHead(404).end('not here'));
  const { done, value } = await answer.next();
  expect(done).toBe(true);
  expect(value).toMatchObject({ status: 404, body: Buffer.from('not here') });
});

it('fails when nothing comes for too long, and names no path', async () => {
  const answer = await answering((_, response) => response.write('begun'), 20);
  const failure = await endOf(answer).catch((error: unknown) => error);
  expect(failure).toMatchObject({ failure: 'timeout' });
  expect(String(failure)).not.toContain('secret-path');
});

it('fails when the answer is longer than may be', async () => {
  const answer = await answering((_, response) => response.end('x'.repeat(1001)));
  await expect(answer.next()).rejects.toMatchObject({ failure: 'tooLarge' });
});

it('ends the request when the reader is canceled', async () => {
  let hasClosed = false;
  const answer = await answering((_, response) => {
    response.once('close', () => {
      hasClosed = true;
    });
    response.write('begun');
  });
  await answer.next();
  await answer.return(undefined as never);
  await expect.poll(() => hasClosed).toBe(true);
});

it('harms no connection when it is left behind the last byte', async () => {
  for (let i = 0; i < 20; i += 1) {
    const answer = await answering((_, response) => response.end('whole'));
    await answer.next();
    await answer.return(undefined as never);
    server?.closeAllConnections();
    server?.close();
  }
});
