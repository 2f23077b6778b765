/** Where searches of a serving thread are done: in place, aside, or begun in place and given up. */
import { describe, expect, it } from 'vitest';
import type { PublishedIndex } from '../../../src/ipc/published-indexes.ts';
import { QueryDesk } from '../../../src/ipc/query-desk.ts';
import type { QueryReply, QueryTask } from '../../../src/ipc/query-protocol.ts';

const taskOf = (snapshotKey = '1:1'): QueryTask => ({
  snapshotKey,
  manifest: new SharedArrayBuffer(8),
  location: { kind: 'memory', name: 'a' },
  work: { kind: 'stats' },
});
const reply = (place: string, costMs: number): QueryReply => ({
  ok: true,
  body: new TextEncoder().encode(place),
  costMs,
});
const placeOf = (answer: QueryReply): string =>
  answer.ok ? new TextDecoder().decode(answer.body) : 'refused';

interface Fake {
  readonly desk: QueryDesk;
  readonly bugs: unknown[];
  costMs: number;
  inPlace: () => QueryReply | null;
  aside: () => Promise<QueryReply>;
}

function fakeDesk(): Fake {
  const fake: Fake = {
    bugs: [],
    costMs: 1,
    inPlace: () => reply('in place', fake.costMs),
    aside: async () => reply('aside', fake.costMs),
    desk: new QueryDesk({
      answerWithin: () => fake.inPlace(),
      aside: () => fake.aside(),
      waitingMax: 100,
      dropAfterMs: 60_000,
      onBug: (error) => fake.bugs.push(error),
    }),
  };
  return fake;
}

const run = async ({ desk }: Fake): Promise<string> => placeOf(await desk.run(taskOf()));

describe('QueryDesk', () => {
  it('sends aside what it does not know, and does the next of that shape in place', async () => {
    const fake = fakeDesk();
    expect(await run(fake)).toBe('aside');
    expect(await run(fake)).toBe('in place');
  });

  it('sends aside what took long, wherever it was done', async () => {
    const fake = fakeDesk();
    await run(fake);
    fake.costMs = 2000;
    expect(await run(fake)).toBe('in place');
    expect(await run(fake)).toBe('aside');
  });

  it('does aside what could not be finished in place', async () => {
    const fake = fakeDesk();
    await run(fake);
    fake.inPlace = () => null;
    expect(await run(fake)).toBe('aside');
    const [counts] = fake.desk.metrics();
    expect(counts?.values.map(({ value }) => value)).toEqual([0, 1, 1]);
  });

  it('tells of a bug in place and refuses that search alone', async () => {
    const fake = fakeDesk();
    await run(fake);
    fake.inPlace = () => {
      throw new Error('boom');
    };
    await expect(run(fake)).rejects.toMatchObject({ code: 'internal' });
    expect(fake.bugs).toHaveLength(1);
  });

  it('holds a generation while a search of it is aside', async () => {
    const fake = fakeDesk();
    let answer: (reply: QueryReply) => void = () => undefined;
    fake.aside = () => new Promise((resolve) => (answer = resolve));
    const asked = fake.desk.run(taskOf('1:4'));
    let isReleased = false;
    const released = fake.desk
      .released({ manifest: { id: 1, generation: 5 } } as unknown as PublishedIndex)
      .then(() => {
        isReleased = true;
      });
    await fake.desk.released({ manifest: { id: 2, generation: 9 } } as unknown as PublishedIndex);
    expect(isReleased).toBe(false);
    answer(reply('aside', 1));
    await Promise.all([asked, released]);
    expect(isReleased).toBe(true);
  });
});
