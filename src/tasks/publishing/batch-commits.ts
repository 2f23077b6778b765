/**
 * The commit point of a batch: its changes, task results, batch record and webhook deliveries are
 * one write of the key-value store. Publishes the new states after the write.
 */
import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import type { StoredFiles } from '../../storage/object-store/stored-files.ts';
import type { Webhooks } from '../../webhooks/webhook-service.ts';
import type { PreparedBatch } from '../processing/prepared-batch.ts';
import type { RunningBatch } from '../processing/running-batch.ts';
import type { BatchAttempt } from '../store/crash-loop-guard.ts';
import { toTaskRecord } from '../store/task-record.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { TaskRow } from '../store/task-table.ts';
import type { AfterCommit } from './after-commit.ts';
import type { BatchFigures } from './batch-figures.ts';
import { logBatch } from './batch-log.ts';
import type { WatchedChanges } from './watched.ts';

export interface BatchCommitsOptions {
  readonly store: KeyValueStore;
  readonly tasks: TaskStore;
  readonly webhooks: Pick<Webhooks, 'stage' | 'committed'>;
  readonly watched: WatchedChanges;
  readonly batchFigures: BatchFigures;
  /** Uploads the new files of the change, if the data is in an object store. */
  readonly stored: Pick<StoredFiles, 'keepSegments'> | null;
  /** Called with the tasks of a batch after its commit. */
  readonly onTasksEnded: ((rows: readonly TaskRow[]) => void) | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export class BatchCommits {
  readonly #options: BatchCommitsOptions;
  readonly #afterCommit: AfterCommit;

  constructor(options: BatchCommitsOptions, afterCommit: AfterCommit) {
    this.#options = options;
    this.#afterCommit = afterCommit;
  }

  /**
   * Call before `commit` and outside the queue of commits, so that an upload delays no other index.
   */
  async upload({ catalog }: PreparedBatch): Promise<void> {
    await this.#options.stored?.keepSegments(catalog.addedFiles());
  }

  /**
   * @param attempt ends with the batch
   * @returns ids of the indexes whose writers stay open
   * @throws the store's error: the state on disk is then unknown
   */
  async commit(
    running: RunningBatch,
    prepared: PreparedBatch,
    attempt: BatchAttempt,
  ): Promise<readonly number[]> {
    const { store, tasks, clock, watched, webhooks, batchFigures, log } = this.#options;
    const { uid: batchUid, startedAt } = running;
    running.progress.begin('committing', prepared.outcomes.length);
    const finishedAt = clock();
    const stored = await this.#storedTasks(running, prepared);
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
    const written = this.#afterCommit.announce(applied, prepared.written?.writer ?? null);
    if (prepared.searchRules) this.#afterCommit.announceRules(prepared.searchRules.apply());
    change.apply();
    for (const { row, ended } of members) watched.taskChanged(row, ended);
    watched.batchChanged(() => record);
    webhooks.committed();
    const ended = members.map(({ row, ended: { error } }) => ({ row, error }));
    const milliseconds = (finishedAt - startedAt) / 1000;
    logBatch(log, record, ended, milliseconds);
    this.#options.onTasksEnded?.(members.map(({ row }) => row));
    batchFigures.ended(record, running.progress.read(), milliseconds);
    this.#afterCommit.cleanUp(
      applied,
      stored.map(({ work }) => work),
      finishedAt,
    );
    return written;
  }

  /** Records of all tasks that the batch ends, in the order of the outcomes. */
  async #storedTasks({ selected }: RunningBatch, { outcomes }: PreparedBatch) {
    const known = new Map(selected.tasks.map(({ uid, stored }) => [uid, stored]));
    const others = outcomes.map(({ uid }) => uid).filter((uid) => !known.has(uid));
    const loaded = await this.#options.tasks.load(others);
    for (const [i, uid] of others.entries()) {
      const stored = loaded[i];
      if (stored !== undefined) known.set(uid, stored);
    }
    return outcomes.flatMap(({ uid }) => known.get(uid) ?? []);
  }
}
