/**
 * The interface of a task kind: how it is stored, ordered and processed. Kinds that belong together
 * share a file; the table is in `task-kinds.ts`.
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

export interface NewWork<Work extends TaskWork = TaskWork> {
  readonly work: Work;
  /** Shown until the task ends; counts are null. */
  readonly details: Details;
  /** Value for the task's payload key; absent = none. */
  readonly contentBytes?: Uint8Array;
}

interface KindOf<Draft extends TaskDraft, Work extends TaskWork> {
  /** @param matched uids that the query of the draft matches now, ascending */
  create(draft: Draft, matched: readonly number[]): NewWork<Work>;
  /** @throws ApiError when only the indexer can see that the draft is invalid */
  check?(draft: Draft, payloads: Pick<PayloadStore, 'sizeOf'>): void;
  /**
   * Further indexes that the task touches: it waits for their earlier tasks, their later tasks wait
   * for it.
   */
  otherUids?(work: Work): readonly string[];
  /** `toRanges` of the processing tasks that must be aborted. */
  aborts?(work: Work): readonly number[];
  /** The content of an unfinished task in a dump. @param contentBytes value of its payload key */
  dumped(work: Work, stored: StoredTask, contentBytes: Uint8Array | null): unknown;
  /** Accepted even if the task database is full. */
  readonly makesRoom?: true;
}

type Prepared = PreparedBatch | Promise<PreparedBatch>;

/** Ordered within its index; the merge table decides which tasks join. */
export interface MergedKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'merged';
  candidate(work: Work): BatchCandidate;
}

/** Ordered within its index; no other task joins. */
export interface LoneKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'alone';
  /**
   * A thrown error becomes the error of the task. @param indexUid '' for a task of none or several
   * indexes
   */
  process(task: BatchTask<Work>, indexUid: string, context: BatchContext): Prepared;
}

/** Precedes all tasks of other turns. */
export interface UrgentKind<Draft extends TaskDraft = TaskDraft, Work extends TaskWork = TaskWork>
  extends KindOf<Draft, Work> {
  readonly turn: 'urgent';
  /** Which enqueued tasks of the type form one batch. */
  readonly takes: Takes;
  /** A thrown error becomes the error of all tasks of the batch. */
  process(tasks: readonly BatchTask<Work>[], context: BatchContext): Prepared;
}

/** Runs in the background of other tasks; one batch at a time. */
export interface BackgroundKind<
  Draft extends TaskDraft = TaskDraft,
  Work extends TaskWork = TaskWork,
> extends KindOf<Draft, Work> {
  readonly turn: 'background';
  /** Which enqueued tasks of the type form one batch. */
  readonly takes: Takes;
  /**
   * Resolves to the function that does the work once later changes no longer affect the batch. A
   * thrown error becomes the error of all tasks, from either function.
   */
  begin(
    tasks: readonly BatchTask<Work>[],
    context: BatchContext,
  ): Promise<() => Promise<readonly TaskOutcome[]>>;
}

export type TaskKind = MergedKind | LoneKind | UrgentKind | BackgroundKind;
