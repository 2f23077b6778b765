/** The list of the newest changes, for watchers who come back for more. */
import { describe, expect, it } from 'vitest';
import { ChangeFeed } from '../../../../src/tasks/publishing/change-feed.ts';

const all = () => true;

function createFeed() {
  let nowMs = 0;
  const feed = new ChangeFeed<number>(() => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { feed, pass };
}

describe('changes', () => {
  it('are those after the place where a watcher began, once each, in order', async () => {
    const { feed } = createFeed();
    feed.add(1);
    const { next, records } = await feed.changes(null, all);
    expect(records).toEqual([]);
    feed.add(2);
    feed.add(3);
    const first = await feed.changes(next, all);
    expect(first.records).toEqual([2, 3]);
    feed.add(4);
    expect((await feed.changes(first.next, all)).records).toEqual([4]);
    expect((await feed.changes(next, all)).records).toEqual([2, 3, 4]);
  });

  it('reach a watcher who waits for one that it may see', async () => {
    const { feed } = createFeed();
    const { next } = await feed.changes(null, all);
    const waiting = feed.changes(next, (value) => value > 10);
    feed.add(5);
    await new Promise((resolve) => setImmediate(resolve));
    feed.add(11);
    expect(await waiting).toEqual({ records: [11], next: next + 2 });
  });

  it('that do not come are answered with nothing after a while', async () => {
    const feed = new ChangeFeed<number>();
    const { next } = await feed.changes(null, all);
    expect(await feed.changes(next, all, 5)).toEqual({ records: [], next });
  });

  it('are not kept without a watcher', async () => {
    const { feed, pass } = createFeed();
    expect(feed.isWatched).toBe(false);
    const { next } = await feed.changes(null, all);
    feed.add(1);
    expect(feed.isWatched).toBe(true);
    pass(30_000);
    expect(feed.isWatched).toBe(false);
    feed.add(2);
    await feed.changes(null, all);
    feed.add(3);
    expect((await feed.changes(next, all)).records).toEqual([3]);
  });

  it('are bounded: a watcher far behind goes on with the oldest that is kept', async () => {
    const { feed } = createFeed();
    const { next } = await feed.changes(null, all);
    for (let value = 0; value < 100_000; value++) feed.add(value);
    const { records } = await feed.changes(next, all);
    expect(records).toHaveLength(1000);
    expect(records[0]).toBeGreaterThan(50_000);
  });

  it('are bounded by their length too, and a long one is alone in its reply', async () => {
    const feed = new ChangeFeed<string>(() => 0);
    const { next } = await feed.changes(null, all);
    const long = 'x'.repeat(9 << 20);
    for (let value = 0; value < 10; value++) feed.add(`${value}${long}`);
    feed.add('end');
    const kept: string[] = [];
    for (let place = next; kept.at(-1) !== 'end'; ) {
      const changes = await feed.changes(place, all);
      expect(changes.records.length).toBe(1);
      kept.push(...changes.records.map((record) => record.slice(0, 3)));
      place = changes.next;
    }
    expect(kept).toEqual(['5xx', '6xx', '7xx', '8xx', '9xx', 'end']);
  });

  it('of another process are past the end, and what comes from now on follows', async () => {
    const { feed } = createFeed();
    await feed.changes(null, all);
    const waiting = feed.changes(1_000_000, all);
    feed.add(7);
    expect((await waiting).records).toEqual([7]);
  });

  it('have a bounded number of watchers', async () => {
    const { feed } = createFeed();
    const waiting = Array.from({ length: 1000 }, () => feed.changes(0, all));
    await expect(feed.changes(null, all)).rejects.toMatchObject({
      code: 'too_many_search_requests',
    });
    feed.add(1);
    expect(await Promise.all(waiting)).toHaveLength(1000);
  });
});
