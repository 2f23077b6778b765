/**
 * The component with the words, ids and stored bytes of documents. Its coverage names the settings
 * that determine the words (text-coverage.ts).
 */

import { SegmentBuilder } from '../../engine/segment/segment-builder.ts';
import { mergeSegments } from '../../engine/segment/segment-merger.ts';
import { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { frameSegment, type SegmentBody } from '../../engine/segment/segment-writer.ts';
import {
  type StoredDocumentSections,
  StoredDocumentsWriter,
} from '../../engine/segment/stored-documents.ts';
import type { BuildInput, PartBuilder, SegmentComponent } from '../contract/component.ts';
import { FieldFlattener } from './field-flattener.ts';
import { StoredForm } from './stored-form.ts';
import { textCoverage } from './text-coverage.ts';

function wordsBuilder({ segmentId, analyzer, settings }: BuildInput<string>): PartBuilder {
  const builder = new SegmentBuilder(segmentId);
  const flattener = new FieldFlattener(analyzer(), settings, builder);
  return {
    get memoryBytes() {
      return builder.memoryBytes;
    },
    add(docId, id, tape) {
      builder.beginDocument(docId);
      builder.endDocument(id, flattener.addDocument(tape));
    },
    finish: () => builder.finish(),
  };
}

function storedBuilder({ settings }: BuildInput<string>): PartBuilder {
  const stored = new StoredDocumentsWriter();
  const form = new StoredForm(settings);
  return {
    get memoryBytes() {
      return stored.memoryBytes;
    },
    add: (_docId, _id, tape, entries) => stored.add(form.bytesOf(tape, entries)),
    finish: () => stored.finish(),
  };
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
    { lane: 0, builder: wordsBuilder },
    { lane: 1, builder: storedBuilder },
  ],
  frame: ([body, stored]) => frameSegment(body as SegmentBody, stored as StoredDocumentSections),
  merge: ({ segmentId, sources }) => mergeSegments(segmentId, sources),
  open: (id, bytes) => new SegmentReader(id, bytes),
};
