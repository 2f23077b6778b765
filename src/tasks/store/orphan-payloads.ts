/** Deletes spool files that no task names, left by interrupted requests. */
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { TaskStore } from './task-store.ts';

/** Deletes orphan payloads older than `olderThanMs`. @returns their number */
export async function removeOrphanPayloads(
  tasks: TaskStore,
  payloads: PayloadStore,
  olderThanMs: number,
  nowMs: number,
): Promise<number> {
  const additions = [...tasks.pending.ofType('documentAdditionOrUpdate')];
  const named = new Set<string>();
  for (const { work } of await tasks.load(additions.map(({ uid }) => uid)))
    if (work?.content?.kind === 'file') named.add(work.content.name);
  return payloads.removeOrphans(named, olderThanMs, nowMs).length;
}
