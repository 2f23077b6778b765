/** The file of a segment of given documents, through the real builders. */
import { SegmentBuilder } from '../../src/engine/segment/segment-builder.ts';
import {
  frameSegment,
  SEGMENT_LIMITS,
  type SegmentLimits,
} from '../../src/engine/segment/segment-writer.ts';
import { StoredDocumentsWriter } from '../../src/engine/segment/stored-documents.ts';

/** A digest of every range of terms, and lists of every pair of them. */
export const DIGEST_ALL: SegmentLimits = {
  documentsMin: 1,
  occurrencesMin: 1,
  bytesRatio: 2 ** -20,
  pairSegmentWordsMin: 0,
  pairWordsMin: 0,
  pairShare: Number.POSITIVE_INFINITY,
};

/** Takes words and documents as a segment's builder does, and the documents' bytes too. */
export class SegmentFileBuilder {
  readonly #builder: SegmentBuilder;
  readonly #stored = new StoredDocumentsWriter();

  constructor(id: string, digests = SEGMENT_LIMITS) {
    this.#builder = new SegmentBuilder(id, digests);
  }

  get documentCount(): number {
    return this.#builder.documentCount;
  }

  get memoryBytes(): number {
    return this.#builder.memoryBytes + this.#stored.memoryBytes;
  }

  fieldNumber(path: string): number {
    return this.#builder.fieldNumber(path);
  }

  beginDocument(docId: number): void {
    this.#builder.beginDocument(docId);
  }

  word(...word: Parameters<SegmentBuilder['word']>): void {
    this.#builder.word(...word);
  }

  chunk(...chunk: Parameters<SegmentBuilder['chunk']>): void {
    this.#builder.chunk(...chunk);
  }

  endDocument(id: Uint8Array, json: Uint8Array, topLevelFields: readonly string[]): void {
    this.#builder.endDocument(id, topLevelFields);
    this.#stored.add(json);
  }

  /** The file's bytes in order. */
  finish(): Uint8Array[] {
    return frameSegment(this.#builder.finish(), this.#stored.finish());
  }
}
