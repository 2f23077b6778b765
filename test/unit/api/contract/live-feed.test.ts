/** Chunks pushed for one client and pulled by it. */
import { expect, it } from 'vitest';
import { LiveFeed } from '../../../../src/api/contract/live-feed.ts';

function createFeed(backlogMax = 10) {
  const stop = new AbortController();
  const feed = new LiveFeed({ backlogMax, signal: stop.signal });
  const pulled = feed[Symbol.asyncIterator]();
  return { feed, pulled, stop: () => stop.abort() };
}

it('yields items pushed before and during a read, in order', async () => {
  const { feed, pulled } = createFeed();
  feed.push('one');
  feed.push('two');
  expect([(await pulled.next()).value, (await pulled.next()).value]).toEqual(['one', 'two']);
  const waiting = pulled.next();
  feed.push('three');
  expect((await waiting).value).toBe('three');
});

it('ends behind what was pushed before its end', async () => {
  const { feed, pulled } = createFeed();
  feed.push('one');
  feed.end();
  expect(feed.push('two')).toBe(false);
  expect([(await pulled.next()).value, (await pulled.next()).done]).toEqual(['one', true]);
});

it('ends when more waits than its bound, and counts only what waits', async () => {
  const { feed, pulled } = createFeed();
  for (let i = 0; i < 5; i++) {
    expect(feed.push('12345678')).toBe(true);
    await pulled.next();
  }
  expect([feed.push('12345678'), feed.push('12345678'), feed.push('1')]).toEqual([
    true,
    false,
    false,
  ]);
});

it('ends waiting reads when it is stopped, and drops waiting items', async () => {
  const { feed, pulled, stop } = createFeed();
  const waiting = pulled.next();
  stop();
  expect([(await waiting).done, feed.push('one')]).toEqual([true, false]);
});
