/** Server-sent events: records, and streams that may be silent for long. */
import { expect, it } from 'vitest';
import { eventStream, withComments } from '../../../../src/api/contract/event-stream.ts';
import type { Changes } from '../../../../src/model/task.ts';
import { Gate } from '../../../support/gate.ts';

function streamOf(changesAfter: (place: number) => Promise<Changes<unknown>>) {
  let nowMs = 0;
  const stop = new AbortController();
  const answer = eventStream(3, changesAfter, () => nowMs);
  const pulled = answer.stream(stop.signal)[Symbol.asyncIterator]();
  const next = async () => (await pulled.next()).value;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { answer, next, stop: () => stop.abort(), pass };
}

it('begins at once with a comment, then sends each record as an event, from place to place', async () => {
  const places: number[] = [];
  const { answer, next } = streamOf(async (place) => {
    places.push(place);
    return { records: [{ uid: place }, { text: 'a\nb' }], next: place + 2 };
  });
  expect(answer).toMatchObject({ status: 200, contentType: 'text/event-stream' });
  expect(await next()).toBe(':\n\n');
  expect(await next()).toBe('data: {"uid":3}\n\ndata: {"text":"a\\nb"}\n\n');
  await next();
  expect(places).toEqual([3, 5]);
});

it('sends a comment when nothing has changed', async () => {
  const { next } = streamOf(async (place) => ({ records: [], next: place }));
  expect([await next(), await next(), await next()]).toEqual([':\n\n', ':\n\n', ':\n\n']);
});

it('ends while it waits when the client leaves', async () => {
  const { next, stop } = streamOf(() => new Promise(() => undefined));
  await next();
  const waiting = next();
  stop();
  expect(await waiting).toBeUndefined();
});

it('ends after an hour, so that a key that was taken away does not watch for ever', async () => {
  const { next, pass } = streamOf(async (place) => ({ records: [], next: place }));
  await next();
  pass(3_600_000);
  expect(await next()).toBeUndefined();
});

it('shows that the connection lives while other events are waited for', async () => {
  const gate = new Gate();
  let ends = 0;
  async function* events(): AsyncGenerator<string> {
    await gate.pass();
    yield 'data: 1\n\n';
  }
  const count = () => {
    ends += 1;
  };
  const stream = withComments(events(), count, 1);
  const next = async () => (await stream.next()).value;
  expect([await next(), await next(), await next()]).toEqual([':\n\n', ':\n\n', ':\n\n']);
  gate.release();
  let seen = await next();
  while (seen === ':\n\n') seen = await next();
  expect(seen).toBe('data: 1\n\n');
  expect(ends).toBe(0);
  expect(await next()).toBeUndefined();
  expect(ends).toBe(1);
});

it('ends other events when the client has disconnected', async () => {
  let hasLeft = false;
  let ends = 0;
  async function* events(): AsyncGenerator<string> {
    try {
      for (;;) yield 'data: 1\n\n';
    } finally {
      hasLeft = true;
    }
  }
  const count = () => {
    ends += 1;
  };
  const stream = withComments(events(), count, 60_000);
  await stream.next();
  await stream.next();
  await stream.return(undefined);
  expect([hasLeft, ends]).toEqual([true, 1]);
});
