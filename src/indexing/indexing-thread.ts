/**
 * Entry of an indexing thread: runs the tasks of `indexing-tasks.ts` on opened files. Keeps
 * segments and analyzers open between tasks.
 */
import { LRUCache } from 'lru-cache';
import { Deadline } from '../core/deadline.ts';
import { type Analyzer, createAnalyzer } from '../engine/analysis/analyzer.ts';
import type { AnalyzerSettings } from '../engine/analysis/tokens/token.ts';
import type { Directory } from '../engine/segment/directory.ts';
import { docIdWords, liveDocuments } from '../engine/segment/live-documents.ts';
import { encodeDocIds } from '../engine/sets/doc-ids.ts';
import { BatchProgress } from '../model/batch-progress.ts';
import type { SegmentEntry, SegmentFile } from '../model/index-manifest.ts';
import type { Settings } from '../model/settings.ts';
import {
  documentsFile,
  planFiles,
  storedDocumentCheck,
  type WantedFile,
} from '../segments/components.ts';
import type { DocumentSink } from '../segments/contract/component.ts';
import { joinParts, segmentFile } from '../segments/file-builder.ts';
import { storedEmbedders } from '../segments/vectors/stored-embedders.ts';
import { CompletedDocuments, InputCollector } from './batch/batch-vectors.ts';
import type { DocumentOperation } from './batch/document-operations.ts';
import { type ResolvedDocuments, versionBytes } from './batch/document-writes.ts';
import { editDocuments } from './batch/edit-documents.ts';
import type { EmbeddingRequest } from './batch/embedding-request.ts';
import { FinalDocuments } from './batch/final-documents.ts';
import { resolveBatch } from './batch/resolve-batch.ts';
import { type SelectDocuments, selectBits, selectIds } from './batch/select-documents.ts';
import { buildRemade, collectStored, joinRemade } from './batch/stored-vectors.ts';
import { linesOfDocuments } from './files/document-lines.ts';
import { type LiveVectors, withLiveVectors } from './files/live-vectors.ts';
import { mergeSegmentFiles } from './files/merge-segments.ts';
import { checkFile, withOpenFiles } from './files/open-files.ts';
import { refitSegment } from './files/refit-segment.ts';
import { SegmentAssembler } from './files/segment-assembler.ts';
import { type OpenedSegment, SegmentCache } from './files/segment-cache.ts';
import { withoutOthers, withTombstones } from './files/segment-deaths.ts';
import { SegmentFiles } from './files/segment-files.ts';
import type {
  IndexingResult,
  IndexingTask,
  IndexingTaskName,
  IndexState,
  NewSegmentsOptions,
  PartOfBatch,
  ResolvedBatch,
} from './indexing-tasks.ts';
import { OpenPayloads, type PayloadFile, type PayloadSource } from './payload/open-payloads.ts';
import { type ParsedPayload, parseTaskPayload } from './payload/parse-payload.ts';
import { withNormalizedWords } from './protected-words.ts';

/**
 * Paths of fields whose columns disappear with segments that have no documents left. Costs opening
 * the columns of the removed segments.
 */
function droppedPaths(
  directory: Directory,
  before: readonly SegmentEntry[],
  after: readonly SegmentEntry[],
): string[] {
  const kept = new Set(after.map(({ id }) => id));
  const files = before
    .filter(({ id }) => !kept.has(id))
    .flatMap((segment) => segment.files.filter(({ component }) => component === 'columns'));
  if (files.length === 0) return [];
  return withOpenFiles(directory, [files], (readers) => [
    ...new Set(readers.flatMap(({ columns }) => columns.flatMap(({ paths }) => paths))),
  ]);
}

const ANALYZERS_MAX = 8;

export interface ThreadPorts {
  openDirectory(location: string): Directory;
  /** Opens a spool file, given its absolute path. */
  openPayload(path: string): PayloadFile;
  readonly selectDocuments: SelectDocuments;
  releaseMemory(): void;
}

interface Feed {
  readonly payloads: OpenPayloads;
  readonly sink: DocumentSink;
  /** Counts the documents. */
  readonly progress: BatchProgress;
}

type Handlers = {
  readonly [Name in IndexingTaskName]: (task: IndexingTask<Name>) => Promise<IndexingResult<Name>>;
};

/**
 * After tasks on at least this many bytes of documents or files, freed memory is returned to the
 * OS, so that it does not add to the memory of the next task.
 */
const RELEASED_BYTES_MIN = 2 * 1024 ** 2;

export class IndexingThread implements Handlers {
  readonly #ports: ThreadPorts;
  readonly #segments: SegmentCache;
  readonly #analyzers = new LRUCache<string, Analyzer, AnalyzerSettings>({
    max: ANALYZERS_MAX,
    memoMethod: (_key, _stale, { context }) => createAnalyzer(context),
  });
  readonly #final = new FinalDocuments();

  constructor(ports: ThreadPorts) {
    this.#ports = ports;
    this.#segments = new SegmentCache((location) => ports.openDirectory(location));
  }

  /** For times without a task: the room of files that were deleted meanwhile is free then. */
  closeSegments(): void {
    this.#segments.closeAll();
  }

  async check({ location, file }: IndexingTask<'check'>): Promise<string | null> {
    return checkFile(this.#ports.openDirectory(location), file);
  }

  async parse(task: IndexingTask<'parse'>): Promise<ParsedPayload> {
    const { operation, primaryKey, settings } = task;
    const progress = new BatchProgress(task.progress);
    return this.#withPayloads([operation.payload], (payloads) =>
      parseTaskPayload(operation, () => payloads.soundBytes(0), { primaryKey, settings, progress }),
    );
  }

  async resolve(task: IndexingTask<'resolve'>): Promise<IndexingResult<'resolve'>> {
    const sources = payloadsOf(task.operations);
    return this.#withPayloads(sources, (payloads) => this.#resolve(task, task.parsed, payloads));
  }

  /** Of a generation that need not be the newest. */
  async readOut(task: IndexingTask<'readOut'>): Promise<IndexingResult<'readOut'>> {
    const { settings, filter } = task;
    const segments = this.#open(task);
    const directory = this.#directory(task);
    const index = { directory, segments, settings };
    const selected = selectBits(index, filter, this.#ports.selectDocuments);
    const read = segments.map((segment) => withoutOthers(segment, selected));
    return withLiveVectors(directory, read, (live) =>
      linesOfDocuments({ ...task, segments: live }),
    );
  }

  async edit(task: IndexingTask<'edit'>): Promise<IndexingResult<'edit'>> {
    const { edit, settings, timeMsMax } = task;
    const segments = this.#open(task);
    const stored = { directory: this.#directory(task), segments, settings };
    const selected = selectBits(stored, edit.filter, this.#ports.selectDocuments);
    const startMs = performance.now();
    const { dead, ...round } = editDocuments({
      ...task,
      segments,
      selected,
      check: storedDocumentCheck(settings),
      deadline: Deadline.after(timeMsMax, () => performance.now()),
      progress: new BatchProgress(task.progress),
    });
    const elapsedMs = performance.now() - startMs;
    return { ...round, ...this.#remaining(task, segments, dead), elapsedMs };
  }

  async build(task: IndexingTask<'build'>): Promise<readonly SegmentEntry[]> {
    return this.#withPayloads(task.documents.payloads, (payloads) =>
      this.#build(task, task.documents, payloads),
    );
  }

  async render(task: IndexingTask<'render'>): Promise<readonly EmbeddingRequest[]> {
    const { writes, payloads: sources } = task.documents;
    const opened = this.#open(task);
    const directory = this.#directory(task);
    return this.#withPayloads(sources, (payloads) =>
      withLiveVectors(directory, opened, (live) => {
        const collector = new InputCollector(task.settings, live);
        const segment = (number: number) => present(opened[number]).reader;
        const sources = { payloads, segment, embedders: storedEmbedders(task.settings) };
        this.#final.feed(writes, sources, collector, new BatchProgress());
        return collector.finish();
      }),
    );
  }

  async renderStored(task: IndexingTask<'renderStored'>): Promise<IndexingResult<'renderStored'>> {
    return this.#withVectorsOf(task, (segment) => collectStored(segment, task));
  }

  async buildStored(task: IndexingTask<'buildStored'>): Promise<readonly SegmentFile[]> {
    const directory = this.#directory(task);
    return this.#withVectorsOf(task, (segment) =>
      buildRemade(directory, segment, task, task.fileId),
    );
  }

  async normalizeWords({ next, stored }: IndexingTask<'normalizeWords'>): Promise<Settings> {
    return withNormalizedWords(next, stored);
  }

  async joinVectors(task: IndexingTask<'joinVectors'>): Promise<SegmentFile> {
    return joinRemade(this.#directory(task), task.files, task.name);
  }

  async buildLane(task: IndexingTask<'buildLane'>): Promise<IndexingResult<'buildLane'>> {
    const { settings, segmentId, lane, documents } = task;
    const directory = this.#directory(task);
    const input = { segmentId, settings, analyzer: () => this.#analyzer(settings) };
    const wanted = planFiles([], settings).build;
    const sink = new SegmentFiles(directory, { wanted, id: segmentId, lane }, input);
    // One lane counts the documents.
    const progress = new BatchProgress(lane === 0 ? task.progress : null);
    this.#withPayloads(documents.payloads, (payloads) =>
      this.#feed(task, documents, { payloads, sink, progress }),
    );
    const built = { written: sink.finish(), unjoined: sink.finishParts() };
    if (versionBytes(documents.writes) >= RELEASED_BYTES_MIN) this.#ports.releaseMemory();
    return built;
  }

  async joinFiles({ location, files }: IndexingTask<'joinFiles'>): Promise<SegmentFile[]> {
    const joined = files.map((file) => joinParts(file, file.name, file.parts));
    this.#directory({ location }).createMany(joined);
    const written = joined.map(segmentFile);
    this.#releaseAfter(written);
    return written;
  }

  async applyDocuments(
    task: IndexingTask<'applyDocuments'>,
  ): Promise<IndexingResult<'applyDocuments'>> {
    const progress = new BatchProgress(task.progress);
    return this.#withPayloads(payloadsOf(task.operations), (payloads) => {
      const parsedPayloads = this.#parseAll(task, payloads, progress);
      progress.begin('resolving document ids');
      const { documents, ...resolved } = this.#resolve(task, parsedPayloads, payloads);
      progress.begin('building segments', documents.writes.docIds.length);
      return { ...resolved, newSegments: this.#build(task, documents, payloads) };
    });
  }

  async refit(task: IndexingTask<'refit'>): Promise<IndexingResult<'refit'>> {
    const { location, settings, idPrefix } = task;
    const [opened] = this.#openSome(task, [task.segmentId]);
    const segments = refitSegment(present(opened), {
      directory: this.#directory({ location }),
      settings,
      idPrefix,
      writtenBack: task.writtenBack,
      progress: new BatchProgress(task.progress),
      analyzer: () => this.#analyzer(settings),
      assemble: (files) => this.#assembler(task, files),
    });
    this.#releaseAfter(segments.flatMap(({ files }) => files));
    return segments;
  }

  async merge(task: IndexingTask<'merge'>): Promise<IndexingResult<'merge'>> {
    const { settings, outputId: segmentId } = task;
    const inputs = this.#openSome(task, task.segmentIds);
    const directory = this.#directory(task);
    const output = mergeSegmentFiles(inputs, { directory, settings, segmentId }, (entries) =>
      this.#releaseAfter(entries.map(documentsFile)),
    );
    if (output !== null) this.#releaseAfter(output.files);
    return {
      output,
      living: inputs.map((input) => encodeDocIds(liveDocuments([input]))),
      docIdWordCount: docIdWords(inputs.map(({ reader }) => reader)),
    };
  }

  #parseAll(
    { operations, primaryKey, settings }: IndexingTask<'applyDocuments'>,
    payloads: OpenPayloads,
    progress: BatchProgress,
  ): (ParsedPayload | null)[] {
    return operations.map((operation, number) => {
      if (operation.kind !== 'upsert') return null;
      payloads.trim();
      const key = primaryKey ?? operation.primaryKey;
      const context = { primaryKey: key, settings, progress };
      return parseTaskPayload(operation, () => payloads.soundBytes(number), context);
    });
  }

  #resolve(
    task: Omit<IndexingTask<'resolve'>, 'parsed'>,
    parsedPayloads: readonly (ParsedPayload | null)[],
    payloads: OpenPayloads,
  ): IndexingResult<'resolve'> {
    const { operations, settings } = task;
    const segments = this.#open(task);
    const index = { directory: this.#directory(task), segments, settings };
    const { dead, writes, ...resolved } = resolveBatch({
      operations,
      parsed: parsedPayloads,
      primaryKey: task.primaryKey,
      segments,
      hasEmbedders: storedEmbedders(settings).length > 0,
      select: (filter) => selectIds(index, filter, this.#ports.selectDocuments),
      reparse: (upsert, number, primaryKey) => {
        payloads.trim();
        const context = { primaryKey, settings, progress: new BatchProgress() };
        return parseTaskPayload(upsert, () => payloads.soundBytes(number), context);
      },
    });
    const documents = { writes, payloads: payloadsOf(operations), generated: [] };
    return { ...resolved, documents, ...this.#remaining(task, segments, dead) };
  }

  #remaining(
    { location, segments: before }: IndexState,
    opened: readonly OpenedSegment[],
    dead: readonly (readonly number[] | null)[],
  ): Pick<ResolvedBatch, 'segments' | 'droppedPaths'> {
    const segments = withTombstones(opened, dead);
    const directory = this.#directory({ location });
    return { segments, droppedPaths: droppedPaths(directory, before, segments) };
  }

  #build(
    task: IndexState & NewSegmentsOptions & PartOfBatch,
    documents: ResolvedDocuments,
    payloads: OpenPayloads,
  ): SegmentEntry[] {
    const sink = this.#assembler(task);
    this.#feed(task, documents, { payloads, sink, progress: new BatchProgress(task.progress) });
    const written = sink.finish();
    this.#releaseAfter(written.map(documentsFile));
    return written;
  }

  /** @throws ApiError when a document lacks a form that the settings require */
  #feed(
    state: IndexState & { readonly settings: Settings },
    { writes, generated }: ResolvedDocuments,
    { payloads, sink, progress }: Feed,
  ): void {
    const opened = this.#open(state);
    const segment = (number: number) => present(opened[number]).reader;
    const { settings } = state;
    const embedders = storedEmbedders(settings);
    const sources = { payloads, segment, embedders };
    if (embedders.length === 0) {
      this.#final.feed(writes, sources, sink, progress);
      return;
    }
    withLiveVectors(this.#segments.directory(state.location), opened, (live) => {
      const completed = new CompletedDocuments(sink, settings, live, generated);
      this.#final.feed(writes, sources, completed, progress);
    });
  }

  #withVectorsOf<Result>(
    task: IndexState & { readonly segmentId: string },
    action: (segment: LiveVectors) => Result,
  ): Result {
    const opened = this.#openSome(task, [task.segmentId]);
    return withLiveVectors(this.#directory(task), opened, ([segment]) => action(present(segment)));
  }

  #withPayloads<Result>(
    sources: readonly (PayloadSource | null)[],
    action: (payloads: OpenPayloads) => Result,
  ): Result {
    const payloads = new OpenPayloads(sources, (path) => this.#ports.openPayload(path));
    try {
      return action(payloads);
    } finally {
      payloads.close();
    }
  }

  /** @param files of each segment; absent = all files of the settings */
  #assembler(
    { location, settings, ...options }: IndexState & NewSegmentsOptions,
    files?: readonly WantedFile[],
  ): SegmentAssembler {
    return new SegmentAssembler({
      directory: this.#directory({ location }),
      analyzer: () => this.#analyzer(settings),
      settings,
      ...options,
      ...(files !== undefined && { files }),
    });
  }

  #directory({ location }: Pick<IndexState, 'location'>): Directory {
    return this.#segments.directory(location);
  }

  #open({ location, segments }: IndexState): OpenedSegment[] {
    return this.#segments.open(location, segments, []);
  }

  #openSome({ location, segments }: IndexState, ids: readonly string[]): OpenedSegment[] {
    const some = ids.map((id) => present(segments.find((entry) => entry.id === id)));
    const live = segments.map(({ id }) => id);
    return this.#segments.open(location, some, live);
  }

  #analyzer(settings: AnalyzerSettings): Analyzer {
    const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
    const context = { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
    return this.#analyzers.memo(JSON.stringify(context), { context });
  }

  #releaseAfter(files: readonly SegmentFile[]): void {
    if (files.some(({ bytes }) => bytes >= RELEASED_BYTES_MIN)) this.#ports.releaseMemory();
  }
}

const payloadsOf = (operations: readonly DocumentOperation[]): (PayloadSource | null)[] =>
  operations.map((operation) => (operation.kind === 'upsert' ? operation.payload : null));

function present<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('an indexing task names something that it does not carry');
  return value;
}
