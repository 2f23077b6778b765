/** Compacts an index: merges its segments into few, without deleted documents. */

import { segmentBytes } from '../../catalog/manifest.ts';
import { humanSize } from '../../core/human-size.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { segmentsAfterMerge } from '../../indexing/files/finished-merge.ts';
import type { IndexManifest, SegmentEntry } from '../../model/index-manifest.ts';
import type { IndexWriterPort } from '../processing/index-writers.ts';
import { type BatchContext, toTaskError, withWriter } from '../processing/prepared-batch.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { DraftOf, UrgentKind } from './task-kind.ts';

interface CompactionWork extends TaskWork {
  readonly type: 'indexCompaction';
  readonly indexUid: string;
}

export const indexCompaction: UrgentKind<DraftOf<'indexCompaction'>, CompactionWork> = {
  turn: 'urgent',
  takes: 'oldest',

  create: ({ type, indexUid }) => ({ work: { type, indexUid }, details: {} }),

  dumped: ({ indexUid }) => dumpedKinds.indexCompaction(indexUid),

  async process(tasks, context) {
    const [task] = tasks;
    if (task === undefined) throw new Error('a batch without a task');
    const { indexUid } = task.work;
    const catalog = context.catalog.begin();
    const index = catalog.must(indexUid);
    const { change, written } = await withWriter(indexUid, catalog, context, (writer) =>
      compact(index, writer, context),
    );
    const { segments, error } = change;
    if (change.changeIds.length > 0) catalog.update(indexUid, { segments });
    const sizes = {
      preCompactionSize: humanSize(segmentBytes(index)),
      postCompactionSize: humanSize(segmentBytes({ ...index, segments })),
    };
    const outcome =
      error === null ? succeeded(task, sizes) : failed(task, toTaskError(error, context));
    return { outcomes: [outcome], catalog, written };
  },
};

interface Compacted {
  /** Change ids of the finished merges. */
  readonly changeIds: readonly string[];
  readonly segments: readonly SegmentEntry[];
  readonly error: unknown;
}

/** Ends early with the merges done so far if the batch is canceled or a merge fails. */
async function compact(
  index: IndexManifest,
  writer: IndexWriterPort,
  { progress }: BatchContext,
): Promise<Compacted> {
  const groups = writer.planCompaction(index);
  progress.plan(['merging segments', 'committing']);
  progress.begin('merging segments', groups.flat().length);
  const changeIds: string[] = [];
  let segments: readonly SegmentEntry[] = index.segments;
  let error: unknown = null;
  try {
    for (const group of groups) {
      progress.throwIfCanceled();
      const merge = await writer.merge(group);
      if (merge !== null) changeIds.push(merge.changeId);
      const merged = merge === null ? null : segmentsAfterMerge(merge, segments);
      if (merged === null) throw new Error(`index ${index.uid} changed while it was compacted`);
      segments = merged;
      progress.advance(group.length);
    }
  } catch (failure) {
    error = failure;
  }
  return { changeIds, segments, error };
}
