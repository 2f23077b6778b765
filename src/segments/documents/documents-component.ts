/**
 * The component with the words, ids and stored bytes of documents. Its coverage names the settings
 * that determine the words (text-coverage.ts).
 */

import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { createSegmentBuilder, type SegmentBuilder } from '../../engine/segment/segment-builder.ts';
import { mergeSegments } from '../../engine/segment/segment-merger.ts';
import { openSegment } from '../../engine/segment/segment-reader.ts';
import { frameSegment, type SegmentBody } from '../../engine/segment/segment-writer.ts';
import {
  type StoredDocumentSections,
  StoredDocumentsWriter,
} from '../../engine/segment/stored-documents.ts';
import type { BuildInput, PartBuilder, SegmentComponent } from '../contract/component.ts';
import type { DocumentEntries } from '../contract/document-entries.ts';
import { FieldFlattener } from './field-flattener.ts';
import { StoredForm } from './stored-form.ts';
import { textCoverage } from './text-coverage.ts';

class WordsBuilder implements PartBuilder {
  readonly #builder: SegmentBuilder;
  readonly #flattener: FieldFlattener;

  constructor({ segmentId, analyzer, settings }: BuildInput<string>) {
    this.#builder = createSegmentBuilder(segmentId);
    this.#flattener = new FieldFlattener(analyzer(), settings, this.#builder);
  }

  get memoryBytes(): number {
    return this.#builder.memoryBytes;
  }

  add(docId: number, id: Uint8Array, tape: JsonTape): void {
    this.#builder.beginDocument(docId);
    this.#builder.endDocument(id, this.#flattener.addDocument(tape));
  }

  finish(): SegmentBody {
    return this.#builder.finish();
  }
}

class StoredBuilder implements PartBuilder {
  readonly #stored = new StoredDocumentsWriter();
  readonly #form: StoredForm;

  constructor({ settings }: BuildInput<string>) {
    this.#form = new StoredForm(settings);
  }

  get memoryBytes(): number {
    return this.#stored.memoryBytes;
  }

  add(_docId: number, _id: Uint8Array, tape: JsonTape, entries: DocumentEntries): void {
    this.#stored.add(this.#form.bytesOf(tape, entries));
  }

  finish(): StoredDocumentSections {
    return this.#stored.finish();
  }
}

export const documentsComponent: SegmentComponent<string, SegmentReader> = {
  extension: '.seg',
  describe: () => 'words of the current settings',
  plan: (files, settings) => {
    const covers = textCoverage(settings);
    const kept = files.filter((file) => file.covers === covers);
    return { kept, build: kept.length === 0 ? [covers] : [] };
  },
  check: () => null,
  addedFrom: 'documents',
  parts: [
    { lane: 0, builder: (input) => new WordsBuilder(input) },
    { lane: 1, builder: (input) => new StoredBuilder(input) },
  ],
  frame: ([body, stored]) => frameSegment(body as SegmentBody, stored as StoredDocumentSections),
  merge: ({ segmentId, sources }) => mergeSegments(segmentId, sources),
  open: openSegment,
};
