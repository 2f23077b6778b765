/** When a streamed answer is pulled, ended and cut off. */
import { expect, it } from 'vitest';
import type { BodyWriterEvents, Exchange } from '../../../src/http/exchange.ts';
import { streamAnswer } from '../../../src/http/stream-answer.ts';

const HEAD = { status: 200, headers: [] };

/** A client that is behind from its second chunk on, until `events.drained` is called. */
class SlowClient {
  readonly seen: string[] = [];
  events: BodyWriterEvents | null = null;
  readonly exchange = {
    open: (_: unknown, events: BodyWriterEvents) => {
      this.events = events;
      return {
        write: (chunk: string) => this.seen.push(chunk) < 2,
        end: () => void this.seen.push('end'),
        cut: () => {
          this.seen.push('cut');
          events.stop();
        },
      };
    },
  } as unknown as Exchange;
}

async function* threeChunks(): AsyncGenerator<string> {
  yield* ['a', 'b', 'c'];
}

const noFault = (error: unknown) => {
  throw error;
};

it('waits for a client that is behind', async () => {
  const client = new SlowClient();
  const done = streamAnswer(client.exchange, HEAD, threeChunks, { onFault: noFault });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(client.seen).toEqual(['a', 'b']);
  client.events?.drained();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(client.seen).toEqual(['a', 'b', 'c']);
  client.events?.drained();
  await done;
  expect(client.seen).toEqual(['a', 'b', 'c', 'end']);
});

it('cuts off a client that takes nothing for too long', async () => {
  const client = new SlowClient();
  await streamAnswer(client.exchange, HEAD, threeChunks, { onFault: noFault, stallMs: 5 });
  expect(client.seen.slice(0, 3)).toEqual(['a', 'b', 'cut']);
});

it('ends the body at once when it is stopped, though the source waits', async () => {
  const client = new SlowClient();
  const never: () => AsyncIterable<string> = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  });
  void streamAnswer(client.exchange, HEAD, never, { onFault: noFault });
  client.events?.stop();
  expect(client.seen).toEqual(['end']);
});
