/**
 * Creates an index with the documents and settings of another index. The files of both are the same
 * bytes on the disk (hard links): each index has its own names for them and deletes only those.
 */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { liveDocumentCount } from '../../model/index-manifest.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import { withWriter } from '../processing/with-writer.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

interface BranchWork extends TaskWork {
  readonly type: 'indexBranch';
  /** Name of the index that is copied. */
  readonly source: string;
}

export const indexBranch: LoneKind<DraftOf<'indexBranch'>, BranchWork> = {
  turn: 'alone',

  create: ({ type, source }) => ({
    work: { type, source },
    details: { source, documents: null },
  }),

  otherUids: ({ source }) => [source],

  dumped: ({ source }) => dumpedKinds.indexBranch(source),

  async process(task, uid, context) {
    const catalog = context.catalog.begin();
    const source = catalog.must(task.work.source);
    const branch = catalog.branch(source, uid, context.nowText);
    // No commit can replace the files of the source before they are linked: all of it is one turn.
    const used = await withWriter(uid, catalog, context, async () => {
      await context.writers.linkFiles(source, branch);
      return { changeIds: source.segments.map(({ id }) => id) };
    });
    if (used.error !== null)
      return { outcomes: [failed(task, used.error)], catalog: context.catalog.begin() };
    const documents = liveDocumentCount(source);
    return { outcomes: [succeeded(task, { documents })], catalog, written: used.written };
  },
};
