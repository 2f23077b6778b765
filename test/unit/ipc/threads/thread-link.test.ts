/** Requests and news between two ends of a port: answers, refusals, callers that leave, an end. */
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import type { Caller } from '../../../../src/core/caller.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { type LinkHandlers, ThreadLink } from '../../../../src/ipc/threads/thread-link.ts';
import { until } from '../../../support/until.ts';

interface Requests {
  work: [number, { readonly body: Uint8Array }];
}
interface News {
  said: string;
}
type None = Record<never, never>;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function linked(work: LinkHandlers<Requests>['work']) {
  const { port1, port2 } = new MessageChannel();
  closing.push(() => port1.close());
  const heard: string[] = [];
  const bugs: unknown[] = [];
  const asking = new ThreadLink<Requests, None, News, None>({
    port: port1,
    handlers: {},
    onNews: {},
    onBug: () => undefined,
  });
  const serving = new ThreadLink<None, Requests, None, News>({
    port: port2,
    handlers: { work },
    onNews: { said: (text) => heard.push(text) },
    onBug: (error) => bugs.push(error),
    transferred: (answer) => [(answer as { body: { buffer: ArrayBuffer } }).body.buffer],
  });
  return { asking, serving, heard, bugs };
}

it('answers each request with its own answer, whose buffer goes over', async () => {
  const made: Uint8Array[] = [];
  const { asking } = linked(async (number) => {
    const body = new Uint8Array([number]);
    made.push(body);
    return { body };
  });
  const answers = await Promise.all([1, 2, 3].map((number) => asking.ask('work', number)));
  expect(answers.map(({ body }) => body[0])).toEqual([1, 2, 3]);
  expect(made.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0]);
});

it('keeps the code of what is refused, and tells of bugs', async () => {
  const { asking, bugs } = linked((number) => {
    throw number === 1 ? new ApiError('too_many_search_requests', 'full') : new Error('bug');
  });
  await expect(asking.ask('work', 1)).rejects.toMatchObject({ code: 'too_many_search_requests' });
  expect(bugs).toEqual([]);
  await expect(asking.ask('work', 2)).rejects.toMatchObject({ code: 'internal' });
  expect(bugs).toHaveLength(1);
});

it('passes news in order, and lets the other side know that a caller has left', async () => {
  let served: Caller | null = null;
  const { asking, heard } = linked((_, caller) => {
    served = caller;
    return new Promise(() => undefined);
  });
  asking.tell('said', 'a');
  asking.tell('said', 'b');
  const caller = { isAborted: false };
  asking.ask('work', 1, caller).catch(() => undefined);
  await expect.poll(() => served).toMatchObject({ isAborted: false });
  caller.isAborted = true;
  await expect.poll(() => served).toMatchObject({ isAborted: true });
  expect(heard).toEqual(['a', 'b']);
  asking.close();
});

it('says once of each caller that it has left, and sends ports along', async () => {
  const { port1, port2 } = new MessageChannel();
  closing.push(() => port1.close());
  const forgotten: number[] = [];
  port2.on('message', ({ kind, id }: { kind: string; id: number }) => {
    if (kind === 'forget') forgotten.push(id);
  });
  const asking = new ThreadLink<Requests, None, News, None>({
    port: port1,
    handlers: {},
    onNews: {},
    onBug: () => undefined,
  });
  const sent = new MessageChannel();
  const leave = async (count: number) => {
    const caller = { isAborted: false };
    asking.ask('work', count, caller, count === 1 ? [sent.port2] : []).catch(() => undefined);
    caller.isAborted = true;
    await until(`${count} have left`, () => forgotten.length >= count);
  };
  for (const count of [1, 2, 3]) await leave(count);
  expect(forgotten).toEqual([0, 1, 2]);
  expect(() => sent.port1.postMessage(0, [sent.port2])).toThrow();
  asking.close();
});

it('rejects what is under way and all that follows once the other thread has ended', async () => {
  const { asking } = linked(() => new Promise(() => undefined));
  const asked = asking.ask('work', 1);
  asking.close();
  await expect(asked).rejects.toMatchObject({ code: 'internal' });
  await expect(asking.ask('work', 2)).rejects.toMatchObject({ code: 'internal' });
});
