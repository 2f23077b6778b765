/** What an indexing thread does: the tasks of `indexing-tasks.ts` on opened files. Keeps segments and analyzers open between tasks. */
import { Deadline } from '../core/deadline.ts';
import { ApiError, toWire } from '../core/errors.ts';
import { type Analyzer, createAnalyzer } from '../engine/analysis/analyzer.ts';
import { JsonTape } from '../engine/json/json-tape.ts';
import type { Directory } from '../engine/segment/directory.ts';
import { docIdWords, liveDocuments } from '../engine/segment/live-documents.ts';
import { mergeSegments } from '../engine/segment/segment-merger.ts';
import { frameSegment } from '../engine/segment/segment-writer.ts';
import { hasBit, setBit } from '../engine/sets/bitset.ts';
import { encodeDocIds } from '../engine/sets/doc-ids.ts';
import { columnsFileName, type SegmentEntry, segmentFileName } from '../model/index-manifest.ts';
import { buildColumns } from './build-columns.ts';
import { columnPatterns, planColumns } from './column-coverage.ts';
import type { DocumentOperation } from './document-operations.ts';
import { editDocuments } from './edit-documents.ts';
import type {
  IndexingResult,
  IndexingTask,
  IndexingTaskName,
  IndexState,
  NewSegmentsOptions,
  ResolveTask,
} from './indexing-tasks.ts';
import { OpenPayloads, type PayloadFile } from './open-payloads.ts';
import { NOTHING_PARSED, type ParsedPayload, parsePayload } from './parse-payload.ts';
import { type BatchPlan, resolveBatch } from './resolve-batch.ts';
import { byteCount, columnsEntry, SegmentAssembler } from './segment-assembler.ts';
import { type OpenedSegment, SegmentCache } from './segment-cache.ts';
import { columnPaths, writeColumns } from './segment-columns.ts';
import { StoredHalf, WordsHalf } from './segment-halves.ts';
import { type SelectDocuments, selectBits, selectIds } from './select-documents.ts';
import { type TextSettings, textSettingsOf } from './text-rules.ts';
import { type DocumentSink, DocumentWriter } from './write-documents.ts';

export interface ThreadPorts {
  /** Opens the folder of an index, created when missing. */
  openDirectory(path: string): Directory;
  /** Opens a spool file, given its absolute path. */
  openPayload(path: string): PayloadFile;
  readonly selectDocuments: SelectDocuments;
  /** Gives memory that has been freed back to the system. */
  releaseMemory(): void;
}

type Handlers = { readonly [Name in IndexingTaskName]: (task: IndexingTask<Name>) => Promise<IndexingResult<Name>> };

/** Analyzers kept, by the settings they are made of. */
const ANALYZERS_MAX = 8;

/** What building a segment of so many bytes has freed is given back, lest the allocator keep it beside what is built next. */
const RELEASED_BYTES_MIN = 8 * 1024 ** 2;

export class IndexingThread implements Handlers {
  readonly #ports: ThreadPorts;
  readonly #segments: SegmentCache;
  readonly #analyzers = new Map<string, Analyzer>();
  readonly #writer = new DocumentWriter();

  constructor(ports: ThreadPorts) {
    this.#ports = ports;
    this.#segments = new SegmentCache((path) => ports.openDirectory(path));
  }

  async readAllocated({ directory, segments }: IndexingTask<'readAllocated'>): Promise<Uint32Array> {
    return liveDocuments(this.#open(directory, segments));
  }

  async parse({ operation, primaryKey, geoFields }: IndexingTask<'parse'>): Promise<ParsedPayload> {
    return this.#withPayloads([operation], (payloads) =>
      parsed(operation, () => payloads.bytes(0), primaryKey, geoFields),
    );
  }

  async resolve(task: IndexingTask<'resolve'>): Promise<IndexingResult<'resolve'>> {
    return this.#withPayloads(task.operations, (payloads) => {
      const { plan, segments } = this.#resolve(task, task.payloads, payloads);
      const { results, primaryKey, writes, taken, freed } = plan;
      return { results, primaryKey, writes, segments, taken, freed };
    });
  }

  async write(task: IndexingTask<'write'>): Promise<readonly SegmentEntry[]> {
    return this.#withPayloads(task.operations, (payloads) => this.#write(task, task.writes, payloads));
  }

  async indexWords(task: IndexingTask<'indexWords'>): Promise<IndexingResult<'indexWords'>> {
    const text = textSettingsOf(task.settings);
    const half = new WordsHalf(task.segmentId, this.#analyzer(text), text);
    this.#feed(task, half);
    return half.finish();
  }

  async storeDocuments(task: IndexingTask<'storeDocuments'>): Promise<IndexingResult<'storeDocuments'>> {
    const { directory, settings, segmentId } = task;
    const patterns = columnPatterns(settings);
    const half = new StoredHalf(patterns);
    this.#feed(task, half);
    const { stored, columns } = half.finish();
    if (columns === null) return { stored, columns: [] };
    this.#segments.directory(directory).create(columnsFileName(segmentId), columns);
    return { stored, columns: [columnsEntry(segmentId, patterns, columns)] };
  }

  async joinSegment(task: IndexingTask<'joinSegment'>): Promise<SegmentEntry> {
    const { directory, segmentId: id, documentCount, body, stored } = task;
    const parts = frameSegment(body, stored);
    this.#segments.directory(directory).create(segmentFileName(id), parts);
    const entry = { id, documentCount, deadCount: 0, bytes: byteCount(parts), tombstones: null };
    this.#releaseAfter([entry]);
    return entry;
  }

  #releaseAfter(written: readonly SegmentEntry[]): void {
    if (written.some(({ bytes }) => bytes >= RELEASED_BYTES_MIN)) this.#ports.releaseMemory();
  }

  #feed(task: IndexingTask<'indexWords'>, sink: DocumentSink): void {
    const opened = this.#open(task.directory, task.segments);
    const segment = (index: number) => present(opened[index]).reader;
    this.#withPayloads(task.operations, (payloads) => this.#writer.write(task.writes, { payloads, segment }, sink));
  }

  async applyDocuments(task: IndexingTask<'applyDocuments'>): Promise<IndexingResult<'applyDocuments'>> {
    return this.#withPayloads(task.operations, (payloads) => {
      const parsedPayloads = task.operations.map((operation, index) => {
        if (operation.kind !== 'upsert') return null;
        payloads.trim();
        return parsed(operation, () => payloads.bytes(index), task.primaryKey ?? operation.primaryKey, task.geoFields);
      });
      const { plan, segments } = this.#resolve(task, parsedPayloads, payloads);
      const { results, primaryKey, writes, taken, freed } = plan;
      const newSegments = this.#write(task, writes, payloads);
      return { results, primaryKey, segments, taken, freed, newSegments, written: writes.docIds };
    });
  }

  async editDocuments(task: IndexingTask<'editDocuments'>): Promise<IndexingResult<'editDocuments'>> {
    const { edition, primaryKey, geoFields, settings, timeMsMax } = task;
    const segments = this.#open(task.directory, task.segments);
    const stored = { directory: this.#segments.directory(task.directory), segments, settings };
    const selection = selectBits(stored, edition.filter, this.#ports.selectDocuments);
    if (selection.error !== null) return selection;
    const assembler = this.#assembler(task.directory, task);
    const deadline = Deadline.after(timeMsMax, () => performance.now());
    try {
      const input = { edition, primaryKey, geoFields, segments, selected: selection.bits, assembler, deadline };
      const { documentCount, dead, written, deleted } = editDocuments(input);
      const newSegments = assembler.finish();
      return { error: null, documentCount, segments: withTombstones(segments, dead), newSegments, written, deleted };
    } catch (error) {
      assembler.discard();
      if (error instanceof ApiError) return { error: toWire(error) };
      throw error;
    }
  }

  async rebuild(task: IndexingTask<'rebuild'>): Promise<readonly SegmentEntry[]> {
    const [opened] = this.#openSome(task.directory, task.segments, [task.segmentId]);
    if (opened === undefined) throw new Error(`segment ${task.segmentId} is not live`);
    const { entry, reader, dead } = opened;
    const patterns = columnPatterns(task.settings);
    const plan = planColumns(entry.columns ?? [], patterns);
    const keepsColumns = dead === null && plan.build.length === 0;
    const assembler = this.#assembler(task.directory, task, keepsColumns ? [] : patterns);
    const tape = new JsonTape();
    for (const docId of reader.docIds) {
      if (dead !== null && hasBit(dead, docId)) continue;
      const json = reader.readDocument(docId);
      tape.scan(json, 0, json.length);
      assembler.add(docId, reader.documentId(docId), tape);
    }
    const segments = assembler.finish();
    const [only] = segments;
    if (!keepsColumns || plan.kept.length === 0 || only === undefined) return segments;
    if (segments.length === 1) return [{ ...only, columns: plan.kept }];
    const directory = this.#segments.directory(task.directory);
    const known = columnPaths(directory, [entry]);
    return segments.map((segment) => writeColumns(directory, segment, patterns, known));
  }

  async addColumns(task: IndexingTask<'addColumns'>): Promise<IndexingResult<'addColumns'>> {
    const [opened] = this.#openSome(task.directory, task.segments, [task.segmentId]);
    const { reader, dead } = present(opened);
    try {
      const parts = buildColumns(reader, dead, task.patterns);
      this.#segments.directory(task.directory).create(columnsFileName(task.columnsId), parts);
      return { error: null, columns: columnsEntry(task.columnsId, task.patterns, parts) };
    } catch (error) {
      if (error instanceof ApiError) return { error: toWire(error) };
      throw error;
    }
  }

  async merge(task: IndexingTask<'merge'>): Promise<IndexingResult<'merge'>> {
    const inputs = this.#openSome(task.directory, task.segments, task.segmentIds);
    const docIdWordCount = docIdWords(inputs.map(({ reader }) => reader));
    const documentCount = inputs.reduce((sum, { entry }) => sum + entry.documentCount - entry.deadCount, 0);
    if (documentCount === 0) return { output: null, docIdWordCount };
    this.#releaseAfter(inputs.map((input) => input.entry));
    const bytes = this.#writeMerged(task, inputs);
    const entry = { id: task.outputId, documentCount, deadCount: 0, bytes, tombstones: null };
    this.#releaseAfter([entry]);
    const directory = this.#segments.directory(task.directory);
    const known = columnPaths(
      directory,
      inputs.map((input) => input.entry),
    );
    return { output: writeColumns(directory, entry, task.columnPatterns, known), docIdWordCount };
  }

  /** Lets go of the segment's bytes, of which there may be much, when they are in the file; returns their number. */
  #writeMerged({ directory, outputId }: IndexingTask<'merge'>, inputs: readonly OpenedSegment[]): number {
    const parts = mergeSegments(
      outputId,
      inputs.map(({ reader, dead }) => ({ reader, dead })),
    );
    this.#segments.directory(directory).create(segmentFileName(outputId), parts);
    return byteCount(parts);
  }

  #resolve(
    task: Omit<ResolveTask, 'payloads'>,
    parsedPayloads: readonly (ParsedPayload | null)[],
    payloads: OpenPayloads,
  ): { readonly plan: BatchPlan; readonly segments: SegmentEntry[] } {
    const opened = this.#open(task.directory, task.segments);
    const plan = resolveBatch({
      operations: task.operations,
      payloads: parsedPayloads,
      primaryKey: task.primaryKey,
      segments: opened,
      allocated: new Uint32Array(task.allocated),
      select: (filter) =>
        selectIds(
          { directory: this.#segments.directory(task.directory), segments: opened, settings: task.settings },
          filter,
          this.#ports.selectDocuments,
        ),
      reparse: (index, primaryKey) => {
        payloads.trim();
        return parsed(present(task.operations[index]), () => payloads.bytes(index), primaryKey, task.geoFields);
      },
    });
    return { plan, segments: withTombstones(opened, plan.dead) };
  }

  #write(
    task: IndexState & NewSegmentsOptions,
    writes: IndexingTask<'write'>['writes'],
    payloads: OpenPayloads,
  ): SegmentEntry[] {
    const opened = this.#open(task.directory, task.segments);
    const assembler = this.#assembler(task.directory, task);
    const segment = (index: number) => present(opened[index]).reader;
    this.#writer.write(writes, { payloads, segment }, assembler);
    const written = assembler.finish();
    this.#releaseAfter(written);
    return written;
  }

  #withPayloads<Result>(operations: readonly DocumentOperation[], action: (payloads: OpenPayloads) => Result): Result {
    const payloads = new OpenPayloads(operations, (path) => this.#ports.openPayload(path));
    try {
      return action(payloads);
    } finally {
      payloads.close();
    }
  }

  #assembler(
    directory: string,
    { settings, idPrefix, rawBytesMax, memoryBytesMax }: NewSegmentsOptions,
    patterns: readonly string[] = columnPatterns(settings),
  ): SegmentAssembler {
    const text = textSettingsOf(settings);
    return new SegmentAssembler({
      directory: this.#segments.directory(directory),
      analyzer: this.#analyzer(text),
      settings: text,
      columnPatterns: patterns,
      idPrefix,
      rawBytesMax,
      memoryBytesMax,
    });
  }

  #open(directory: string, segments: readonly SegmentEntry[]): OpenedSegment[] {
    return this.#segments.open(directory, segments, []);
  }

  #openSome(directory: string, segments: readonly SegmentEntry[], ids: readonly string[]): OpenedSegment[] {
    const some = ids.map((id) => present(segments.find((entry) => entry.id === id)));
    return this.#segments.open(
      directory,
      some,
      segments.map(({ id }) => id),
    );
  }

  #analyzer(settings: TextSettings): Analyzer {
    const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
    const key = JSON.stringify([stopWords, separatorTokens, nonSeparatorTokens, dictionary]);
    let analyzer = this.#analyzers.get(key);
    if (analyzer === undefined) {
      analyzer = createAnalyzer({ stopWords, separatorTokens, nonSeparatorTokens, dictionary });
      if (this.#analyzers.size >= ANALYZERS_MAX) this.#analyzers.clear();
      this.#analyzers.set(key, analyzer);
    }
    return analyzer;
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an indexing task names something that it does not carry');
  return value;
}

/** A payload whose file is gone fails its own task only. */
function parsed(
  operation: DocumentOperation,
  bytes: () => Uint8Array,
  primaryKey: string | null,
  geoFields: readonly string[],
): ParsedPayload {
  if (operation.kind !== 'upsert') throw new Error(`task ${operation.taskUid} has no payload`);
  try {
    return parsePayload(bytes(), operation.format, primaryKey, geoFields);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    const message = `The payload of task ${operation.taskUid} is not in the spool folder any more`;
    return { ...NOTHING_PARSED, error: { code: 'internal', message }, primaryKey };
  }
}

/** The segments that still hold a live document, with the newly dead added to their tombstones. */
function withTombstones(opened: readonly OpenedSegment[], newlyDead: BatchPlan['dead']): SegmentEntry[] {
  return opened.flatMap(({ entry, reader, dead }, i) => {
    const added = newlyDead[i] ?? null;
    if (added === null) return [];
    if (added.length === 0) return [entry];
    const deadCount = entry.deadCount + added.length;
    if (deadCount === entry.documentCount) return [];
    const bits = dead?.slice() ?? new Uint32Array(docIdWords([reader]));
    for (const docId of added) setBit(bits, docId);
    return [{ ...entry, deadCount, tombstones: encodeDocIds(bits) }];
  });
}
