/**
 * A segment in two halves that two threads build side by side from the same documents: its words, and its stored documents with
 * their columns. Each takes about half of the time, and each thread warms up to its own half only.
 */
import type { Analyzer } from '../engine/analysis/analyzer.ts';
import { type ColumnsBuilder, createColumnsBuilder } from '../engine/columns/columns-builder.ts';
import type { JsonTape } from '../engine/json/json-tape.ts';
import { createSegmentBodyBuilder, type SegmentBodyBuilder } from '../engine/segment/segment-builder.ts';
import type { SegmentBody } from '../engine/segment/segment-writer.ts';
import { type StoredDocumentSections, StoredDocumentsWriter } from '../engine/segment/stored-documents.ts';
import { columnRules } from './column-coverage.ts';
import { FieldFlattener } from './field-flattener.ts';
import type { TextSettings } from './text-rules.ts';
import type { DocumentSink } from './write-documents.ts';

const NO_JSON = new Uint8Array(0);

export class WordsHalf implements DocumentSink {
  readonly #builder: SegmentBodyBuilder;
  readonly #flattener: FieldFlattener;

  constructor(id: string, analyzer: Analyzer, settings: TextSettings) {
    this.#builder = createSegmentBodyBuilder(id);
    this.#flattener = new FieldFlattener(analyzer, settings, this.#builder);
  }

  add(docId: number, id: Uint8Array, tape: JsonTape): void {
    this.#builder.beginDocument(docId);
    const names = this.#flattener.addDocument(tape);
    this.#builder.endDocument(id, NO_JSON, names);
  }

  finish(): SegmentBody {
    return this.#builder.finishBody();
  }
}

export class StoredHalf implements DocumentSink {
  readonly #stored = new StoredDocumentsWriter();
  readonly #columns: ColumnsBuilder | null;

  constructor(columnPatterns: readonly string[]) {
    this.#columns = columnPatterns.length === 0 ? null : createColumnsBuilder(columnRules(columnPatterns));
  }

  add(docId: number, _id: Uint8Array, tape: JsonTape): void {
    this.#stored.add(tape.bytes.subarray(tape.start(0), tape.end(0)));
    this.#columns?.addDocument(docId, tape);
  }

  finish(): { readonly stored: StoredDocumentSections; readonly columns: readonly Uint8Array[] | null } {
    return { stored: this.#stored.finish(), columns: this.#columns?.finish() ?? null };
  }
}
