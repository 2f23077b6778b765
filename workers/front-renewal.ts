/**
 * Part of a front: threads that have read an index open each new generation of it when it is
 * published, so that the searches after a commit find it open.
 */
import type { PublishedIndex } from '../src/ipc/published/published-indexes.ts';
import type { QueryPool } from '../src/ipc/queries/query-pool.ts';
import { madeTask } from './made-task.ts';

/** @param threads of the pool; while searches wait for them, the next search opens it. Never rejects. */
export async function renewIn(
  pool: Pick<QueryPool, 'run' | 'waitingCount'>,
  threads: number,
  published: PublishedIndex,
): Promise<void> {
  if (pool.waitingCount > 0) return;
  const task = madeTask(published, { kind: 'renew' });
  await Promise.allSettled(Array.from({ length: threads }, () => pool.run(task)));
}
