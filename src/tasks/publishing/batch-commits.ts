/**
 * The commit point of a batch: its changes, task results, batch record and webhook deliveries are
 * one write of the key-value store. Publishes the new states after the write.
 */
import type { Clock } from '../../core/clock.ts';
import type { TaskRecord } from '../../model/task.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import type { Webhooks } from '../../webhooks/webhook-service.ts';
import type { PreparedBatch } from '../processing/prepared-batch.ts';
import type { RunningBatch } from '../processing/running-batch.ts';
import type { BatchAttempt } from '../store/crash-loop-guard.ts';
import { type FinishedTask, toTaskRecord } from '../store/task-record.ts';
import type { TaskChange, TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';
import { type AfterCommitOptions, announce, cleanUp } from './after-commit.ts';
import { logBatch } from './batch-log.ts';
import type { BatchMetrics } from './batch-metrics.ts';
import type { WatchedChanges } from './watched.ts';

/** Takes some milliseconds. */
const OUTCOMES_AT_ONCE = 256;

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
  const change = tasks.begin();
  await prepared.changeTasks?.(change);
  const members = await endTasks(tasks, change, { running, prepared, finishedAt });
  const record = running.endedAt(finishedAt);
  change.storeBatch(record);
  const operations = [
    ...prepared.catalog.operations(),
    ...(prepared.searchRules?.operations() ?? []),
    ...(await change.operations()),
  ];
  const deliveries = await webhooks.stage(batchUid, finishedAt, () => recordsOf(members));
  await store.write([...operations, ...deliveries, attempt.end()]);
  const applied = prepared.catalog.apply();
  const written = announce(options, applied, prepared.written?.writer ?? null);
  const rules = prepared.searchRules?.apply();
  for (const rule of rules?.published ?? []) publish('searchRulePublished', rule);
  if (rules && rules.removed.length > 0) publish('searchRulesRemoved', { uids: rules.removed });
  await change.apply();
  for (const { row, ended } of members) {
    watched.taskChanged(row, ended);
    if (change.slices.isOver) await change.slices.next();
  }
  watched.batchChanged(() => record);
  webhooks.committed();
  const milliseconds = (finishedAt - startedAt) / 1000;
  logBatch(log, record, members, milliseconds);
  options.onTasksEnded?.(members.map(({ row }) => row));
  batchMetrics.ended(record, running.progress.read(), milliseconds);
  cleanUp(options, applied, members, finishedAt);
  return written;
}

interface Ending {
  readonly running: RunningBatch;
  readonly prepared: PreparedBatch;
  readonly finishedAt: number;
}

/** Ends the tasks of the outcomes, some at a time: one task may cancel all that wait. */
async function endTasks(
  tasks: TaskStore,
  change: TaskChange,
  { running, prepared, finishedAt }: Ending,
): Promise<readonly FinishedTask[]> {
  const { uid: batchUid, startedAt, selected } = running;
  const selectedTasks = new Map(selected.tasks.map(({ uid, stored }) => [uid, stored]));
  const members: FinishedTask[] = [];
  for (let at = 0; at < prepared.outcomes.length; at += OUTCOMES_AT_ONCE) {
    const outcomes = prepared.outcomes.slice(at, at + OUTCOMES_AT_ONCE);
    const others = outcomes.map(({ uid }) => uid).filter((uid) => !selectedTasks.has(uid));
    const loaded = await tasks.load(others);
    const stored = new Map(others.map((uid, i) => [uid, loaded[i]]));
    for (const outcome of outcomes) {
      const { uid, status, canceledBy = null, error } = outcome;
      const row = tasks.row(uid);
      const before = selectedTasks.get(uid) ?? stored.get(uid);
      if (row === null || before === undefined)
        throw new Error(`task ${uid} vanished while it was processed`);
      const { work } = before;
      const details =
        typeof outcome.details === 'function' ? outcome.details(before.details) : outcome.details;
      const finished = { ...row, status, canceledBy, batchUid, startedAt, finishedAt };
      const ended = { ...before, work: null, details, error };
      change.finish(finished, ended);
      members.push({ row: finished, ended, work });
      running.ends({ row: finished, details });
    }
    await change.slices.between();
  }
  return members;
}

function* recordsOf(members: readonly FinishedTask[]): Generator<TaskRecord> {
  for (const { row, ended } of members) yield toTaskRecord(row, ended);
}
