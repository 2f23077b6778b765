/** Before a front listens, large indexes that may be read are searched for single letters. */
import { describe, expect, it } from 'vitest';
import type { QueryTask } from '../../../src/ipc/queries/query-protocol.ts';
import { CheckedIndexes } from '../../../src/ipc/replica/checked-indexes.ts';
import { PublishedIndexes } from '../../../src/ipc/replica/published-indexes.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { searchFirstLetters } from '../../../workers/front-warm-up.ts';
import { createFakeApiContext } from '../../support/fake-api-context.ts';

/** @param sizes documents of the segments of each index */
function contextWith(sizes: Readonly<Record<string, readonly number[]>>) {
  const indexes = new PublishedIndexes(() => 'none');
  Object.entries(sizes).forEach(([uid, segments], id) => {
    const entries = segments.map((documentCount) => ({ documentCount, deadCount: 0, files: [] }));
    const manifest = { uid, id, generation: 1, settings: DEFAULT_SETTINGS, segments: entries };
    indexes.publish(JSON.stringify(manifest));
  });
  const checked = new CheckedIndexes();
  checked.set(3, ['a.seg is damaged']);
  return { ...createFakeApiContext({ masterKey: 'a key of others' }), indexes, checked };
}

function recordingPool() {
  const tasks: QueryTask[] = [];
  const run = async (task: QueryTask) => {
    tasks.push(task);
    return { ok: true, body: new TextEncoder().encode('{}') } as const;
  };
  return { tasks, run };
}

const sizes = {
  small: [60_000, 60_000],
  large: [70_000],
  largest: [70_000, 70_000],
  damaged: [90_000],
};

describe('first letters', () => {
  it('are searched in large indexes that may be read, the largest first', async () => {
    const context = contextWith(sizes);
    const pool = recordingPool();
    const signal = new AbortController().signal;
    const count = await searchFirstLetters({ context, pool }, signal, () => 0);
    expect(context.failures).toEqual([]);
    expect(count).toBe(pool.tasks.length);
    const keys = [...new Set(pool.tasks.map(({ snapshotKey }) => snapshotKey))];
    expect(keys).toEqual(['2:1', '1:1']);
    const words = pool.tasks.map(({ work }) => (work.kind === 'search' ? work.request.q : null));
    expect(words.slice(0, 3)).toEqual(['t', 'a', 's']);
    expect(words).toHaveLength(2 * new Set(words).size);
    expect(pool.tasks.every(({ isSynthetic }) => isSynthetic)).toBe(true);
  });

  it('end after a second, however many are left', async () => {
    const pool = recordingPool();
    let nowMs = 0;
    const now = (): number => (nowMs += 300);
    const context = contextWith(sizes);
    await searchFirstLetters({ context, pool }, new AbortController().signal, now);
    expect(pool.tasks).toHaveLength(3);
  });

  it('are not searched when the front ends', async () => {
    const stopped = new AbortController();
    stopped.abort();
    const pool = recordingPool();
    expect(await searchFirstLetters({ context: contextWith(sizes), pool }, stopped.signal)).toBe(0);
    expect(pool.tasks).toEqual([]);
  });
});
