/** Where searches of a serving thread are done: in place, aside, or begun in place and given up. */
import { describe, expect, it } from 'vitest';
import type { PublishedIndex } from '../../../../src/ipc/published/published-indexes.ts';
import { QueryDesk } from '../../../../src/ipc/queries/query-desk.ts';
import type { QueryReply, QueryTask } from '../../../../src/ipc/queries/query-protocol.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';

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

  it('tries a search in place that was long aside, and again ever more rarely', async () => {
    const fake = fakeDesk();
    const search = taskOf();
    const work = { kind: 'search', request: DEFAULT_SEARCH_REQUEST, requestUid: '', spentMs: 0 };
    Object.assign(search, { work });
    const ask = async (): Promise<string> => placeOf(await fake.desk.run(search));
    fake.costMs = 30;
    expect(await ask()).toBe('aside');
    fake.inPlace = () => null;
    for (let i = 0; i < 6; i++) expect(await ask()).toBe('aside');
    fake.inPlace = () => reply('in place', 1);
    const places = [await ask(), await ask(), await ask()];
    expect(places).toEqual(['in place', 'in place', 'in place']);
    const [counts] = fake.desk.metrics();
    expect(counts?.values.map(({ value }) => value)).toEqual([3, 5, 2]);
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
