/**
 * Creates an index with the documents and settings of another index, and changes its settings if the
 * request says so. The files of both are the same bytes on the disk (hard links): each index has its
 * own names for them and deletes only those.
 */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { applySettings, normalizeSettingsUpdate } from '../../model/apply-settings.ts';
import { liveDocumentCount } from '../../model/index-manifest.ts';
import { shownWarnings } from '../../model/secret-origin.ts';
import type { SettingsUpdate } from '../../model/settings.ts';
import { withWriter } from '../processing/prepared-batch.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import { shownSettings, withFiles } from './settings-update.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

interface BranchWork extends TaskWork {
  readonly type: 'indexBranch';
  readonly source: string;
  /** Absent = the branch keeps the settings of the source. */
  readonly settings?: SettingsUpdate;
}

export const indexBranch: LoneKind<DraftOf<'indexBranch'>, BranchWork> = {
  turn: 'alone',

  create({ type, source, settings: given }) {
    if (given === undefined)
      return { work: { type, source }, details: { source, documents: null } };
    const settings = normalizeSettingsUpdate(given);
    return {
      work: { type, source, settings },
      details: { source, settings: shownSettings(settings), documents: null },
    };
  },

  otherUids: ({ source }) => [source],

  dumped: ({ source, settings }) => dumpedKinds.indexBranch(source, settings ?? null),

  async process(task, uid, context) {
    const { progress } = context;
    const catalog = context.catalog.begin();
    const source = catalog.must(task.work.source);
    const branch = catalog.branch(source, uid, context.nowText);
    const linkedIds = source.segments.map(({ id }) => id);
    const warnings: string[] = [];
    // No commit can replace the files of the source before they are linked: all until then is one turn.
    const { change, written } = await withWriter(uid, catalog, context, async (writer) => {
      await context.writers.linkFiles(source, branch);
      if (task.work.settings === undefined) return { ...branch, changeIds: linkedIds };
      progress.plan(['building segments', 'committing']);
      const next = applySettings(branch.settings, task.work.settings, warnings);
      const { segments: linked } = branch;
      const { settings, segments, changeIds } = await withFiles(
        writer,
        {
          settings: await writer.normalizedSettings(next, branch.settings),
          segments: linked,
          rebuilds: linked.length > 0,
        },
        progress,
      );
      context.writers.removeReplaced(branch, segments);
      return { settings, segments, changeIds: [...linkedIds, ...changeIds] };
    }).catch((error: unknown) => {
      context.writers.removeBranch(branch);
      throw error;
    });
    const { settings, segments } = change;
    catalog.update(uid, { settings, segments });
    const documents = liveDocumentCount(source);
    const outcome = succeeded(task, { documents, ...shownWarnings(warnings) });
    return { outcomes: [outcome], catalog, written };
  },
};
