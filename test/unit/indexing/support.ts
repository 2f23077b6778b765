/**
 * An index in memory for tests of indexing: writer, same-thread pool, and reading back what a
 * reader would see.
 */

import { noEmbedder } from '../../../load-tests/bench/in-process-pool.ts';
import { MemoryDirectory } from '../../../load-tests/bench/memory-directory.ts';
import { newManifest } from '../../../src/catalog/manifest.ts';
import type { DocumentEmbedders } from '../../../src/embedding/cache/cached-embedder.ts';
import { crc32c } from '../../../src/engine/bytes/crc32c.ts';
import type { Directory } from '../../../src/engine/segment/directory.ts';
import { SegmentReader } from '../../../src/engine/segment/segment-reader.ts';
import { hasBit, makeBitset } from '../../../src/engine/sets/bitset.ts';
import { decodeDocIds } from '../../../src/engine/sets/doc-ids.ts';
import {
  type DocumentOperation,
  manifestChange,
  type PreparedDocuments,
  type PreparedIndexChange,
} from '../../../src/indexing/batch/document-operations.ts';
import type { EmbeddingFailureRules } from '../../../src/indexing/embedding-step.ts';
import {
  type FinishedMerge,
  segmentsAfterMerge,
} from '../../../src/indexing/files/finished-merge.ts';
import { IndexWriter } from '../../../src/indexing/index-writer.ts';
import { IndexingThread } from '../../../src/indexing/indexing-thread.ts';
import type { PayloadOnDisk } from '../../../src/indexing/payload/open-payloads.ts';
import {
  encodeManifest,
  fileNamesOf,
  type IndexManifest,
} from '../../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';
import { selectStored } from '../../../src/search/filter/filter-evaluator.ts';
import { findDocument } from '../../../src/search/snapshot/document-place.ts';
import { documentVectors } from '../../../src/search/snapshot/document-vectors.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../../../src/search/snapshot/snapshot-cache.ts';

const utf8 = new TextEncoder();

export interface StoredDocument {
  readonly docId: number;
  readonly id: string;
  readonly json: string;
}

/** Runs tasks in this thread, with the same structured clone as a real thread. */
export class SameThreadPool {
  readonly threads: number;
  readonly #thread: IndexingThread;

  constructor(directory: Directory, payloads: ReadonlyMap<string, Uint8Array>, threads: number) {
    this.threads = threads;
    this.#thread = new IndexingThread({
      selectDocuments: selectStored,
      releaseMemory: () => {},
      openDirectory: () => directory,
      openPayload: (path) => {
        const bytes = payloads.get(path);
        if (bytes === undefined)
          throw Object.assign(new Error(`no payload ${path}`), { code: 'ENOENT' });
        return { bytes, close: () => undefined };
      },
    });
  }

  async run<Task, Result>(name: string, task: Task): Promise<Result> {
    const handler = this.#thread[name as keyof IndexingThread] as (
      task: unknown,
    ) => Promise<unknown>;
    return structuredClone(await handler.call(this.#thread, structuredClone(task))) as Result;
  }
}

export class TestIndex {
  readonly location = 'test';
  readonly directory = new MemoryDirectory();
  readonly payloads = new Map<string, Uint8Array>();
  readonly writer: IndexWriter;
  manifest: IndexManifest;
  #taskUid = 0;
  readonly #named = new Set<string>();

  constructor({
    settings = {},
    threads = 1,
    segmentBytesMax,
    vectorBytesMax,
    embedderOf = noEmbedder,
    failures,
  }: {
    settings?: Partial<Settings>;
    threads?: number;
    segmentBytesMax?: number;
    vectorBytesMax?: number;
    embedderOf?: DocumentEmbedders;
    failures?: EmbeddingFailureRules;
  } = {}) {
    this.manifest = {
      ...newManifest('films', 1, null, ''),
      settings: { ...DEFAULT_SETTINGS, ...settings },
    };
    this.writer = new IndexWriter({
      manifest: this.manifest,
      location: this.location,
      pool: new SameThreadPool(this.directory, this.payloads, threads),
      memoryBudgetBytes: 1024 ** 3,
      embedderOf,
      removeFiles: (prefix) => {
        for (const name of this.directory.list())
          if (name.startsWith(prefix)) this.directory.remove(name);
      },
      ...(segmentBytesMax !== undefined && { segmentBytesMax }),
      ...(vectorBytesMax !== undefined && { vectorBytesMax }),
      ...(failures !== undefined && { failures }),
    });
  }

  /** A spool file with these bytes. */
  spool(path: string, content: string | Uint8Array): PayloadOnDisk {
    const bytes = typeof content === 'string' ? utf8.encode(content) : content;
    this.payloads.set(path, bytes);
    return { path, bytes: bytes.length, crc32c: crc32c(bytes) };
  }

  upsert(
    payload: unknown,
    options: Partial<DocumentOperation & { kind: 'upsert' }> = {},
  ): DocumentOperation {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    return {
      taskUid: this.#taskUid++,
      kind: 'upsert',
      method: 'replace',
      payload: utf8.encode(text),
      payloadBytes: text.length,
      format: 'json',
      primaryKey: null,
      skipCreation: false,
      wereStored: false,
      ...options,
    };
  }
  deleteIds(...ids: string[]): DocumentOperation {
    return { taskUid: this.#taskUid++, kind: 'deleteIds', ids };
  }
  deleteAll(): DocumentOperation {
    return { taskUid: this.#taskUid++, kind: 'deleteAll' };
  }

  /** Applies the batch and commits it. */
  async apply(...operations: DocumentOperation[]): Promise<PreparedDocuments> {
    const change = await this.writer.applyDocuments(operations);
    this.commit({ ...manifestChange(change), updatedAt: this.#date() });
    return change;
  }

  async applySettings(settings: Partial<Settings>): Promise<PreparedIndexChange> {
    const next = await this.writer.completedSettings({ ...this.manifest.settings, ...settings });
    const change = await this.writer.applySettings(next);
    this.commit({ settings: next, segments: change.segments, updatedAt: this.#date() });
    return change;
  }

  /** A different one for each batch. */
  #date(): string {
    return new Date(this.manifest.generation).toISOString();
  }

  /** Merges all segments into one, without another change. */
  mergeAll(): Promise<void> {
    return this.merge(this.manifest.segments.map(({ id }) => id));
  }

  async merge(segmentIds: readonly string[]): Promise<void> {
    this.commitMerge(await this.writer.merge(segmentIds));
  }

  /** Discards the merge if it came too late. */
  commitMerge(merge: FinishedMerge | null): void {
    if (merge === null) return;
    const segments = segmentsAfterMerge(merge, this.manifest.segments);
    if (segments !== null) this.commit({ segments });
    const isNamed = segments?.some(({ id }) => id === merge.output?.id) === true;
    if (!isNamed) this.writer.discard(merge.changeId);
  }

  /** Files that no manifest names, and none has named. */
  orphanFiles(): string[] {
    return this.directory.list().filter((name) => !this.#named.has(name));
  }

  commit(change: Partial<IndexManifest>): void {
    this.manifest = { ...this.manifest, ...change, generation: this.manifest.generation + 1 };
    for (const name of fileNamesOf(this.manifest.segments)) this.#named.add(name);
    this.writer.committed(this.manifest);
  }

  /** Live documents by ascending DocId. */
  documents(): StoredDocument[] {
    const found: StoredDocument[] = [];
    for (const { id, tombstones } of this.manifest.segments) {
      const reader = new SegmentReader(id, this.directory.open(`${id}.seg`).bytes);
      const capacity = makeBitset(Math.max(...reader.docIds) + 1);
      const dead = tombstones === null ? null : decodeDocIds(tombstones, capacity.length);
      for (const docId of reader.docIds) {
        if (dead !== null && hasBit(dead, docId)) continue;
        found.push({
          docId,
          id: text(reader.documentId(docId)),
          json: text(reader.readDocument(docId)),
        });
      }
    }
    return found.sort((a, b) => a.docId - b.docId);
  }

  /** `word` → `field@position` of the document, over all segments. */
  words(docId: number): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    for (const { id } of this.manifest.segments) {
      const reader = new SegmentReader(id, this.directory.open(`${id}.seg`).bytes);
      if (!reader.docIds.includes(docId)) continue;
      const candidates = makeBitset(docId + 1);
      candidates[docId >>> 5] = 1 << (docId & 31);
      const fieldMap = Int32Array.from(reader.fields, (_, field) => field);
      for (let term = 0; term < reader.terms.termCount; term++) {
        const out = { docs: new Uint32Array(16), keys: new Uint32Array(16), length: 0 };
        reader.postings.readOccurrences(term, candidates, fieldMap, out);
        const places = [...out.keys.subarray(0, out.length)].map(
          (key) => `${reader.fields[key >>> 16]}@${key & 0xffff}`,
        );
        if (places.length > 0) found[reader.terms.text(term)] = places;
      }
    }
    return found;
  }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The index as a query thread would open it. */
export function snapshotOf(index: TestIndex): IndexSnapshot {
  const bytes = encodeManifest(index.manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const cache = new SnapshotCache(() => index.directory, 1 << 20);
  return cache.get(`1:${index.manifest.generation}`, shared, index.location);
}

/** `_vectors.e` of a document as responses show it; undefined when there is no such document. */
export function shownVectors(index: TestIndex, id: string): unknown {
  const snapshot = snapshotOf(index);
  const place = findDocument(snapshot, id);
  if (place === null) return undefined;
  const json = place.segment.readDocument(place.docId);
  return (JSON.parse(documentVectors(snapshot, place, json, 'all')) as Record<string, unknown>)[
    'e'
  ];
}
