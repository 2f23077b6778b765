/**
 * Part of a front: threads that have searched an index open each new generation of it when it is
 * published, so that the first search after a commit does not need to.
 */

import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import type { PublishedIndex } from '../src/ipc/replica/published-indexes.ts';

/**
 * Does nothing while searches wait for threads: the next search opens the generation. Never
 * rejects.
 * @param threads of the pool
 */
export async function preopenGeneration(
  pool: Pick<QueryPool, 'run' | 'waitingCount'>,
  threads: number,
  { key, shared, location }: PublishedIndex,
): Promise<void> {
  if (pool.waitingCount > 0) return;
  const work = { kind: 'preopen' } as const;
  const task = { snapshotKey: key, manifest: shared, location, work, isSynthetic: true } as const;
  await Promise.allSettled(Array.from({ length: threads }, () => pool.run(task)));
}
