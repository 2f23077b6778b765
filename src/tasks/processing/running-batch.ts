/** The batch under way: who is in it, how far it is, and whether it may still be committed. */
import { BatchProgress } from '../../model/batch-progress.ts';
import type { BatchRecord } from '../../model/task.ts';
import { type BatchMember, toBatchRecord } from '../batching/batch-record.ts';
import type { SelectedBatch } from '../batching/select-batch.ts';
import type { TaskStore } from '../store/task-store.ts';
import { rangesInclude } from '../store/uid-ranges.ts';

/** Between two looks at the progress of a batch, for those who watch. */
export const PROGRESS_MS = 250;

export class RunningBatch {
  readonly selected: SelectedBatch;
  readonly uid: number;
  /** Microseconds. */
  readonly startedAt: number;
  readonly progress = new BatchProgress();
  readonly #members: readonly BatchMember[];

  /** Shows its tasks as processing. */
  constructor(
    selected: SelectedBatch,
    tasks: TaskStore,
    startedAt: number,
    uid = tasks.nextBatchUid,
  ) {
    this.selected = selected;
    this.uid = uid;
    this.startedAt = startedAt;
    this.progress.cause = `task ${selected.tasks[0]?.uid}`;
    tasks.markProcessing(this.taskUids, this.uid, startedAt);
    this.#members = selected.tasks.flatMap(({ uid, stored: { details } }) => {
      const row = tasks.row(uid);
      return row === null ? [] : [{ row, details }];
    });
  }

  get taskUids(): readonly number[] {
    return this.selected.tasks.map(({ uid }) => uid);
  }

  /** The record while the batch is being processed. */
  get current(): BatchRecord {
    return this.#record(this.#members, null);
  }

  /** @param members all tasks that the batch ends */
  ended(members: readonly BatchMember[], finishedAt: number): BatchRecord {
    return this.#record(members, finishedAt);
  }

  /** If it holds one of the tasks, it must not be committed and ends soon. */
  abort(matched: readonly number[]): void {
    if (this.selected.tasks.some(({ uid }) => rangesInclude(matched, uid))) this.progress.cancel();
  }

  /** Gives the batch up if it waits for others, which may last. */
  giveUpWaiting(): void {
    if (this.progress.read().step === 'embedding documents') this.progress.cancel();
  }

  #record(members: readonly BatchMember[], finishedAt: number | null): BatchRecord {
    const { uid, startedAt } = this;
    const { reason } = this.selected;
    return toBatchRecord({
      uid,
      members,
      reason,
      startedAt,
      finishedAt,
      progress: this.progress.read(),
    });
  }
}
