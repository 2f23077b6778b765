/** Large indexes are asked ahead in every thread, slice by slice, for as long as that is allowed. */
import { describe, expect, it } from 'vitest';
import { CheckedIndexes } from '../../../src/ipc/published/checked-indexes.ts';
import { PublishedIndexes } from '../../../src/ipc/published/published-indexes.ts';
import type { QueryReply, QueryTask } from '../../../src/ipc/queries/query-protocol.ts';
import type { IndexManifest } from '../../../src/model/index-manifest.ts';
import { askAhead } from '../../../workers/front-asking-ahead.ts';

const utf8 = new TextEncoder();

/** @param sizes documents of the segments of each index */
function indexesOf(sizes: Readonly<Record<string, readonly number[]>>): PublishedIndexes {
  const indexes = new PublishedIndexes(() => ({ kind: 'memory', name: 'none' }) as never);
  Object.entries(sizes).forEach(([uid, segments], id) => {
    const entries = segments.map((documentCount) => ({ documentCount, deadCount: 0, files: [] }));
    indexes.publish(
      JSON.stringify({ uid, id, generation: 1, segments: entries } as unknown as IndexManifest),
    );
  });
  return indexes;
}

/** Each thread has so many searches to make for an index, two a slice. */
class FakePool {
  readonly asked: string[] = [];
  readonly #left = new Map<string, number>();
  readonly #threads: number;
  #turn = 0;

  constructor(threads: number) {
    this.#threads = threads;
  }

  async run({ snapshotKey, isMade, work }: QueryTask): Promise<QueryReply> {
    expect(isMade).toBe(true);
    expect(work.kind).toBe('askAhead');
    const threadId = this.#turn++ % this.#threads;
    const key = `${threadId} ${snapshotKey}`;
    const left = Math.max(0, (this.#left.get(key) ?? 5) - 2);
    const asked = Math.min(2, this.#left.get(key) ?? 5);
    this.#left.set(key, left);
    this.asked.push(snapshotKey);
    return { ok: true, body: utf8.encode(JSON.stringify({ threadId, asked, left })) };
  }
}

describe('asking ahead', () => {
  it('takes large indexes that may be read, the largest first, until every thread is done', async () => {
    const indexes = indexesOf({
      small: [60_000, 60_000],
      large: [70_000],
      largest: [70_000, 70_000],
      damaged: [90_000],
    });
    const checked = new CheckedIndexes();
    checked.tell(3, ['a.seg is damaged']);
    const pool = new FakePool(2);
    const asking = { context: { indexes, checked }, pool, threads: 2 };
    expect(await askAhead(asking, () => true)).toBe(20);
    expect(pool.asked).toEqual([...Array(6).fill('2:1'), ...Array(6).fill('1:1')]);
  });

  it('ends when it may not go on', async () => {
    const pool = new FakePool(1);
    const context = { indexes: indexesOf({ large: [70_000] }), checked: new CheckedIndexes() };
    const slices = [true, true, false];
    expect(await askAhead({ context, pool, threads: 1 }, () => slices.shift() ?? false)).toBe(4);
    expect(pool.asked).toHaveLength(2);
  });

  it('goes on with the newest generation, and leaves an index that cannot be read', async () => {
    const indexes = indexesOf({ large: [70_000] });
    const keys: string[] = [];
    const pool = {
      run: async ({ snapshotKey }: QueryTask): Promise<QueryReply> => {
        keys.push(snapshotKey);
        const [published] = indexes.list();
        indexes.publish(JSON.stringify({ ...published?.manifest, generation: keys.length + 1 }));
        if (keys.length === 3)
          return { ok: false, error: { code: 'internal', message: 'gone' } as never };
        return { ok: true, body: utf8.encode('{"threadId":1,"asked":1,"left":7}') };
      },
    };
    const context = { indexes, checked: new CheckedIndexes() };
    expect(await askAhead({ context, pool, threads: 1 }, () => true)).toBe(2);
    expect(keys).toEqual(['0:1', '0:2', '0:3']);
  });
});
