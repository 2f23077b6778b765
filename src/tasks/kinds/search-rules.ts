/** Creates, changes and deletes search rules, one or all, and batches of these tasks. */
import type { SearchRulesChange } from '../../catalog/search-rule-store.ts';
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import type { SearchRuleBody } from '../../model/schemas/search-rule-schema.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import {
  type BatchContext,
  type PreparedBatch,
  toTaskError,
} from '../processing/prepared-batch.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import type { Details, TaskWork } from '../store/stored-task.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

interface RuleWork extends TaskWork {
  readonly type: 'dsrUpdate';
  readonly uid: string;
  /** null deletes the rule. */
  readonly update: SearchRuleBody | null;
}

export const searchRuleUpdate: MergedKind<DraftOf<'dsrUpdate'>, RuleWork> = {
  turn: 'merged',
  create: ({ type, uid, update }) => ({
    work: { type, uid, update },
    details: { ...(update !== null && { rule: update }), updatedRules: null },
  }),
  dumped: ({ uid, update }) => dumpedKinds.ruleUpdate(uid, update),
  candidate: ({ update }) => ({ kind: 'searchRules', bytes: JSON.stringify(update).length }),
};

export const searchRulesClear: MergedKind<DraftOf<'dsrClear'>> = {
  turn: 'merged',
  create: ({ type }) => ({ work: { type }, details: { deletedDocuments: null } }),
  dumped: () => dumpedKinds.ruleClear(),
  candidate: () => ({ kind: 'searchRules', bytes: 0 }),
};

/** Applies the changes in order; a failed change does not affect the others. */
export function changeSearchRules({ tasks }: SelectedBatch, context: BatchContext): PreparedBatch {
  const rules = context.searchRules.begin();
  const outcomes = tasks.map((task): TaskOutcome => {
    try {
      return succeeded(task, changeBy(task, rules, context.nowText));
    } catch (error) {
      return failed(task, toTaskError(error, context));
    }
  });
  return { outcomes, catalog: context.catalog.begin(), searchRules: rules };
}

function changeBy({ work }: BatchTask, rules: SearchRulesChange, now: string): Details {
  if (work.type === 'dsrClear') return { deletedDocuments: rules.clear() };
  const { uid, update } = work as RuleWork;
  if (update === null) rules.delete(uid);
  else rules.update(uid, update, now);
  return { updatedRules: 1 };
}
