/**
 * Index writer without an engine: documents are kept in maps by segment, which stand for the segment files. It keeps the writer's
 * contract (immutable segments, tombstones, nothing visible before the commit) and lets tests hold, fail and count its work.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ApiError } from '../../src/core/errors.ts';
import { countBits, hasBit, setBit } from '../../src/engine/sets/bitset.ts';
import { decodeDocIds, encodeDocIds } from '../../src/engine/sets/doc-ids.ts';
import type {
  DocumentOperation,
  OperationResult,
  PreparedEdition,
  PreparedIndexChange,
} from '../../src/indexing/document-operations.ts';
import { type CompletedMerge, mergedOutput } from '../../src/indexing/fold-merge.ts';
import { fileNamesOf, type IndexManifest, type SegmentEntry } from '../../src/model/index-manifest.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { IndexWriterPort, OpenIndexWriter } from '../../src/tasks/index-writers.ts';

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
  readonly closed: string[] = [];
  #next = 0;

  readonly open: OpenIndexWriter = (manifest, directory) => new FakeIndexWriter(this, manifest, directory);

  addSegment(directory: string, documents: Map<number, FakeDocument>): SegmentEntry {
    const id = `s${process.pid}-${this.#next++}`;
    this.segments.set(id, documents);
    fs.writeFileSync(path.join(directory, `${id}.seg`), 'x');
    return { id, documentCount: documents.size, deadCount: 0, bytes: 1, tombstones: null };
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
  readonly #directory: string;
  #manifest: IndexManifest;

  constructor(fakes: FakeIndexes, manifest: IndexManifest, directory: string) {
    this.#fakes = fakes;
    this.#manifest = manifest;
    this.#directory = directory;
  }

  async applyDocuments(operations: DocumentOperation[]): Promise<PreparedIndexChange> {
    await this.#fakes.before('documents');
    const state = new Map(this.#fakes.documents(this.#manifest));
    const changed = new Set<string>();
    let primaryKey = this.#manifest.primaryKey;
    const results = operations.map((operation): OperationResult => {
      const ok = { taskUid: operation.taskUid, error: null, indexedDocuments: 0, deletedDocuments: 0 };
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
      if (operation.kind === 'deleteFilter') throw new Error('the fake writer evaluates no filters');
      const { payload } = operation;
      const text = typeof payload === 'string' ? fs.readFileSync(payload, 'utf8') : Buffer.from(payload).toString();
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
    const change = this.#segmentsWith(state, changed);
    return { results, primaryKey, ...change, newFiles: fileNamesOf(change.newSegments) };
  }

  async editDocuments(): Promise<PreparedEdition> {
    throw new Error('the fake writer runs no functions');
  }

  async applySettings(next: Settings): Promise<PreparedIndexChange> {
    await this.#fakes.before('settings');
    if (next.dictionary.includes('impossible')) throw new ApiError('invalid_document_geo_field', 'no');
    const { segments, primaryKey } = this.#manifest;
    return { results: [], primaryKey, newSegments: [], newFiles: [], segments };
  }

  planMerge(manifest: IndexManifest): string[] | null {
    return manifest.segments.length >= this.#fakes.mergeFrom ? manifest.segments.map(({ id }) => id) : null;
  }

  async merge(segmentIds: string[]): Promise<CompletedMerge> {
    const inputEntries = this.#manifest.segments.filter(({ id }) => segmentIds.includes(id));
    await this.#fakes.before('merge');
    const documents = new Map(inputEntries.flatMap((entry) => [...this.#fakes.living(entry)]));
    const output = documents.size === 0 ? null : this.#fakes.addSegment(this.#directory, documents);
    const completed = { inputs: segmentIds, inputEntries, docIdWordCount: WORDS, output };
    return { ...completed, output: mergedOutput(completed, this.#manifest.segments) };
  }

  committed(manifest: IndexManifest): void {
    this.#manifest = manifest;
  }

  async close(): Promise<void> {
    this.#fakes.closed.push(this.#manifest.uid);
  }

  #segmentsWith(
    state: ReadonlyMap<string, Record<string, unknown>>,
    changed: ReadonlySet<string>,
  ): Pick<PreparedIndexChange, 'segments' | 'newSegments'> {
    const used = new Set<number>();
    const kept = this.#manifest.segments.map((entry) => {
      const dead = entry.tombstones === null ? new Uint32Array(WORDS) : decodeDocIds(entry.tombstones, WORDS);
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
    const newSegments = written.size === 0 ? [] : [this.#fakes.addSegment(this.#directory, written)];
    const segments = [...kept.filter(({ documentCount, deadCount }) => deadCount < documentCount), ...newSegments];
    return { segments, newSegments };
  }
}
