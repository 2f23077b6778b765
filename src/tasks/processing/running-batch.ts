/** A running batch: its tasks, its progress, and whether it may be committed. */
import { BatchProgress } from '../../model/batch-progress.ts';
import type { BatchRecord, TaskType } from '../../model/task.ts';
import { type BatchMember, BatchTotals, toBatchRecord } from '../batching/batch-record.ts';
import type { RunningLane, Turn } from '../batching/next-batch.ts';
import type { SelectedBatch } from '../batching/select-batch.ts';
import type { TaskStore } from '../store/task-store.ts';
import { rangesInclude } from '../store/uid-ranges.ts';

/** How the batch shares the machine with other batches. */
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
  readonly #ended = new BatchTotals();

  /** Marks its tasks as processing. */
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

  get type(): TaskType {
    return this.selected.type;
  }

  get indexUids(): readonly string[] {
    return this.selected.indexUids;
  }

  /** True while it waits for an embedding provider. */
  get isWaiting(): boolean {
    return this.progress.read().step === 'embedding documents';
  }

  get current(): BatchRecord {
    return this.#record(BatchTotals.of(this.#members), null);
  }

  /** Adds a task that the batch ends to its record. */
  ends(member: BatchMember): void {
    this.#ended.add(member);
  }

  /** Call after `ends` of all tasks. */
  endedAt(finishedAt: number): BatchRecord {
    return this.#record(this.#ended, finishedAt);
  }

  /** @param finishedAt null = it has not ended */
  #record(totals: BatchTotals, finishedAt: number | null): BatchRecord {
    const { uid, startedAt } = this;
    const { reason } = this.selected;
    const progress = this.progress.read();
    return toBatchRecord({ uid, totals, reason, startedAt, finishedAt, progress });
  }

  /** Prevents the commit and cancels the batch if it contains one of the tasks. */
  abort(matched: readonly number[]): void {
    if (this.selected.tasks.some(({ uid }) => rangesInclude(matched, uid))) this.progress.cancel();
  }

  /** Before the process exits: cancels the batch if it may run long. */
  stop(): void {
    if (this.turn === 'background' || this.isWaiting) this.progress.cancel();
  }
}
