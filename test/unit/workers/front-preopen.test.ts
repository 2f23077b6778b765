/** A new generation goes to every thread of a pool, unless searches wait for them. */
import { expect, it } from 'vitest';
import type { QueryTask } from '../../../src/ipc/queries/query-protocol.ts';
import { PublishedIndexes } from '../../../src/ipc/replica/published-indexes.ts';
import { preopenGeneration } from '../../../workers/front-preopen.ts';

it('opens the generation in each thread, and ignores a failure', async () => {
  const indexes = new PublishedIndexes((id) => ({ kind: 'folder', path: `/${id}` }));
  const published = indexes.publish(JSON.stringify({ uid: 'films', id: 4, generation: 7 }));
  const asked: QueryTask[] = [];
  const pool = {
    waitingCount: 0,
    run: async (task: QueryTask) => {
      asked.push(task);
      if (asked.length === 1) throw new Error('the pool is closed');
      return { ok: true, body: new Uint8Array(0) } as const;
    },
  };
  await preopenGeneration(pool, 2, published);
  const { shared: manifest, location } = published;
  const task = {
    snapshotKey: '4:7',
    manifest,
    location,
    work: { kind: 'preopen' },
    isSynthetic: true,
  };
  expect(asked).toEqual([task, task]);
  await preopenGeneration({ ...pool, waitingCount: 1 }, 2, published);
  expect(asked).toHaveLength(2);
});
