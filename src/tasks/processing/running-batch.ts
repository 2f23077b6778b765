/** A batch under way: its tasks, its progress, and whether it may still be committed. */
import { BatchProgress } from '../../model/batch-progress.ts';
import type { BatchRecord } from '../../model/task.ts';
import { type BatchMember, toBatchRecord } from '../batching/batch-record.ts';
import type { RunningLane, Turn } from '../batching/next-batch.ts';
import type { SelectedBatch } from '../batching/select-batch.ts';
import type { TaskStore } from '../store/task-store.ts';
import { rangesInclude } from '../store/uid-ranges.ts';

/** How it shares the machine with other batches. */
export type Sharing = Pick<RunningLane, 'isLarge' | 'runsAlone'>;

export class RunningBatch implements RunningLane {
  readonly selected: SelectedBatch;
  readonly uid: number;
  /** Microseconds. */
  readonly startedAt: number;
  readonly progress = new BatchProgress();
  readonly isLarge: boolean;
  readonly runsAlone: boolean;
  readonly #members: readonly BatchMember[];

  /** Shows its tasks as processing. */
  constructor(selected: SelectedBatch, tasks: TaskStore, startedAt: number, sharing: Sharing) {
    this.selected = selected;
    this.uid = tasks.takeBatchUid();
    this.startedAt = startedAt;
    this.isLarge = sharing.isLarge;
    this.runsAlone = sharing.runsAlone;
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

  get turn(): Turn {
    return this.selected.turn;
  }

  get indexUids(): readonly string[] {
    return this.selected.indexUids;
  }

  /** Whether it waits for a provider of embeddings. */
  get isWaiting(): boolean {
    return this.progress.read().step === 'embedding documents';
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

  /** The process is to end: cancels the batch if its end may take long. */
  stop(): void {
    if (this.turn === 'background' || this.isWaiting) this.progress.cancel();
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
