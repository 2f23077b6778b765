/**
 * Index writer without an engine: documents are kept in maps by segment, which stand for the
 * segment files. It keeps the writer's contract (immutable segments, tombstones, nothing visible
 * before the commit) and lets tests hold, fail and count its work.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ApiError } from '../../src/core/errors.ts';
import { countBits, hasBit, setBit } from '../../src/engine/sets/bitset.ts';
import { decodeDocIds, encodeDocIds } from '../../src/engine/sets/doc-ids.ts';
import type {
  DocumentOperation,
  OperationResult,
  PreparedDocuments,
  PreparedEdit,
  PreparedIndexChange,
} from '../../src/indexing/batch/document-operations.ts';
import type { FinishedMerge } from '../../src/indexing/files/finished-merge.ts';
import { planCompaction } from '../../src/indexing/files/merge-policy.ts';
import type { IndexManifest, SegmentEntry } from '../../src/model/index-manifest.ts';
import type { Settings } from '../../src/model/settings.ts';
import type {
  IndexWriterPort,
  OpenIndexWriter,
  WriterFolder,
} from '../../src/tasks/processing/index-writers.ts';
import { segmentEntry } from './segment-entry.ts';

const WORDS = 64;

interface FakeDocument {
  readonly id: string;
  readonly body: Record<string, unknown>;
}

/** The segment "files" of all indexes, and the switches of the tests. */
export class FakeIndexes {
  readonly segments = new Map<string, Map<number, FakeDocument>>();
  /** Called at the beginning of each piece of work; may wait or throw. */
  before: (work: 'documents' | 'settings' | 'merge') => Promise<void> | void = () => undefined;
  /** Number of segments from which on all are merged. */
  mergeFrom = Number.POSITIVE_INFINITY;
  /** Names of the indexes, one for each writer. */
  readonly opened: string[] = [];
  #next = 0;

  readonly open: OpenIndexWriter = (manifest, folder) =>
    new FakeIndexWriter(this, manifest, folder);

  newChange(): string {
    return `c${process.pid}-${String(this.#next++).padStart(6, '0')}`;
  }

  addSegment(
    location: string,
    changeId: string,
    documents: Map<number, FakeDocument>,
  ): SegmentEntry {
    const id = `${changeId}-0`;
    this.segments.set(id, documents);
    fs.writeFileSync(path.join(location, `${id}.seg`), 'x');
    return segmentEntry(id, documents.size);
  }

  /** Living documents of a published state by id. */
  documents(manifest: IndexManifest): Map<string, Record<string, unknown>> {
    const living = new Map<string, Record<string, unknown>>();
    for (const entry of manifest.segments) {
      for (const { id, body } of this.living(entry).values()) {
        if (living.has(id)) throw new Error(`document ${id} lives twice`);
        living.set(id, body);
      }
    }
    return living;
  }

  living({ id, tombstones }: SegmentEntry): Map<number, FakeDocument> {
    const documents = this.segments.get(id);
    if (documents === undefined) throw new Error(`segment ${id} is missing`);
    const dead = tombstones === null ? new Uint32Array(WORDS) : decodeDocIds(tombstones, WORDS);
    return new Map([...documents].filter(([docId]) => !hasBit(dead, docId)));
  }
}

class FakeIndexWriter implements IndexWriterPort {
  readonly #fakes: FakeIndexes;
  readonly #folder: WriterFolder;
  #manifest: IndexManifest;

  constructor(fakes: FakeIndexes, manifest: IndexManifest, folder: WriterFolder) {
    this.#fakes = fakes;
    this.#manifest = manifest;
    this.#folder = folder;
    fakes.opened.push(manifest.uid);
  }

  async applyDocuments(operations: DocumentOperation[]): Promise<PreparedDocuments> {
    await this.#fakes.before('documents');
    const state = new Map(this.#fakes.documents(this.#manifest));
    const changed = new Set<string>();
    let primaryKey = this.#manifest.primaryKey;
    const results = operations.map((operation): OperationResult => {
      const ok = {
        taskUid: operation.taskUid,
        error: null,
        indexedDocuments: 0,
        deletedDocuments: 0,
      };
      if (operation.kind === 'deleteAll') {
        const deletedDocuments = state.size;
        for (const id of state.keys()) changed.add(id);
        state.clear();
        return { ...ok, deletedDocuments };
      }
      if (operation.kind === 'deleteIds') {
        const removed = operation.ids.filter((id) => state.delete(id));
        for (const id of removed) changed.add(id);
        return { ...ok, deletedDocuments: removed.length };
      }
      if (operation.kind === 'deleteFilter')
        throw new Error('the fake writer evaluates no filters');
      const { payload } = operation;
      const text =
        payload instanceof Uint8Array
          ? Buffer.from(payload).toString()
          : fs.readFileSync(payload.path, 'utf8');
      const documents = JSON.parse(text) as Record<string, unknown>[];
      if (documents.some((document) => !('id' in document))) {
        return { ...ok, error: { code: 'missing_document_id', message: 'a document has no id' } };
      }
      primaryKey ??= 'id';
      for (const body of documents) {
        const id = String(body['id']);
        state.set(id, operation.method === 'update' ? { ...state.get(id), ...body } : body);
        changed.add(id);
      }
      return { ...ok, indexedDocuments: new Set(documents.map(({ id }) => String(id))).size };
    });
    const { batchEndDocIds, seenFieldPaths } = this.#manifest;
    return {
      results,
      primaryKey,
      batchEndDocIds: [...batchEndDocIds, (batchEndDocIds.at(-1) ?? 0) + 1],
      seenFieldPaths,
      ...this.#segmentsWith(state, changed),
    };
  }

  async editDocuments(): Promise<PreparedEdit> {
    throw new Error('the fake writer runs no functions');
  }

  async normalizedSettings(next: Settings): Promise<Settings> {
    return next;
  }

  completedSettings(next: Settings): Promise<Settings> {
    return Promise.resolve(next);
  }

  async applySettings(next: Settings): Promise<PreparedIndexChange> {
    await this.#fakes.before('settings');
    if (next.dictionary.includes('impossible'))
      throw new ApiError('invalid_document_geo_field', 'no');
    const { segments } = this.#manifest;
    return { changeIds: [this.#fakes.newChange()], newSegments: [], segments };
  }

  planMerge(manifest: IndexManifest): string[] | null {
    return manifest.segments.length >= this.#fakes.mergeFrom
      ? manifest.segments.map(({ id }) => id)
      : null;
  }

  planCompaction(manifest: IndexManifest): string[][] {
    return planCompaction(manifest.segments);
  }

  async merge(segmentIds: readonly string[]): Promise<FinishedMerge | null> {
    const entries = this.#manifest.segments.filter(({ id }) => segmentIds.includes(id));
    if (entries.length < segmentIds.length) return null;
    const changeId = this.#fakes.newChange();
    await this.#fakes.before('merge');
    const inputs = entries.map((entry) => {
      const bits = new Uint32Array(WORDS);
      for (const docId of this.#fakes.living(entry).keys()) setBit(bits, docId);
      return { entry, living: encodeDocIds(bits) };
    });
    const documents = new Map(entries.flatMap((entry) => [...this.#fakes.living(entry)]));
    const { location } = this.#folder;
    const output =
      documents.size === 0 ? null : this.#fakes.addSegment(location, changeId, documents);
    return { changeId, inputs, output, docIdWordCount: WORDS };
  }

  committed(manifest: IndexManifest): void {
    this.#manifest = manifest;
  }

  discard(changeId: string): void {
    this.#folder.removeFiles(changeId);
  }

  #segmentsWith(
    state: ReadonlyMap<string, Record<string, unknown>>,
    changed: ReadonlySet<string>,
  ): Pick<PreparedIndexChange, 'changeIds' | 'segments' | 'newSegments'> {
    const changeId = this.#fakes.newChange();
    const used = new Set<number>();
    const kept = this.#manifest.segments.map((entry) => {
      const dead =
        entry.tombstones === null ? new Uint32Array(WORDS) : decodeDocIds(entry.tombstones, WORDS);
      for (const [docId, { id }] of this.#fakes.living(entry)) {
        used.add(docId);
        if (changed.has(id)) setBit(dead, docId);
      }
      const deadCount = countBits(dead);
      return { ...entry, deadCount, tombstones: deadCount === 0 ? null : encodeDocIds(dead) };
    });
    const written = new Map<number, FakeDocument>();
    let docId = 0;
    for (const id of changed) {
      const body = state.get(id);
      if (body === undefined) continue;
      while (used.has(docId)) docId++;
      written.set(docId++, { id, body });
    }
    const newSegments =
      written.size === 0 ? [] : [this.#fakes.addSegment(this.#folder.location, changeId, written)];
    const segments = [
      ...kept.filter(({ documentCount, deadCount }) => deadCount < documentCount),
      ...newSegments,
    ];
    return { changeIds: [changeId], segments, newSegments };
  }
}
