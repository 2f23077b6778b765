/**
 * What a kind of task is: how it is stored, when it has its turn, and how it is processed. Each
 * kind has a file; all are in the table of `task-kinds.ts`.
 */
import type { TaskDraft, TaskType } from '../../model/task.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { BatchCandidate } from '../batching/autobatcher.ts';
import type { Takes } from '../batching/next-batch.ts';
import type { BatchTask } from '../batching/select-batch.ts';
import type { BatchContext, PreparedBatch } from '../processing/prepared-batch.ts';
import type { Details, StoredTask, TaskWork } from '../store/stored-task.ts';
import type { TaskOutcome } from '../store/task-store.ts';

export type DraftOf<Type extends TaskType> = Extract<TaskDraft, { readonly type: Type }>;

/** A task about to be stored. */
export interface NewWork<Work extends TaskWork = TaskWork> {
  readonly work: Work;
  /** Shown until the task has ended: what is counted is null. */
  readonly details: Details;
  /** Content to keep beside the record; none when absent. */
  readonly beside?: Uint8Array;
}

interface KindOf<Draft extends TaskDraft, Work extends TaskWork> {
  /** @param matched uids that the query of the draft matches now, ascending */
  create(draft: Draft, matched: readonly number[]): NewWork<Work>;
  /** Throws when the draft cannot be taken, for a reason that only the indexer sees. */
  check?(draft: Draft, payloads: Pick<PayloadStore, 'sizeOf'>): void;
  /** Further indexes that it touches: it waits for their earlier tasks, later ones wait for it. */
  otherUids?(work: Work): readonly string[];
  /** `toRanges` of the tasks that are to end where they are being processed. */
  aborts?(work: Work): readonly number[];
  /** What an unfinished task asks for, as dumps hold it. @param beside content beside its record */
  dumped(work: Work, stored: StoredTask, beside: Uint8Array | null): unknown;
  /** Taken even when the task database is full. */
  readonly makesRoom?: true;
}

type Prepared = PreparedBatch | Promise<PreparedBatch>;

/** Has its turn in the order of its index's tasks, which join it as the merge table says. */
export interface MergedKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'merged';
  candidate(work: Work): BatchCandidate;
}

/** Has its turn in order; no other task joins it. */
export interface LoneKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'alone';
  /** A thrown error is that of the task. @param indexUid '' for a task of no single index */
  process(task: BatchTask<Work>, indexUid: string, context: BatchContext): Prepared;
}

/** Goes before all tasks of the other two turns. */
export interface UrgentKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'urgent';
  /** Which of the waiting ones are one batch. */
  readonly takes: Takes;
  /** A thrown error is that of all the tasks. */
  process(tasks: readonly BatchTask<Work>[], context: BatchContext): Prepared;
}

/** Runs in the background of all other tasks, which go on meanwhile; one batch at a time. */
export interface BackgroundKind<
  Draft extends TaskDraft = TaskDraft,
  Work extends TaskWork = TaskWork,
> extends KindOf<Draft, Work> {
  readonly turn: 'background';
  /** Which of the waiting ones are one batch. */
  readonly takes: Takes;
  /**
   * Resolves when nothing that others do changes what the batch is about, with what does the work.
   * A thrown error is that of all the tasks, whenever it comes.
   */
  begin(
    tasks: readonly BatchTask<Work>[],
    context: BatchContext,
  ): Promise<() => Promise<readonly TaskOutcome[]>>;
}

export type TaskKind = MergedKind | LoneKind | UrgentKind | BackgroundKind;
