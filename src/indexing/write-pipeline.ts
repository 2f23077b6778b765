/**
 * The write pipeline from documents to segments. Its steps, in order:
 *
 *   parse     each payload → its checked documents, their ids and byte ranges
 *   resolve   operations in order → documents to write, their versions and DocIds, and the stored
 *             copies that die; an edit runs its function instead, in rounds
 *   embed     if an embedder makes vectors: part of the documents → their vectors
 *             (embedding-step.ts)
 *   build     final documents → the files of new segments, not yet named in a manifest
 *
 * Resolve and edit functions return `ResolvedDocuments`, plain data. Small batches that need no
 * embedder take all steps in one thread. Large batches parse their payloads concurrently and build
 * their parts concurrently. The caller commits the result.
 */
import { buffersOf } from '../core/array-memory.ts';
import { mapInParallel, Semaphore } from '../core/bounded-parallel.ts';
import { waitForAll } from '../core/wait-for-all.ts';
import type { IndexingPool, TaskOptions } from '../ipc/threads/indexing-pool.ts';
import type { BatchProgress } from '../model/batch-progress.ts';
import { fileBytesOf, type SegmentEntry, type SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import type { DocumentEdit } from '../model/task.ts';
import { LANES } from '../segments/contract/component.ts';
import type { DocumentOperation } from './batch/document-operations.ts';
import {
  isPlain,
  type ResolvedDocuments,
  splitDocuments,
  versionBytes,
} from './batch/document-writes.ts';
import { UnembeddedParts } from './batch/unembedded.ts';
import {
  documentsTogether,
  type EmbeddingStepOptions,
  embedAll,
  embedsDocuments,
} from './embedding-step.ts';
import type { UnjoinedFile } from './files/segment-files.ts';
import type {
  BatchOutcome,
  EditedRound,
  IndexingResult,
  IndexingTask,
  IndexingTaskName,
  IndexState,
  NewSegmentsOptions,
} from './indexing-tasks.ts';
import {
  type MemoryShares,
  memoryShares,
  SEGMENT_RAW_BYTES_MAX,
  SMALL_BATCH_BYTES,
} from './memory-shares.ts';

/** A further thread must get at least this many bytes of documents. */
const PART_BYTES_MIN = 4 * 1024 ** 2;
/** With fewer bytes, building the lanes of a segment in separate threads does not pay. */
const LANES_BYTES_MIN = 512 * 1024;
/** Payloads of more bytes than this are worth several threads. */
const SPLIT_BYTES = 1024 ** 2;
/**
 * A batch split over threads passes through the indexer's heap, so a larger one runs in a single
 * thread.
 */
const ONE_THREAD_BYTES = 64 * 1024 ** 2;
/** Time limit of the function of one edit, for all documents together. */
const EDITION_MS_MAX = 600_000;

export interface PipelineOptions extends EmbeddingStepOptions {
  readonly pool: Pick<IndexingPool, 'run' | 'threads'>;
  /** For all threads together. */
  readonly memoryBudgetBytes: number;
  /** A segment ends when its documents hold this many bytes of JSON. */
  readonly segmentBytesMax?: number;
  /** Bytes of the vectors made for one part of the documents and held until it is built. */
  readonly vectorBytesMax?: number;
  /** Bounds the segments that all writers together build at the same time. Default: its own. */
  readonly builders?: Semaphore;
}

/** The state that a batch starts from. */
export interface PipelineInput extends IndexState {
  readonly settings: Settings;
  readonly primaryKey: string | null;
  readonly progress: BatchProgress;
  /** Begins the names of all files; never used before in this index. */
  readonly changeId: string;
}

interface EditionOutcome
  extends Pick<EditedRound, 'documentCount' | 'deletedCount' | 'segments' | 'droppedPaths'> {
  readonly newSegments: readonly SegmentEntry[];
}

interface NewPart {
  /** Begins the names of its segments, after the change id. */
  readonly name: string;
  /** Progress that counts its documents; null = they are not counted. */
  readonly counted: SharedArrayBuffer | null;
  /** Ends when the earlier parts are written. */
  readonly before: Promise<void>;
}

export class WritePipeline {
  readonly options: PipelineOptions;
  readonly shares: MemoryShares;
  readonly #builders: Semaphore;

  constructor(options: PipelineOptions) {
    const { memoryBudgetBytes, pool, segmentBytesMax, builders = new Semaphore() } = options;
    this.#builders = builders;
    this.options = options;
    this.shares = memoryShares(memoryBudgetBytes, pool.threads, segmentBytesMax);
  }

  /** @throws UnembeddedOperations for the operations that an embedder's failure concerns */
  async writeDocuments(
    operations: readonly DocumentOperation[],
    input: PipelineInput,
  ): Promise<BatchOutcome> {
    const { progress, primaryKey } = input;
    const state = { ...stateOf(input), settings: input.settings, primaryKey };
    if (!embedsDocuments(input.settings) && !this.#isWorthSplitting(operations)) {
      const options = this.#newSegments(input, '0');
      const task = { ...state, ...options, progress: progress.shared, operations };
      const isSmall = payloadBytes(operations) <= SMALL_BATCH_BYTES;
      return this.#runBuilder(isSmall, () => this.run('applyDocuments', task, { isSmall }));
    }
    const parsed = await this.#parse(operations, input);
    progress.begin('resolving document ids');
    const isSmall = payloadBytes(operations) <= SMALL_BATCH_BYTES;
    const task = { ...state, operations, parsed };
    const { documents, ...resolved } = await this.run('resolve', task, { isSmall });
    const newSegments = await this.#build(documents, input, '0');
    return { ...resolved, newSegments };
  }

  /** @throws ApiError of a function, a filter or a document; no results may be kept then */
  async writeEdit(
    edit: DocumentEdit,
    primaryKey: string,
    input: PipelineInput,
  ): Promise<EditionOutcome> {
    const { settings, progress } = input;
    const newSegments: SegmentEntry[] = [];
    const fieldPaths = new Set<string>();
    const droppedPaths: string[] = [];
    const rest = { timeMsMax: EDITION_MS_MAX, segments: input.segments };
    const counts = { documentCount: 0, deletedCount: 0 };
    let fromDocId: number | null = 0;
    for (let round = 0; fromDocId !== null; round++) {
      const state: IndexState = { location: input.location, segments: rest.segments };
      const done: IndexingResult<'edit'> = await this.run('edit', {
        ...state,
        progress: progress.shared,
        settings,
        edit,
        primaryKey,
        fromDocId,
        bytesMax: this.shares.partBytesMax,
        fieldPaths: [...fieldPaths],
        timeMsMax: rest.timeMsMax,
      });
      newSegments.push(...(await this.#build(done.documents, { ...input, ...state }, `${round}`)));
      for (const path of done.fieldPaths) fieldPaths.add(path);
      droppedPaths.push(...done.droppedPaths);
      counts.documentCount += done.documentCount;
      counts.deletedCount += done.deletedCount;
      rest.timeMsMax -= done.elapsedMs;
      rest.segments = done.segments;
      fromDocId = done.nextDocId;
    }
    return { ...counts, segments: rest.segments, droppedPaths, newSegments };
  }

  /**
   * Adapts one segment to other settings.
   * @param writtenBack files whose vectors are written back into the documents
   * @throws ApiError when a document lacks a form that the settings require
   */
  async refit(
    segment: SegmentEntry,
    input: PipelineInput,
    part: string,
    writtenBack: readonly SegmentFile[],
  ): Promise<IndexingResult<'refit'>> {
    const options = this.#newSegments(input, part);
    const progress = input.progress.shared;
    const task = { ...stateOf(input), ...options, progress, segmentId: segment.id, writtenBack };
    const isSmall = fileBytesOf(segment) <= SMALL_BATCH_BYTES;
    const build = () => this.run('refit', task, { isSmall });
    return this.#runBuilder(isSmall, build, this.shares.refitsMax);
  }

  /**
   * Threads transfer no memory of arrays to others: V8 makes every typed array slower, by up to a
   * quarter, in a thread where one was ever transferred.
   */
  run<Name extends IndexingTaskName>(
    name: Name,
    task: IndexingTask<Name>,
    options: TaskOptions = {},
  ): Promise<IndexingResult<Name>> {
    return this.options.pool.run<IndexingTask<Name>, IndexingResult<Name>>(name, task, options);
  }

  /** Each builder has a share of the memory budget; a small one needs none, so it never waits. */
  #runBuilder<Result>(
    isSmall: boolean,
    build: () => Promise<Result>,
    countMax = this.options.pool.threads,
  ): Promise<Result> {
    return isSmall ? build() : this.#builders.run(countMax, build);
  }

  #isWorthSplitting(operations: readonly DocumentOperation[]): boolean {
    const bytes = payloadBytes(operations);
    return bytes > SPLIT_BYTES && (bytes <= ONE_THREAD_BYTES || this.options.pool.threads > 1);
  }

  #parse(
    operations: readonly DocumentOperation[],
    { primaryKey, settings, progress }: PipelineInput,
  ): Promise<(IndexingResult<'parse'> | null)[]> {
    return mapInParallel(operations, this.options.pool.threads, async (operation) => {
      if (operation.kind !== 'upsert') return null;
      const key = primaryKey ?? operation.primaryKey;
      const task = { progress: progress.shared, operation, primaryKey: key, settings };
      const isSmall = operation.payloadBytes <= SMALL_BATCH_BYTES;
      return this.run('parse', task, { isSmall });
    });
  }

  /**
   * Builds as many parts at a time as there are threads; the file of a part is written while the
   * next one is built.
   * @param round makes the names of the segments differ from those of other rounds
   */
  async #build(
    documents: ResolvedDocuments,
    input: PipelineInput,
    round: string,
  ): Promise<SegmentEntry[]> {
    const { threads } = this.options.pool;
    const { settings, progress } = input;
    const sizes = {
      partsWanted: threads,
      bytesMin: PART_BYTES_MIN,
      bytesMax: this.shares.partBytesMax,
      documentsMax: documentsTogether(settings, this.options.vectorBytesMax),
    };
    const embeds = embedsDocuments(settings);
    progress.throwIfCanceled();
    progress.begin(
      embeds ? 'embedding documents' : 'building segments',
      documents.writes.docIds.length,
    );
    const built: (readonly SegmentEntry[])[] = [];
    let writing: Promise<void> = Promise.resolve();
    const parts = splitDocuments(documents, sizes);
    const unembedded = new UnembeddedParts();
    let waiting = embeds ? parts.length : 0;
    try {
      await mapInParallel(parts, threads, async (part, number) => {
        progress.throwIfCanceled();
        const whole = embeds
          ? await unembedded.complete(part.writes, this.#embedded(part, input))
          : part;
        if (whole === null) return;
        // Building that overlaps with the embedding of other parts is not counted.
        waiting -= embeds ? 1 : 0;
        const isCounted = waiting === 0;
        if (embeds && isCounted) progress.begin('building segments', whole.writes.docIds.length);
        const counted = isCounted ? progress.shared : null;
        const isSmall = versionBytes(whole.writes) <= SMALL_BATCH_BYTES;
        const finish = await this.#runBuilder(isSmall, () =>
          this.#buildPart(whole, input, { name: `${round}-${number}`, counted, before: writing }),
        );
        writing = waitForAll([writing, finish()]).then(([, segments]) => {
          built[number] = segments;
        });
        // Marks the rejection as handled: a later await reports it, unless another part has failed
        // first.
        writing.catch(() => undefined);
      });
    } finally {
      await Promise.allSettled([writing]);
    }
    await writing;
    unembedded.throwIfAny();
    return built.flat();
  }

  async #embedded(
    documents: ResolvedDocuments,
    { settings, progress, ...input }: PipelineInput,
  ): Promise<ResolvedDocuments> {
    const task = { ...stateOf(input), settings, documents };
    const isSmall = versionBytes(documents.writes) <= SMALL_BATCH_BYTES;
    const requests = await this.run('render', task, { isSmall });
    const generated = await embedAll(requests, settings, this.options, progress);
    const asked = requests.reduce((sum, { docIds }) => sum + docIds.length, 0);
    progress.advance(Math.max(0, documents.writes.docIds.length - asked));
    return { ...documents, generated };
  }

  /** Resolves when the part is built, with the function that writes it. */
  async #buildPart(
    documents: ResolvedDocuments,
    input: PipelineInput,
    { name: part, counted, before }: NewPart,
  ): Promise<() => Promise<readonly SegmentEntry[]>> {
    const { writes } = documents;
    const work = { ...stateOf(input), progress: counted, documents };
    const isSmall = versionBytes(writes) <= SMALL_BATCH_BYTES;
    if (!isPlain(writes) || versionBytes(writes) < LANES_BYTES_MIN) {
      const task = { ...work, ...this.#newSegments(input, part) };
      const [segments] = await waitForAll([this.run('build', task, { isSmall }), before]);
      return async () => segments;
    }
    const { location, settings } = input;
    const segmentId = `${input.changeId}-${part}`;
    const lanes = LANES.map((lane) =>
      this.run('buildLane', { ...work, settings, segmentId, lane }, { isSmall }),
    );
    const [built] = await waitForAll([waitForAll(lanes), before]);
    const documentCount = writes.docIds.length;
    return async () => {
      const unjoined = gatherParts(built.flatMap((lane) => lane.unjoined));
      const task = { location, files: unjoined };
      const transferList = buffersOf(unjoined);
      const joined = await this.run('joinFiles', task, { transferList, isSmall });
      const files = [...joined, ...built.flatMap(({ written }) => written)];
      return [{ id: segmentId, documentCount, deadCount: 0, tombstones: null, files }];
    };
  }

  #newSegments({ settings, changeId }: PipelineInput, part: string): NewSegmentsOptions {
    return {
      settings,
      idPrefix: `${changeId}-${part}`,
      rawBytesMax: this.options.segmentBytesMax ?? SEGMENT_RAW_BYTES_MAX,
      memoryBytesMax: this.shares.builderBytes,
    };
  }
}

function payloadBytes(operations: readonly DocumentOperation[]): number {
  let bytes = 0;
  for (const operation of operations)
    if (operation.kind === 'upsert') bytes += operation.payloadBytes;
  return bytes;
}

const stateOf = ({ location, segments }: IndexState): IndexState => ({ location, segments });

function gatherParts(unjoined: readonly UnjoinedFile[]): UnjoinedFile[] {
  const files = new Map<string, UnjoinedFile>();
  for (const file of unjoined) {
    const parts = files.get(file.name)?.parts ?? [];
    files.set(file.name, { ...file, parts: [...parts, ...file.parts] });
  }
  return [...files.values()];
}
