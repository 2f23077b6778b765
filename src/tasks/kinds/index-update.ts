/** Creates an index, or changes its primary key or uid. */
import { ApiError } from '../../core/errors.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import { type IndexManifest, liveDocumentCount } from '../../model/index-manifest.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { TaskWork } from '../store/stored-task.ts';
import { exchanged, renameTasks } from './rename-tasks.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

interface CreationWork extends TaskWork {
  readonly type: 'indexCreation';
  readonly primaryKey: string | null;
}

export const indexCreation: LoneKind<DraftOf<'indexCreation'>, CreationWork> = {
  turn: 'alone',
  create: ({ type, primaryKey }) => ({ work: { type, primaryKey }, details: { primaryKey } }),
  dumped: ({ primaryKey }) => dumpedKinds.indexCreation(primaryKey),

  process(task, uid, context) {
    const catalog = context.catalog.begin();
    catalog.create(uid, task.work.primaryKey, context.nowText);
    return { outcomes: [succeeded(task, {})], catalog };
  },
};

interface UpdateWork extends TaskWork {
  readonly type: 'indexUpdate';
  readonly primaryKey: string | null;
  readonly newUid: string | null;
}

export const indexUpdate: LoneKind<DraftOf<'indexUpdate'>, UpdateWork> = {
  turn: 'alone',

  create({ type, primaryKey, newUid, indexUid }) {
    const names = newUid === null ? {} : { oldIndexUid: indexUid, newIndexUid: newUid };
    return { work: { type, primaryKey, newUid }, details: { primaryKey, ...names } };
  },

  otherUids: ({ newUid }) => (newUid === null ? [] : [newUid]),

  dumped: ({ primaryKey, newUid }) => dumpedKinds.indexUpdate(primaryKey, newUid),

  process(task, uid, context) {
    const { primaryKey, newUid } = task.work;
    const catalog = context.catalog.begin();
    const index = catalog.must(uid);
    const isRename = newUid !== null && newUid !== uid;
    catalog.update(uid, {
      ...(primaryKey !== null && { primaryKey }),
      ...(isRename && { uid: newUid }),
      updatedAt: context.nowText,
    });
    // After the rename, whose faults are reported first.
    if (primaryKey !== null) checkPrimaryKey(index, primaryKey);
    const outcomes = [succeeded(task, {})];
    if (!isRename) return { outcomes, catalog };
    const newNames = exchanged([[uid, newUid]]);
    return {
      outcomes,
      catalog,
      changeTasks: (change) => renameTasks(change, context.tasks, task.uid, newNames),
    };
  },
};

function checkPrimaryKey(index: IndexManifest, primaryKey: string): void {
  if (
    index.primaryKey === null ||
    index.primaryKey === primaryKey ||
    liveDocumentCount(index) === 0
  )
    return;
  throw new ApiError(
    'index_primary_key_already_exists',
    `Index \`${index.uid}\`: the primary key is \`${index.primaryKey}\` and cannot become ` +
      `\`${primaryKey}\` while the index holds documents.`,
  );
}
