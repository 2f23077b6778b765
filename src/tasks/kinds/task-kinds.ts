/**
 * Start here for a kind of task: the table of all kinds. A new kind is a constant in a file of this
 * folder, an entry here and a variant of `TaskDraft`.
 */
import type { TaskDraft, TaskType } from '../../model/task.ts';
import type { QueueRules } from '../batching/next-batch.ts';
import type { NewTask, TaskWork } from '../store/stored-task.ts';
import type { OtherUids } from '../store/task-store.ts';
import { dumpCreation, snapshotCreation } from './backup-creation.ts';
import { databaseUpgrade } from './database-upgrade.ts';
import { documentAddition } from './document-addition.ts';
import { documentDeletion } from './document-deletion.ts';
import { documentEdit } from './document-edit.ts';
import { indexBranch } from './index-branch.ts';
import { indexCompaction } from './index-compaction.ts';
import { indexDeletion } from './index-deletion.ts';
import { exportKind } from './index-export.ts';
import { indexSwap } from './index-swap.ts';
import { indexCreation, indexUpdate } from './index-update.ts';
import { taskCancelation, taskDeletion } from './matched-tasks.ts';
import { searchRulesClear, searchRuleUpdate } from './search-rules.ts';
import { settingsUpdate } from './settings-update.ts';
import type { TaskKind } from './task-kind.ts';

/** Urgent kinds and background kinds are in order of precedence. */
const TASK_KINDS: Readonly<Record<TaskDraft['type'], TaskKind>> = {
  taskCancelation,
  upgradeDatabase: databaseUpgrade,
  taskDeletion,
  indexCompaction,
  export: exportKind,
  snapshotCreation,
  dumpCreation,
  documentAdditionOrUpdate: documentAddition,
  documentDeletion,
  documentEdition: documentEdit,
  settingsUpdate,
  indexCreation,
  indexBranch,
  indexUpdate,
  indexDeletion,
  indexSwap,
  dsrUpdate: searchRuleUpdate,
  dsrClear: searchRulesClear,
};

export function kindOf(type: TaskType): TaskKind {
  const kind = (TASK_KINDS as Partial<Record<TaskType, TaskKind>>)[type];
  if (kind === undefined) throw new Error(`tasks of type ${type} are not known`);
  return kind;
}

/** @param matched uids that the query of a cancelation or deletion matches now, ascending */
export function toNewTask(draft: TaskDraft, matched: readonly number[]): NewTask {
  const kind = kindOf(draft.type);
  const { work, details, contentBytes = null } = kind.create(draft, matched);
  const { customMetadata } = draft;
  return {
    type: draft.type,
    indexUid: 'indexUid' in draft ? draft.indexUid : null,
    otherUids: kind.otherUids?.(work) ?? [],
    stored: { work, details, error: null, ...(customMetadata !== undefined && { customMetadata }) },
    contentBytes,
  };
}

/** `toRanges` of the processing tasks that must be aborted. */
export const abortedBy = (work: TaskWork | null): readonly number[] =>
  (work && kindOf(work.type).aborts?.(work)) ?? [];

export const OTHER_UIDS: OtherUids = new Map(
  Object.entries(TASK_KINDS).flatMap(([type, kind]) =>
    kind.otherUids === undefined
      ? []
      : [[type as TaskType, (work: TaskWork) => kind.otherUids?.(work) ?? []] as const],
  ),
);

const typesOf = (turn: 'urgent' | 'background'): QueueRules['urgent'] =>
  Object.entries(TASK_KINDS).flatMap(([type, kind]) =>
    kind.turn === turn ? [{ type: type as TaskType, takes: kind.takes }] : [],
  );

export const QUEUE_RULES: QueueRules = {
  urgent: typesOf('urgent'),
  background: typesOf('background'),
  candidateOf: (work) => {
    const kind = kindOf(work.type);
    return kind.turn === 'merged' ? kind.candidate(work) : { kind: 'exclusive', bytes: 0 };
  },
};
