/**
 * The commit point of a batch: its changes, task results, batch record and webhook deliveries are
 * one write of the key-value store. Publishes the new states after the write.
 */
import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import type { Webhooks } from '../../webhooks/webhook-service.ts';
import type { PreparedBatch } from '../processing/prepared-batch.ts';
import type { RunningBatch } from '../processing/running-batch.ts';
import type { BatchAttempt } from '../store/crash-loop-guard.ts';
import { toTaskRecord } from '../store/task-record.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';
import { type AfterCommitOptions, announce, cleanUp } from './after-commit.ts';
import { logBatch } from './batch-log.ts';
import type { BatchMetrics } from './batch-metrics.ts';
import type { WatchedChanges } from './watched.ts';

export interface BatchCommitsOptions extends AfterCommitOptions {
  readonly store: KeyValueStore;
  readonly tasks: TaskStore;
  readonly webhooks: Pick<Webhooks, 'stage' | 'committed'>;
  readonly watched: WatchedChanges;
  readonly batchMetrics: BatchMetrics;
  /** Called with the tasks of a batch after its commit. */
  readonly onTasksEnded: ((rows: readonly TaskRow[]) => void) | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * @param attempt ends with the batch
 * @returns ids of the indexes whose writers stay open
 * @throws the store's error: the state on disk is then unknown
 */
export async function commitBatch(
  options: BatchCommitsOptions,
  running: RunningBatch,
  prepared: PreparedBatch,
  attempt: BatchAttempt,
): Promise<readonly number[]> {
  const { store, tasks, clock, publish, watched, webhooks, batchMetrics, log } = options;
  const { uid: batchUid, startedAt } = running;
  running.progress.begin('committing', prepared.outcomes.length);
  const finishedAt = clock();
  const stored = await storedTasks(tasks, running, prepared);
  const change = tasks.begin();
  await prepared.changeTasks?.(change);
  const members = prepared.outcomes.map((outcome, i) => {
    const row = tasks.row(outcome.uid);
    const record = stored[i];
    if (row === null || record === undefined)
      throw new Error(`task ${outcome.uid} vanished while it was processed`);
    const { status, canceledBy = null, details } = outcome;
    const finished = { ...row, status, canceledBy, batchUid, startedAt, finishedAt };
    change.finish(finished, record, outcome);
    const { error } = outcome;
    return { row: finished, details, ended: { ...record, work: null, details, error } };
  });
  const record = running.record(members, finishedAt);
  change.storeBatch(record);
  const operations = [
    ...prepared.catalog.operations(),
    ...(prepared.searchRules?.operations() ?? []),
    ...change.operations(),
  ];
  const deliveries = await webhooks.stage(batchUid, finishedAt, () =>
    members.map(({ row, ended }) => toTaskRecord(row, ended)),
  );
  await store.write([...operations, ...deliveries, attempt.end()]);
  const applied = prepared.catalog.apply();
  const written = announce(options, applied, prepared.written?.writer ?? null);
  const rules = prepared.searchRules?.apply();
  for (const rule of rules?.published ?? []) publish('searchRulePublished', rule);
  if (rules && rules.removed.length > 0) publish('searchRulesRemoved', { uids: rules.removed });
  change.apply();
  for (const { row, ended } of members) watched.taskChanged(row, ended);
  watched.batchChanged(() => record);
  webhooks.committed();
  const ended = members.map(({ row, ended: { error } }) => ({ row, error }));
  const milliseconds = (finishedAt - startedAt) / 1000;
  logBatch(log, record, ended, milliseconds);
  options.onTasksEnded?.(members.map(({ row }) => row));
  batchMetrics.ended(record, running.progress.read(), milliseconds);
  const works = stored.map(({ work }) => work);
  cleanUp(options, applied, works, finishedAt);
  return written;
}

/** Records of all tasks that the batch ends, in the order of the outcomes. */
async function storedTasks(
  tasks: TaskStore,
  { selected }: RunningBatch,
  { outcomes }: PreparedBatch,
) {
  const known = new Map(selected.tasks.map(({ uid, stored }) => [uid, stored]));
  const others = outcomes.map(({ uid }) => uid).filter((uid) => !known.has(uid));
  const loaded = await tasks.load(others);
  for (const [i, uid] of others.entries()) {
    const stored = loaded[i];
    if (stored !== undefined) known.set(uid, stored);
  }
  return outcomes.flatMap(({ uid }) => known.get(uid) ?? []);
}
