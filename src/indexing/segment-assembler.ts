/** Collects documents in ascending DocId order into as many new segments as the memory budget asks for, and writes each durably. */
import type { Analyzer } from '../engine/analysis/analyzer.ts';
import { type ColumnsBuilder, createColumnsBuilder } from '../engine/columns/columns-builder.ts';
import type { JsonTape } from '../engine/json/json-tape.ts';
import type { Directory } from '../engine/segment/directory.ts';
import type { SegmentBuilder } from '../engine/segment/segment.ts';
import { createSegmentBuilder } from '../engine/segment/segment-builder.ts';
import {
  type ColumnsEntry,
  columnsFileName,
  fileNamesOf,
  type SegmentEntry,
  segmentFileName,
} from '../model/index-manifest.ts';
import { columnRules } from './column-coverage.ts';
import { FieldFlattener } from './field-flattener.ts';
import type { TextSettings } from './text-rules.ts';

export interface AssemblerOptions {
  readonly directory: Directory;
  readonly analyzer: Analyzer;
  readonly settings: TextSettings;
  /** Patterns of the fields that get columns. */
  readonly columnPatterns: readonly string[];
  /** The segments are named `<prefix>-0`, `<prefix>-1` …; never used before in this index. */
  readonly idPrefix: string;
  /** A segment ends when its documents hold this many bytes of JSON … */
  readonly rawBytesMax: number;
  /** … or its builder this much memory. */
  readonly memoryBytesMax: number;
}

/** Asking the builder for its memory after every document would cost too much. */
const MEMORY_CHECK_DOCUMENTS = 64;

interface OpenSegment {
  readonly id: string;
  readonly builder: SegmentBuilder;
  readonly flattener: FieldFlattener;
  readonly columns: ColumnsBuilder | null;
}

export class SegmentAssembler {
  readonly #options: AssemblerOptions;
  readonly #entries: SegmentEntry[] = [];
  #current: OpenSegment | null = null;
  #rawBytes = 0;

  constructor(options: AssemblerOptions) {
    this.#options = options;
  }

  /** @param tape holds the compact document: its bytes are what is stored */
  add(docId: number, id: Uint8Array, tape: JsonTape): void {
    const { builder, flattener, columns } = this.#open();
    builder.beginDocument(docId);
    const names = flattener.addDocument(tape);
    const json = tape.bytes.subarray(tape.start(0), tape.end(0));
    builder.endDocument(id, json, names);
    columns?.addDocument(docId, tape);
    this.#rawBytes += json.length;
    if (this.#rawBytes >= this.#options.rawBytesMax || this.#isFull(builder, columns)) this.#flush();
  }

  /** Writes what is left; returns all segments written. */
  finish(): SegmentEntry[] {
    this.#flush();
    return this.#entries;
  }

  /** Removes what was written: the documents are given up. */
  discard(): void {
    this.#current = null;
    for (const name of fileNamesOf(this.#entries.splice(0))) this.#options.directory.remove(name);
  }

  #open(): OpenSegment {
    if (this.#current === null) {
      const { columnPatterns, idPrefix } = this.#options;
      const id = `${idPrefix}-${this.#entries.length}`;
      const builder = createSegmentBuilder(id);
      this.#current = {
        id,
        builder,
        flattener: new FieldFlattener(this.#options.analyzer, this.#options.settings, builder),
        columns: columnPatterns.length === 0 ? null : createColumnsBuilder(columnRules(columnPatterns)),
      };
    }
    return this.#current;
  }

  #isFull(builder: SegmentBuilder, columns: ColumnsBuilder | null): boolean {
    if (builder.documentCount % MEMORY_CHECK_DOCUMENTS !== 0) return false;
    return builder.memoryBytes + (columns?.memoryBytes ?? 0) >= this.#options.memoryBytesMax;
  }

  #flush(): void {
    if (this.#current === null) return;
    const { id, builder, columns } = this.#current;
    const { documentCount } = builder;
    const parts = builder.finish();
    const entry = { id, documentCount, deadCount: 0, bytes: byteCount(parts), tombstones: null };
    const files = [{ name: segmentFileName(id), parts }];
    if (columns === null) {
      this.#entries.push(entry);
    } else {
      const columnParts = columns.finish();
      files.push({ name: columnsFileName(id), parts: columnParts });
      const { columnPatterns } = this.#options;
      this.#entries.push({ ...entry, columns: [columnsEntry(id, columnPatterns, columnParts)] });
    }
    this.#options.directory.createMany(files);
    this.#current = null;
    this.#rawBytes = 0;
  }
}

export const byteCount = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

export const columnsEntry = (id: string, patterns: readonly string[], parts: readonly Uint8Array[]): ColumnsEntry => ({
  id,
  patterns,
  bytes: byteCount(parts),
});
