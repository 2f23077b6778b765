/**
 * Start here for writing: turns batches of operations, settings changes and merges of one index
 * into new segment files, without making them visible. One instance per open index, in the indexer
 * process; the work itself runs in the indexing threads. Batches and settings changes come one at a
 * time, each followed by `committed` or `discard`; merges may run concurrently with them.
 *
 * Each is a *change* with an id that begins the names of all its files. A failed or aborted change
 * removes its files by this prefix at once.
 */
import { randomBytes } from 'node:crypto';
import { mapInParallel } from '../core/bounded-parallel.ts';
import type { WireError } from '../core/errors.ts';
import { withBatchEnd } from '../model/batch-ends.ts';
import { BatchProgress } from '../model/batch-progress.ts';
import {
  fileNamesOf,
  type IndexManifest,
  liveDocumentCount,
  NO_CONTENT,
  type SegmentEntry,
  type SegmentFile,
  withSeenFieldPaths,
} from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { DocumentEdit } from '../model/task.ts';
import { isOfDocuments, planFiles } from '../segments/components.ts';
import { writtenBackEmbedders } from '../segments/vectors/stored-embedders.ts';
import { vectorsOf } from '../segments/vectors/vectors-component.ts';
import type {
  DocumentOperation,
  OperationResult,
  PreparedDocuments,
  PreparedEdit,
  PreparedIndexChange,
} from './batch/document-operations.ts';
import { UnembeddedOperations } from './batch/unembedded.ts';
import { completedSettings } from './embedding-step.ts';
import type { FinishedMerge } from './files/finished-merge.ts';
import {
  DEFAULT_MERGE_POLICY,
  type MergePolicy,
  planCompaction,
  planMerge,
  type WriteActivity,
} from './files/merge-policy.ts';
import type { IndexState } from './indexing-tasks.ts';
import { remakeVectors } from './vector-remaking.ts';
import { type PipelineInput, type PipelineOptions, WritePipeline } from './write-pipeline.ts';

interface IndexWriterOptions extends PipelineOptions {
  readonly manifest: IndexManifest;
  readonly location: string;
  /** Removes the files of the index whose names begin with the prefix, unfinished ones too. */
  readonly removeFiles: (prefix: string) => void;
}

export class IndexWriter {
  readonly #options: IndexWriterOptions;
  readonly #pipeline: WritePipeline;
  readonly #mergePolicy: MergePolicy;
  #manifest: IndexManifest;
  /** A batch or change of settings that is under way or waits for its commit. */
  #batchId: string | null = null;

  constructor(options: IndexWriterOptions) {
    this.#options = options;
    this.#pipeline = new WritePipeline(options);
    const { mergedBytesMax, settledBytesMax } = this.#pipeline.shares;
    this.#mergePolicy = { ...DEFAULT_MERGE_POLICY, mergedBytesMax, settledBytesMax };
    this.#manifest = options.manifest;
  }

  /**
   * Bad documents fail their own operation, and so do documents whose embedder fails. A rejection
   * means that the batch had no effect.
   * @param progress receives the steps after parsing, which the caller has begun
   */
  async applyDocuments(
    operations: readonly DocumentOperation[],
    progress = new BatchProgress(),
  ): Promise<PreparedDocuments> {
    const failed = new Map<DocumentOperation, WireError>();
    for (;;) {
      const rest = operations.filter((operation) => !failed.has(operation));
      try {
        const prepared = await this.#apply(rest, progress);
        const done = prepared.results.values();
        const results = operations.map((operation) => {
          const error = failed.get(operation);
          return error === undefined
            ? (done.next().value as OperationResult)
            : { taskUid: operation.taskUid, error, indexedDocuments: 0, deletedDocuments: 0 };
        });
        return { ...prepared, results };
      } catch (error) {
        if (!(error instanceof UnembeddedOperations)) throw error;
        for (const [number, reason] of error.errors)
          failed.set(rest[number] as DocumentOperation, reason);
        progress.begin('parsing documents');
      }
    }
  }

  #apply(
    operations: readonly DocumentOperation[],
    progress: BatchProgress,
  ): Promise<PreparedDocuments> {
    return this.#batch(progress, async (input) => {
      const done = await this.#pipeline.writeDocuments(operations, input);
      const { results, primaryKey, newSegments, isCleared, docIdEnd } = done;
      const segments = [...done.segments, ...newSegments];
      // A cleared index has no seen field paths.
      const before = isCleared ? NO_CONTENT : this.#manifest;
      const batchEndDocIds = withBatchEnd(before.batchEndDocIds, docIdEnd);
      const dropped = isCleared ? [] : done.droppedPaths;
      const seenFieldPaths = withSeenFieldPaths(before.seenFieldPaths, dropped);
      const changeIds = [input.changeId] as const;
      return {
        results,
        primaryKey,
        changeIds,
        newSegments,
        segments,
        batchEndDocIds,
        seenFieldPaths,
      };
    });
  }

  /** Bad documents fail the whole edit; a rejection means that it had no effect. */
  editDocuments(edit: DocumentEdit, progress = new BatchProgress()): Promise<PreparedEdit> {
    return this.#batch(progress, async (input) => {
      const { changeId, primaryKey } = input;
      const nothing: PreparedEdit = {
        changeIds: [changeId],
        newSegments: [],
        segments: input.segments,
        seenFieldPaths: this.#manifest.seenFieldPaths,
        editedDocuments: 0,
        deletedDocuments: 0,
      };
      if (primaryKey === null) return nothing;
      const done = await this.#pipeline.writeEdit(edit, primaryKey, input);
      const { documentCount: editedDocuments, deletedCount: deletedDocuments, newSegments } = done;
      if (newSegments.length + deletedDocuments === 0) return { ...nothing, editedDocuments };
      const segments = [...done.segments, ...newSegments];
      const seenFieldPaths = withSeenFieldPaths(nothing.seenFieldPaths, done.droppedPaths);
      return {
        ...nothing,
        newSegments,
        segments,
        seenFieldPaths,
        editedDocuments,
        deletedDocuments,
      };
    });
  }

  /**
   * The settings with new lists of words in the form in which they are compared. A thread does it:
   * this process has no analyzer.
   */
  normalizedSettings(next: Settings, stored: Settings): Promise<Settings> {
    return this.#pipeline.run('normalizeWords', { next, stored });
  }

  /**
   * The settings with embedder dimensions from providers, which are requested once; new local
   * rerankers are tried.
   * @throws ApiError `vector_embedding_error`, `invalid_settings_rerankers`
   */
  completedSettings(next: Settings, progress = new BatchProgress()): Promise<Settings> {
    return completedSettings(next, this.#manifest.settings, this.#options, progress);
  }

  /**
   * Writes files that segments lack under the settings, which are complete; free when none is
   * missing.
   */
  applySettings(next: Settings, progress = new BatchProgress()): Promise<PreparedIndexChange> {
    return this.#batch(progress, async ({ settings: before, ...state }) => {
      const { segments, changeId } = state;
      const input = { ...state, settings: next };
      const documentCount = liveDocumentCount(this.#manifest);
      const { removeFiles } = this.#options;
      const means = { pipeline: this.#pipeline, removeFiles };
      const remade = await remakeVectors(before, input, documentCount, means);
      const back = writtenBackEmbedders(before, next);
      const isRewriting = remade.some(
        ({ files }) =>
          planFiles(files, next).build.some(isOfDocuments) || vectorsOf(files, back).length > 0,
      );
      const step = isRewriting ? 'building segments' : 'adding columns';
      progress.begin(step, documentCount);
      const refitted = await mapInParallel(
        remade,
        this.#pipeline.shares.refitsMax,
        (segment, i) => {
          const writtenBack = vectorsOf(segments[i]?.files ?? [], back);
          return this.#refit(segment, { ...input, segments: remade }, String(i), writtenBack);
        },
      );
      const after = refitted.flat();
      const isSame = after.every((segment, i) => segment === segments[i]);
      const known = new Set(segments.map(({ id }) => id));
      return {
        changeIds: [changeId],
        newSegments: after.filter(({ id }) => !known.has(id)),
        segments: isSame ? segments : after,
      };
    });
  }

  async #refit(
    segment: SegmentEntry,
    input: PipelineInput,
    part: string,
    writtenBack: readonly SegmentFile[],
  ): Promise<readonly SegmentEntry[]> {
    const { kept, build } = planFiles(segment.files, input.settings);
    if (build.length === 0 && writtenBack.length === 0)
      return kept.length === segment.files.length ? [segment] : [{ ...segment, files: kept }];
    return this.#pipeline.refit(segment, input, part, writtenBack);
  }

  planMerge(manifest: IndexManifest, activity: WriteActivity): string[] | null {
    return planMerge(manifest.segments, this.#mergePolicy, activity);
  }

  /** Groups of segment ids, each of which a compaction merges into one. */
  planCompaction(manifest: IndexManifest): string[][] {
    return planCompaction(manifest.segments, this.#mergePolicy);
  }

  /**
   * May run concurrently with batches; `segmentsAfterMerge` applies later changes of the inputs.
   * Null when an input was removed before it was read.
   */
  async merge(segmentIds: readonly string[]): Promise<FinishedMerge | null> {
    const entries = this.#live(segmentIds);
    if (entries === null) return null;
    const changeId = this.#newChange();
    try {
      const { living, ...merged } = await this.#pipeline.run('merge', {
        ...this.#state(),
        segmentIds: entries.map(({ id }) => id),
        outputId: `${changeId}-0`,
        settings: this.#manifest.settings,
      });
      const inputs = entries.map((entry, i) => ({ entry, living: living[i] as string }));
      return { changeId, inputs, ...merged };
    } catch (error) {
      this.discard(changeId);
      if (this.#live(segmentIds) === null) return null;
      throw error;
    }
  }

  /** In their order in the index; null when one is not live. */
  #live(segmentIds: readonly string[]): SegmentEntry[] | null {
    const found = this.#manifest.segments.filter(({ id }) => segmentIds.includes(id));
    return found.length < segmentIds.length ? null : found;
  }

  /**
   * Sets the committed state of the index: called after each commit that touches it, from any
   * caller. A prepared batch whose files the state does not name is aborted.
   */
  committed(manifest: IndexManifest): void {
    this.#manifest = manifest;
    const batchId = this.#batchId;
    if (batchId === null) return;
    this.#batchId = null;
    if (!fileNamesOf(manifest.segments).some((name) => name.startsWith(batchId)))
      this.discard(batchId);
  }

  /** Removes the files of a change that is not committed. */
  discard(changeId: string): void {
    if (this.#batchId === changeId) this.#batchId = null;
    this.#options.removeFiles(changeId);
  }

  /**
   * Starts a change; if `write` fails, all its files are removed. An earlier uncommitted change is
   * discarded first.
   */
  async #batch<Prepared>(
    progress: BatchProgress,
    write: (input: PipelineInput) => Promise<Prepared>,
  ): Promise<Prepared> {
    if (this.#batchId !== null) this.discard(this.#batchId);
    const changeId = this.#newChange();
    this.#batchId = changeId;
    const { settings, primaryKey } = this.#manifest;
    try {
      return await write({ ...this.#state(), settings, primaryKey, progress, changeId });
    } catch (error) {
      this.discard(changeId);
      throw error;
    }
  }

  #state(): IndexState {
    return { location: this.#options.location, segments: this.#manifest.segments };
  }

  /**
   * The generation is for people who read the folder; the random part makes the id globally unique.
   */
  #newChange(): string {
    return `${this.#manifest.generation + 1}-${randomBytes(6).toString('hex')}`;
  }
}
