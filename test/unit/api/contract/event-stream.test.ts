/** Records as server-sent events. */
import { expect, it } from 'vitest';
import { eventStream } from '../../../../src/api/contract/event-stream.ts';
import type { Changes } from '../../../../src/model/task.ts';

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
