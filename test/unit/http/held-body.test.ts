/** Bodies that arrive while their request is being authorized. */
import { expect, it } from 'vitest';
import { BodyMemory } from '../../../src/api/contract/body-memory.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { BodyReceiver, Exchange } from '../../../src/http/exchange.ts';
import { HeldBody } from '../../../src/http/held-body.ts';
import { readBody } from '../../../src/http/request-body.ts';

const full = new ApiError('payload_memory_exhausted', 'full');

/** A held body, the calls of its exchange, and what stands in for the adapter. */
function hold(bytesMax = 100) {
  const calls: string[] = [];
  const share = new BodyMemory({
    ...{ bytesMax, smallBytes: bytesMax, largeBytesMax: bytesMax },
    refusal: () => full,
  }).open();
  let adapter: BodyReceiver | undefined;
  const exchange = {
    headers: { contentEncoding: '', contentLength: '' },
    receive: (receiver: BodyReceiver) => {
      adapter = receiver;
    },
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
  } as unknown as Exchange;
  const body = new HeldBody(exchange, share);
  if (adapter === undefined) throw new Error('does not receive at once');
  return { body, calls, share, adapter };
}

it('arrive in order, from a paused sender, though their memory is reused', async () => {
  const { body, calls, share, adapter } = hold();
  const buffer = Buffer.from('ab');
  adapter.chunk(buffer);
  buffer.fill('x');
  expect(calls).toEqual(['pause']);
  const read = readBody(body, 100, share);
  expect(calls).toEqual(['pause', 'resume']);
  adapter.chunk(Buffer.from('cd'));
  adapter.end();
  expect(Buffer.from(await read).toString()).toBe('abcd');
  expect(calls).toEqual(['pause', 'resume']);
});

it('that ended or broke off earlier do so for the route', async () => {
  const ended = hold();
  ended.adapter.chunk(Buffer.from('ab'));
  ended.adapter.end();
  expect(Buffer.from(await readBody(ended.body, 100, ended.share)).toString()).toBe('ab');
  const broken = hold();
  broken.adapter.abort();
  await expect(readBody(broken.body, 100, broken.share)).rejects.toThrow(
    expect.objectContaining({ name: 'ClientGone' }),
  );
});

it('count against the budget, and are refused beyond it', async () => {
  const { body, calls, share, adapter } = hold(3);
  adapter.chunk(Buffer.from('abcd'));
  adapter.chunk(Buffer.from('e'));
  await expect(readBody(body, 100, share)).rejects.toBe(full);
  const length = calls.length;
  adapter.chunk(Buffer.from('f'));
  expect(calls.length).toBe(length);
});

it('of refused requests are read to their end and ignored', () => {
  const { body, calls, adapter } = hold(3);
  adapter.chunk(Buffer.from('abc'));
  body.drop();
  adapter.chunk(Buffer.from('defg'));
  adapter.end();
  expect(calls).toEqual(['pause', 'resume']);
});
