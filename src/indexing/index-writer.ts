/**
 * Start here for writing: turns batches of operations, settings changes and merges of one index into new segment files, without
 * making them visible. One instance per open index, in the indexer process; the work itself runs in the indexing threads.
 * Batches and settings changes come one at a time, each followed by `committed` or given up; merges may run beside them.
 */
import { randomBytes } from 'node:crypto';
import { mapInParallel } from '../core/bounded-parallel.ts';
import { fromWire } from '../core/errors.ts';
import type { IndexingPool } from '../ipc/indexing-pool.ts';
import {
  type ColumnsEntry,
  columnsFileName,
  fileNamesOf,
  type IndexManifest,
  type SegmentEntry,
} from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { DocumentEdition } from '../model/task.ts';
import type { Logger } from '../observability/logger.ts';
import { AllocatedDocIds } from './allocated-doc-ids.ts';
import { checkedGeoFields, columnPatterns, planColumns } from './column-coverage.ts';
import type { DocumentOperation, PreparedEdition, PreparedIndexChange } from './document-operations.ts';
import { type DocumentWrites, isPlain, splitWrites, versionBytes } from './document-writes.ts';
import { type CompletedMerge, mergedOutput } from './fold-merge.ts';
import type {
  IndexingResult,
  IndexingTask,
  IndexingTaskName,
  IndexState,
  NewSegmentsOptions,
  ResolvedBatch,
} from './indexing-tasks.ts';
import { DEFAULT_MERGE_POLICY, type MergePolicy, planMerge, type WriteActivity } from './merge-policy.ts';
import { settingsEffect } from './settings-diff.ts';

export interface IndexWriterOptions {
  readonly manifest: IndexManifest;
  /** Absolute folder of the index. */
  readonly directory: string;
  readonly pool: Pick<IndexingPool, 'run' | 'threads'>;
  /** For all threads together. */
  readonly memoryBudgetBytes: number;
  readonly logger: Pick<Logger, 'debug'>;
  readonly mergePolicy?: MergePolicy;
}

/** A segment ends when its documents hold this many bytes of JSON. */
const SEGMENT_RAW_BYTES_MAX = 32 * 1024 ** 2;
/** Documents of fewer bytes are not shared out to a further thread. */
const PART_BYTES_MIN = 4 * 1024 ** 2;
/** Fewer bytes are not worth building the two halves of a segment in two threads. */
const HALVES_BYTES_MIN = 512 * 1024;
/** A builder of words holds at most so many bytes for one of JSON, in the worst case of words of one letter. */
const WORD_BYTES_RATIO = 4;
/** Payloads of more bytes than this are worth several threads. */
const SPLIT_BYTES = 1024 ** 2;
/** A batch that is shared out passes from thread to thread by way of the indexer's heap, so a larger one is left to a single thread. */
const ONE_THREAD_BYTES = 64 * 1024 ** 2;
/** A builder needs up to twice its bytes again when it finishes. */
const BUILDER_SHARE = 1 / 3;
/** What the function of one edition may take for all documents together. */
const EDITION_MS_MAX = 600_000;

/** What an uncommitted batch does to the DocIds in use. */
interface PendingChange {
  readonly segments: readonly SegmentEntry[];
  readonly taken: Uint32Array;
  readonly freed: Uint32Array | null;
  readonly written: Uint32Array;
}

type BatchOutcome = Omit<ResolvedBatch, 'writes'> & {
  readonly newSegments: readonly SegmentEntry[];
  readonly written: Uint32Array;
};

export class IndexWriter {
  readonly #options: IndexWriterOptions;
  #manifest: IndexManifest;
  /** null until the first batch, and after a commit that is not the prepared batch. Read from the segments when null. */
  #allocated: AllocatedDocIds | null = null;
  #pending: PendingChange | null = null;

  constructor(options: IndexWriterOptions) {
    this.#options = options;
    this.#manifest = options.manifest;
  }

  /** Bad documents fail their own operation; a rejection means that nothing of the batch was done. */
  async applyDocuments(operations: DocumentOperation[]): Promise<PreparedIndexChange> {
    this.#pending = null;
    const allocated = await this.#allocatedDocIds();
    const outcome = this.#isWorthSplitting(operations)
      ? await this.#applyInParallel(operations, allocated)
      : await this.#applyInOneThread(operations, allocated);
    const { results, primaryKey, newSegments } = outcome;
    const segments = [...outcome.segments, ...newSegments];
    this.#pending = { segments, taken: outcome.taken, freed: outcome.freed, written: outcome.written };
    return { results, primaryKey, newSegments, newFiles: fileNamesOf(newSegments), segments };
  }

  /** Bad documents fail the whole edition; a rejection means that nothing was done. */
  async editDocuments(edition: DocumentEdition): Promise<PreparedEdition> {
    this.#pending = null;
    const { segments: before, primaryKey, settings } = this.#manifest;
    const unchanged = { results: [], primaryKey, newSegments: [], newFiles: [], segments: before };
    const nothing = { ...unchanged, error: null, editedDocuments: 0, deletedDocuments: 0 };
    if (primaryKey === null) return nothing;
    const geoFields = checkedGeoFields(columnPatterns(settings));
    const task = { edition, primaryKey, geoFields, timeMsMax: EDITION_MS_MAX };
    const done = await this.#run('editDocuments', { ...this.#state(), ...this.#newSegments(settings), ...task });
    if (done.error !== null) return { ...nothing, error: done.error };
    const { documentCount: editedDocuments, newSegments, written, deleted } = done;
    const deletedDocuments = deleted.length;
    if (written.length + deletedDocuments === 0) return { ...nothing, editedDocuments };
    const segments = [...done.segments, ...newSegments];
    this.#pending = { segments, taken: new Uint32Array(0), freed: deleted, written };
    const newFiles = fileNamesOf(newSegments);
    return { ...unchanged, newSegments, newFiles, segments, error: null, editedDocuments, deletedDocuments };
  }

  /** Writes anew what the settings decide; costs nothing when they decide nothing of what is stored. */
  async applySettings(next: Settings): Promise<PreparedIndexChange> {
    const { settings, segments, primaryKey } = this.#manifest;
    if (settingsEffect(settings, next) === 'nothing') return this.#applyColumns(columnPatterns(next));
    const state = this.#state();
    const rebuilt = await Promise.all(
      segments.map(({ id }) => this.#run('rebuild', { ...state, ...this.#newSegments(next), segmentId: id })),
    );
    const newSegments = rebuilt.flat();
    const before = new Set(fileNamesOf(segments));
    const newFiles = fileNamesOf(newSegments).filter((name) => !before.has(name));
    return { results: [], primaryKey, newSegments, newFiles, segments: newSegments };
  }

  /** Adds the columns that are missing and drops those that nothing needs. */
  async #applyColumns(patterns: readonly string[]): Promise<PreparedIndexChange> {
    const { segments, primaryKey } = this.#manifest;
    const newFiles: string[] = [];
    const changed = await Promise.all(
      segments.map(async (segment): Promise<SegmentEntry> => {
        const { columns: files = [], ...rest } = segment;
        const { kept, build } = planColumns(files, patterns);
        if (build.length === 0) return kept.length === files.length ? segment : { ...rest, columns: kept };
        const added = await this.#addColumns(segment.id, build);
        newFiles.push(columnsFileName(added.id));
        return { ...rest, columns: [...kept, added] };
      }),
    );
    const isSame = changed.every((segment, i) => segment === segments[i]);
    return { results: [], primaryKey, newSegments: [], newFiles, segments: isSame ? segments : changed };
  }

  async #addColumns(segmentId: string, patterns: readonly string[]): Promise<ColumnsEntry> {
    const task = { ...this.#state(), segmentId, patterns, columnsId: this.#newPrefix() };
    const result = await this.#run('addColumns', task);
    if (result.error !== null) throw fromWire(result.error);
    return result.columns;
  }

  /** Ids of segments to merge now, or null. */
  planMerge(manifest: IndexManifest, activity: WriteActivity): string[] | null {
    return planMerge(manifest.segments, this.#options.mergePolicy ?? DEFAULT_MERGE_POLICY, activity);
  }

  /**
   * May run beside batches. Before committing the merge, when no batch is under way, pass the result through `mergedOutput` with the
   * segments of the state it is applied to: documents may have died meanwhile. `output` is that for the state last committed.
   */
  async merge(segmentIds: string[]): Promise<CompletedMerge> {
    const { segments } = this.#manifest;
    const inputEntries = segments.filter(({ id }) => segmentIds.includes(id));
    const gone: CompletedMerge = { inputs: segmentIds, output: null, inputEntries, docIdWordCount: 0 };
    if (inputEntries.length < segmentIds.length) return gone;
    const inputs = inputEntries.map(({ id }) => id);
    try {
      const merged = await this.#run('merge', {
        ...this.#state(),
        segmentIds: inputs,
        outputId: this.#newPrefix(),
        columnPatterns: columnPatterns(this.#manifest.settings),
      });
      const completed = { inputs, inputEntries, ...merged };
      return { ...completed, output: mergedOutput(completed, this.#manifest.segments) };
    } catch (error) {
      const live = new Set(this.#manifest.segments.map(({ id }) => id));
      if (!inputs.every((id) => live.has(id))) return gone;
      throw error;
    }
  }

  /** Tells which state is now the index's: after each commit that touches it, whoever prepared it. */
  committed(manifest: IndexManifest): void {
    const pending = this.#pending;
    const before = this.#manifest;
    this.#pending = null;
    this.#manifest = manifest;
    if (this.#allocated === null) return;
    if (pending === null) {
      // A merge, new settings or nothing: the documents are the same.
      if (liveCount(before) !== liveCount(manifest)) this.#allocated = null;
    } else if (sameSegments(pending.segments, manifest.segments)) {
      this.#settle(this.#allocated, pending);
    } else {
      this.#allocated = null;
    }
  }

  /** Gives up what is not committed; files stay with the threads until their next task. */
  async close(): Promise<void> {
    this.#pending = null;
    this.#allocated = null;
  }

  #settle(allocated: AllocatedDocIds, { taken, freed, written }: PendingChange): void {
    if (freed === null) {
      allocated.clear();
      allocated.add(written);
    } else {
      allocated.remove(freed);
      allocated.add(taken);
    }
  }

  async #allocatedDocIds(): Promise<AllocatedDocIds> {
    if (this.#allocated === null) {
      const { segments } = this.#manifest;
      const bits = segments.length === 0 ? new Uint32Array(0) : await this.#run('readAllocated', this.#state());
      this.#allocated = new AllocatedDocIds(bits);
    }
    return this.#allocated;
  }

  #isWorthSplitting(operations: readonly DocumentOperation[]): boolean {
    let bytes = 0;
    for (const operation of operations) if (operation.kind === 'upsert') bytes += operation.payloadBytes;
    return bytes > SPLIT_BYTES && (bytes <= ONE_THREAD_BYTES || this.#options.pool.threads > 1);
  }

  async #applyInOneThread(operations: DocumentOperation[], allocated: AllocatedDocIds): Promise<BatchOutcome> {
    const { primaryKey, settings } = this.#manifest;
    const state = {
      ...this.#state(),
      primaryKey,
      geoFields: checkedGeoFields(columnPatterns(settings)),
      allocated: allocated.shared,
    };
    return this.#run('applyDocuments', { ...state, ...this.#newSegments(settings), operations });
  }

  async #applyInParallel(operations: DocumentOperation[], allocated: AllocatedDocIds): Promise<BatchOutcome> {
    const { primaryKey, settings } = this.#manifest;
    const geoFields = checkedGeoFields(columnPatterns(settings));
    const { threads } = this.#options.pool;
    const payloads = await mapInParallel(operations, threads, async (operation) => {
      if (operation.kind !== 'upsert') return null;
      return this.#run('parse', { operation, primaryKey: primaryKey ?? operation.primaryKey, geoFields });
    });
    const state = { ...this.#state(), primaryKey, geoFields, allocated: allocated.shared };
    const { writes, ...resolved } = await this.#run('resolve', { ...state, settings, operations, payloads });
    const newSegments = await this.#build(writes, operations);
    return { ...resolved, newSegments, written: writes.docIds };
  }

  /** As many parts at a time as there are threads; of a part, the file is written while the next one is built. */
  async #build(writes: DocumentWrites, operations: readonly DocumentOperation[]): Promise<SegmentEntry[]> {
    const { threads } = this.#options.pool;
    const bytesMax = Math.min(SEGMENT_RAW_BYTES_MAX, this.#builderBytes() / WORD_BYTES_RATIO);
    const parts = splitWrites(writes, { partsWanted: threads, bytesMin: PART_BYTES_MIN, bytesMax });
    this.#options.logger.debug({ documents: writes.docIds.length, parts: parts.length }, 'batch resolved');
    const built: (readonly SegmentEntry[])[] = [];
    let writing: Promise<void> = Promise.resolve();
    await mapInParallel(parts, threads, async (part, index) => {
      const finish = await this.#buildPart(part, operationsOf(part, operations), writing);
      writing = Promise.all([writing, finish()]).then(([, segments]) => {
        built[index] = segments;
      });
      // Whoever awaits it next sees the failure; when another part fails first, nobody does.
      writing.catch(() => undefined);
    });
    await writing;
    return built.flat();
  }

  /** Resolves when the part is built, with what writes it. @param before ends when the parts before are written */
  async #buildPart(
    writes: DocumentWrites,
    operations: readonly DocumentOperation[],
    before: Promise<void>,
  ): Promise<() => Promise<readonly SegmentEntry[]>> {
    const { settings } = this.#manifest;
    if (!isPlain(writes) || versionBytes(writes) < HALVES_BYTES_MIN) {
      const task = { ...this.#state(), ...this.#newSegments(settings), operations, writes };
      const [segments] = await Promise.all([this.#run('write', task), before]);
      return async () => segments;
    }
    const segmentId = `${this.#newPrefix()}-0`;
    const half = { ...this.#state(), settings, segmentId, operations, writes };
    const halves = [this.#run('indexWords', half), this.#run('storeDocuments', half), before] as const;
    const [body, { stored, columns }] = await Promise.all(halves);
    const { directory } = this.#options;
    const documentCount = writes.docIds.length;
    return async () => {
      const entry = await this.#run('joinSegment', { directory, segmentId, documentCount, body, stored });
      return [columns.length === 0 ? entry : { ...entry, columns }];
    };
  }

  #state(): IndexState {
    return { directory: this.#options.directory, segments: this.#manifest.segments };
  }

  #newSegments(settings: Settings): NewSegmentsOptions {
    return {
      settings,
      idPrefix: this.#newPrefix(),
      rawBytesMax: SEGMENT_RAW_BYTES_MAX,
      memoryBytesMax: this.#builderBytes(),
    };
  }

  #builderBytes(): number {
    const { memoryBudgetBytes, pool } = this.#options;
    return (memoryBudgetBytes / pool.threads) * BUILDER_SHARE;
  }

  /** The generation is for people who look at the folder; the random part makes it unique for ever. */
  #newPrefix(): string {
    return `${this.#manifest.generation + 1}-${randomBytes(6).toString('hex')}`;
  }

  #run<Name extends IndexingTaskName>(name: Name, task: IndexingTask<Name>): Promise<IndexingResult<Name>> {
    return this.#options.pool.run<IndexingTask<Name>, IndexingResult<Name>>(name, task);
  }
}

/** The operations with the payloads that the part needs; the others keep their place without bytes. */
function operationsOf({ versions }: DocumentWrites, operations: readonly DocumentOperation[]): DocumentOperation[] {
  const needed = new Set<number>();
  for (let i = 0; i < versions.length; i += 3) needed.add(versions[i] as number);
  return operations.map((operation, index) => {
    if (needed.has(index)) return operation;
    return operation.kind === 'upsert'
      ? { ...operation, payload: new Uint8Array(0) }
      : { taskUid: operation.taskUid, kind: 'deleteIds', ids: [] };
  });
}

const liveCount = ({ segments }: IndexManifest): number =>
  segments.reduce((sum, { documentCount, deadCount }) => sum + documentCount - deadCount, 0);

function sameSegments(left: readonly SegmentEntry[], right: readonly SegmentEntry[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ id, tombstones }, i) => id === right[i]?.id && tombstones === right[i]?.tombstones)
  );
}
