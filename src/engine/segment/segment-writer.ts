/**
 * Lays out a segment's file from its components; builder and merger end here.
 * segment-format.ts describes the frame, the header of each component's writer its sections.
 * Sections that belong to no component:
 *
 *   meta             u32 documents, u32 terms, u32 fields, u32 first DocId, u32 last DocId, u32 stored bytes low, u32 high, u32 zero
 *   fields           JSON: array of field paths; the index is the field's number
 *   docIds           u32 × n ascending DocIds; empty when they are consecutive
 *   postingOffsets   u32 × (terms + 1): where each term's list starts in `postings`, and the end of the last
 */

import { assert } from '../../core/assert.ts';
import { NumberList } from '../bytes/number-list.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';
import type { SortedTerms } from '../dictionary/sorted-terms.ts';
import type { TermDictionarySections } from '../dictionary/term-dictionary-writer.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { DocumentIdsWriter } from './document-ids.ts';
import { DocumentShapesWriter } from './document-shapes.ts';
import { ForwardIndexWriter, type ForwardSections } from './forward-index.ts';
import {
  FrequentPairsWriter,
  PAIR_LIMITS,
  type PairLimits,
  type PairSections,
  type TermCounts,
} from './frequent-pairs.ts';
import { type JoinedSections, JoinedWordsWriter } from './joined-words.ts';
import {
  DIGEST_LIMITS,
  type DigestLimits,
  type DigestSections,
  type TermRange,
  writeRangeDigests,
} from './range-digests-writer.ts';
import { frameSections, Section, type SectionData } from './segment-format.ts';
import { type StoredDocumentSections, StoredDocumentsWriter } from './stored-documents.ts';
import { WordCountsWriter } from './word-counts.ts';

/** Numbers of `meta` that hold the stored bytes. */
const META_STORED_LOW = 5;
const META_STORED_HIGH = 6;

/** Sections of a segment in addition to words and documents. */
export interface SegmentLimits extends DigestLimits, PairLimits {}

export const SEGMENT_LIMITS: SegmentLimits = { ...DIGEST_LIMITS, ...PAIR_LIMITS };

type Sections = Readonly<Partial<Record<keyof typeof Section, SectionData>>>;

/** A segment except its stored documents: plain data, so another thread can write the documents. */
export interface SegmentBody {
  readonly meta: Uint32Array;
  readonly sections: Sections;
}

/** All parts of a segment except its terms and postings; shared by builder and merger. */
export class SegmentParts {
  readonly stored = new StoredDocumentsWriter();
  readonly ids = new DocumentIdsWriter();
  readonly shapes = new DocumentShapesWriter();
  readonly wordCounts = new WordCountsWriter();
  readonly limits: SegmentLimits;
  readonly #docIds = new NumberList();

  constructor(limits: SegmentLimits) {
    this.limits = limits;
  }

  get documentCount(): number {
    return this.#docIds.length;
  }

  /** DocId of the document with this rank. */
  docId(rank: number): number {
    return this.#docIds.items[rank]!;
  }

  get memoryBytes(): number {
    const parts = [this.stored, this.ids, this.shapes, this.wordCounts];
    return parts.reduce((sum, part) => sum + part.memoryBytes, this.#docIds.items.byteLength);
  }

  /** DocIds must ascend. */
  addDocId(docId: number): void {
    const { length } = this.#docIds;
    assert(
      length === 0 || docId > this.docId(length - 1),
      'documents come in ascending DocId order',
    );
    this.#docIds.push(docId);
  }

  /** The whole file. */
  finish(fields: readonly string[], terms: TermSections): Uint8Array[] {
    const stored = this.stored.finish();
    const storedBytes = byteLengthOf(storedSections(stored));
    return frameSegment(this.finishBody(fields, terms, storedBytes), stored);
  }

  /** @param storedBytes size of the documents' own sections, if it is known */
  finishBody(fields: readonly string[], terms: TermSections, storedBytes = 0): SegmentBody {
    const docIds = this.#docIds.view();
    const count = docIds.length;
    const first = docIds[0] ?? 0;
    const last = docIds[count - 1] ?? 0;
    const isDense = count === 0 || last - first === count - 1;
    const { postings, postingOffsets, fieldMasks, text } = terms;
    const { chunks, ...dictionary } = terms.dictionary;
    const sections: Sections = {
      fields: encodeUtf8(JSON.stringify(fields)),
      docIds: isDense ? new Uint32Array(0) : docIds,
      ...this.shapes.finish(),
      ...this.ids.finish(),
      ...this.wordCounts.finish(),
      ...dictionary,
      ...{ postings, postingOffsets, fieldMasks },
    };
    const bytes = storedBytes + byteLengthOf(sections);
    const digests = this.#digests(terms, fields.length, bytes / this.limits.bytesRatio);
    return {
      meta: Uint32Array.of(count, terms.termCount, fields.length, first, last, 0, 0, 0),
      sections: { ...sections, ...text, ...chunks, ...digests },
    };
  }

  #digests(
    { frequent, postings, postingOffsets, fieldMasks }: TermSections,
    fieldCount: number,
    bytesMax: number,
  ): DigestSections | null {
    const count = this.documentCount;
    if (count < this.limits.documentsMin || frequent.length === 0) return null;
    const lists = new PostingLists(
      'a new segment',
      { postings, offsets: postingOffsets, fieldMasks },
      count,
      fieldCount,
    );
    const source = {
      postings: lists,
      fieldCount,
      first: this.docId(0),
      last: this.docId(count - 1),
    };
    return writeRangeDigests(frequent, source, bytesMax);
  }
}

const storedSections = ({ storedBytes: _, skips, ...own }: StoredDocumentSections): Sections => ({
  ...own,
  ...skips,
});

const byteLengthOf = (sections: Sections): number =>
  Object.values(sections).reduce((sum, { byteLength }) => sum + byteLength, 0);

/** The file of a segment. */
export function frameSegment(body: SegmentBody, stored: StoredDocumentSections): Uint8Array[] {
  const meta = body.meta.slice();
  meta[META_STORED_LOW] = stored.storedBytes;
  meta[META_STORED_HIGH] = Math.floor(stored.storedBytes / 2 ** 32);
  const sections: Sections = { meta, ...body.sections, ...storedSections(stored) };
  const numbered = Object.entries(sections).map(
    ([name, data]) => [Section[name as keyof typeof Section], data] as const,
  );
  return frameSections(numbered.sort(([a], [b]) => a - b));
}

/** Sections made from the words of each document in the order of its text. */
export type TextSections = ForwardSections & JoinedSections & PairSections;

/** Writes these sections, document by document. */
export class TextWriter {
  readonly #forward: ForwardIndexWriter;
  readonly #joined: JoinedWordsWriter;
  readonly #pairs: FrequentPairsWriter;

  constructor(terms: SortedTerms, counts: TermCounts, parts: SegmentParts) {
    const { documentCount, limits } = parts;
    this.#forward = new ForwardIndexWriter(counts.occurrences, documentCount);
    const coded = this.#forward.terms;
    this.#joined = new JoinedWordsWriter(terms, coded, counts.occurrences);
    this.#pairs = new FrequentPairsWriter(coded, counts, documentCount, limits);
  }

  /** The next word of the document; its field is one of 65,536. */
  add(ordinal: number, key: number): void {
    const code = this.#forward.add(ordinal, key);
    this.#joined.add(code, key);
    this.#pairs.add(code, key);
  }

  endDocument(): void {
    this.#forward.endDocument();
    this.#joined.endDocument();
    this.#pairs.endDocument();
  }

  finish(parts: SegmentParts): TextSections {
    const docIdOf = (rank: number): number => parts.docId(rank);
    return {
      ...this.#forward.finish(),
      ...this.#joined.finish(docIdOf),
      ...this.#pairs.finish(docIdOf),
    };
  }
}

export interface TermSections {
  readonly termCount: number;
  readonly dictionary: TermDictionarySections;
  readonly postings: Uint8Array;
  readonly postingOffsets: Uint32Array;
  readonly fieldMasks: Uint32Array;
  /** null when the order is unknown: an input of a merge has no forward index. */
  readonly text: TextSections | null;
  /** The most frequent first. */
  readonly frequent: readonly TermRange[];
}

/** Distinct masks, most frequent first. */
export function byFrequency(masks: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const mask of masks) counts.set(mask, (counts.get(mask) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([mask]) => mask);
}
