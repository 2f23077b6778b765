/**
 * Opens the bytes of a segment file and reads from them without copying. Start here for reading.
 */

import { CorruptionError } from '../../core/errors.ts';
import type { TokenTable } from '../bytes/token-table.ts';
import { compareBytes, decodeUtf8 } from '../bytes/utf8.ts';
import { ChunkGrams } from '../dictionary/chunk-grams.ts';
import { MappedTermDictionary } from '../dictionary/term-dictionary.ts';
import type { ByteBuffer } from '../json/byte-buffer.ts';
import type { MemberNames } from '../json/member-names.ts';
import type { TermPair } from '../postings/pair-kernel.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { DocumentRanks } from '../sets/document-ranks.ts';
import { DocumentIds } from './document-ids.ts';
import { parseShapes, viewDocumentShapes } from './document-shapes.ts';
import { ForwardIndex } from './forward-index.ts';
import { MappedFrequentPairs } from './frequent-pairs.ts';
import { JoinedWords } from './joined-words.ts';
import { RangeDigests } from './range-digests.ts';
import type { OccurrenceBuffer, RangeDigest, SegmentReader } from './segment.ts';
import { Section, type SectionData, SegmentFrame } from './segment-format.ts';
import { StoredDocuments, type StoredDocumentsWriter } from './stored-documents.ts';
import { WordCounts } from './word-counts.ts';

const META_WORDS = 8;

/** Reads header, table of contents and the small sections; other sections are read at first use. */
export function openSegment(id: string, bytes: Uint8Array): MappedSegmentReader {
  return new MappedSegmentReader(id, bytes);
}

export class MappedSegmentReader implements SegmentReader {
  readonly id: string;
  readonly documentCount: number;
  readonly fields: readonly string[];
  readonly terms: MappedTermDictionary;
  readonly storedBytes: number;
  readonly ranks: DocumentRanks;
  readonly forward: ForwardIndex | null;
  readonly joined: JoinedWords | null;
  readonly frequentPairs: MappedFrequentPairs | null;
  readonly #frame: SegmentFrame;
  readonly #postingOffsets: Uint32Array;
  readonly #postings: PostingLists;
  readonly #documentShapes: SectionData;
  readonly #wordCounts: WordCounts;
  /** null in small segments, and in files of releases without digests. */
  readonly #digests: RangeDigests | null;
  readonly #ids: DocumentIds;
  readonly #stored: StoredDocuments;
  /** null until consecutive DocIds are first requested as an array. */
  #docIds: Uint32Array | null;
  #shapes: readonly (readonly string[])[] | null = null;

  constructor(id: string, bytes: Uint8Array) {
    const frame = new SegmentFrame(id, bytes);
    this.id = id;
    this.#frame = frame;
    frame.checkedSection(Section.meta);
    const [documentCount, termCount, fieldCount, firstDocId, lastDocId, storedLow, storedHigh] =
      frame.words(Section.meta, META_WORDS);
    this.documentCount = documentCount!;
    this.storedBytes = storedLow! + storedHigh! * 2 ** 32;
    const fieldText = frame.checkedSection(Section.fields);
    this.fields = JSON.parse(decodeUtf8(fieldText, 0, fieldText.length)) as string[];
    const isDense = this.documentCount === 0 || lastDocId! - firstDocId! === this.documentCount - 1;
    const docIds = isDense ? null : frame.words(Section.docIds, this.documentCount);
    this.ranks = new DocumentRanks(this.documentCount, firstDocId!, docIds);
    this.#docIds = docIds;
    this.terms = openTerms(frame, termCount!);
    this.#postingOffsets = frame.words(Section.postingOffsets, termCount! + 1);
    this.#postings = new PostingLists(
      id,
      {
        postings: frame.section(Section.postings),
        offsets: this.#postingOffsets,
        fieldMasks: frame.words(Section.fieldMasks),
      },
      this.documentCount,
      fieldCount!,
    );
    const documentShapes = viewDocumentShapes(
      frame.section(Section.documentShapes),
      this.documentCount,
    );
    if (documentShapes === null)
      throw this.#damage(Section.documentShapes, 'a shape for each document', 'another number');
    this.#documentShapes = documentShapes;
    this.#wordCounts = new WordCounts(
      id,
      {
        wordCountLists: frame.section(Section.wordCountLists),
        wordCountIndex: frame.words(Section.wordCountIndex),
        longCountLists: frame.has(Section.longCountLists)
          ? frame.section(Section.longCountLists)
          : null,
        longCountIndex: frame.has(Section.longCountIndex)
          ? frame.words(Section.longCountIndex)
          : null,
      },
      this.documentCount,
    );
    this.#digests = openDigests(frame, documentCount!);
    this.forward = openForward(frame, documentCount!);
    this.joined = openJoined(frame, documentCount!);
    this.frequentPairs = openPairs(frame, documentCount!);
    this.#ids = new DocumentIds(
      {
        idText: frame.section(Section.idText),
        idOffsets: frame.section(Section.idOffsets),
        idTable: frame.words(Section.idTable),
      },
      this.documentCount,
    );
    this.#stored = new StoredDocuments({
      storedText: frame.section(Section.storedText),
      storedOffsets: frame.words(Section.storedOffsets),
      storedTokens: frame.section(Section.storedTokens),
      skips: frame.has(Section.storedSkips)
        ? {
            storedSkips: frame.section(Section.storedSkips),
            storedSkipOffsets: frame.words(Section.storedSkipOffsets),
          }
        : null,
    });
  }

  get docIds(): Uint32Array {
    if (this.#docIds === null) {
      this.#docIds = new Uint32Array(this.documentCount);
      for (let rank = 0; rank < this.documentCount; rank++)
        this.#docIds[rank] = this.ranks.docIdAt(rank);
    }
    return this.#docIds;
  }

  get shapes(): readonly (readonly string[])[] {
    this.#shapes ??= parseShapes(this.#frame.checkedSection(Section.shapes));
    return this.#shapes;
  }

  documentFrequency(term: number): number {
    return this.#postings.documentFrequency(term);
  }

  postingBytes(lo: number, hi: number): number {
    return this.#postingOffsets[hi]! - this.#postingOffsets[lo]!;
  }

  fieldMask(term: number): number {
    return this.#postings.fieldMask(term);
  }

  documents(term: number): Uint32Array {
    return this.#postings.readDocuments(term);
  }

  addDocuments(term: number, bits: Uint32Array): void {
    this.#postings.addDocuments(term, bits);
  }

  addRangeDocuments(lo: number, hi: number, bits: Uint32Array): void {
    this.#postings.addRangeDocuments(lo, hi, bits);
  }

  rangeDigest(lo: number, hi: number): RangeDigest | null {
    return this.#digests?.of(lo, hi) ?? null;
  }

  hasLiveDocument(term: number, dead: Uint32Array | null): boolean {
    return this.#postings.hasLiveDocument(term, dead);
  }

  readOccurrences(
    term: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed: Uint32Array | null = null,
  ): void {
    this.#postings.readOccurrences(term, candidates, fieldMap, out, listed);
  }

  readRangeOccurrences(
    lo: number,
    hi: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed: Uint32Array | null = null,
  ): void {
    this.#postings.readRangeOccurrences(lo, hi, candidates, fieldMap, out, listed);
  }

  pairCosts(docs: Uint32Array, pairs: readonly TermPair[], out: Int32Array): boolean {
    return this.#postings.pairCosts(docs, pairs, out);
  }

  addDocumentsWithWordCount(field: number, wordCount: number, bits: Uint32Array): void {
    this.#wordCounts.addDocuments(field, wordCount, bits);
  }

  forEachLength(visit: (field: number, length: number, docIds: Uint32Array) => void): void {
    this.#wordCounts.forEachLength(visit);
  }

  findDocument(id: Uint8Array): number {
    const rank = this.#ids.find(id);
    return rank < 0 ? -1 : this.ranks.docIdAt(rank);
  }

  documentId(docId: number): Uint8Array {
    return this.#ids.text(this.#rankOf(docId));
  }

  readDocument(docId: number): Uint8Array {
    return this.#stored.read(this.#rankOf(docId));
  }

  readMembers(docId: number, names: MemberNames, out: ByteBuffer): void {
    const rank = this.#rankOf(docId);
    const count = names.countIn(this.shapes[this.#documentShapes[rank]!]!);
    this.#stored.readMembers(rank, names, count, out);
  }

  /** Token table of the stored documents; null when they are stored uncompressed. */
  get storedTable(): TokenTable | null {
    return this.#stored.table;
  }

  /** Copies a stored document into a segment that is written with the same table. */
  copyStored(docId: number, writer: StoredDocumentsWriter): void {
    writer.addCopy(this.#stored, this.#rankOf(docId));
  }

  shapeOf(docId: number): number {
    return this.#documentShapes[this.#rankOf(docId)]!;
  }

  verifyChecksums(): void {
    this.#frame.verifyChecksums();
  }

  verify(): void {
    this.verifyChecksums();
    this.#verifyDocuments();
    this.#verifyTerms();
    this.#wordCounts.verify(this.ranks.end);
    this.#digests?.verify(this.terms.termCount, this.fields.length, this.ranks.end);
    this.forward?.verify(this.terms.termCount, this.fields.length, this.documentCount);
    this.joined?.verify(this.terms, this.ranks.end);
    this.frequentPairs?.verify(this.terms.termCount, this.ranks.end);
  }

  #verifyDocuments(): void {
    const { docIds, shapes } = this;
    for (let rank = 0; rank < docIds.length; rank++) {
      const docId = docIds[rank]!;
      if (rank > 0 && docId <= docIds[rank - 1]!)
        throw this.#damage(Section.docIds, 'ascending DocIds', String(docId));
      if (this.#ids.find(this.#ids.text(rank)) !== rank)
        throw this.#damage(Section.idTable, `document ${docId} by its id`, 'another');
      if (this.#documentShapes[rank]! >= shapes.length)
        throw this.#damage(Section.documentShapes, 'a known shape', String(docId));
    }
    let storedBytes = 0;
    for (let rank = 0; rank < docIds.length; rank++) {
      storedBytes += this.#stored.read(rank).length;
      if (!this.#stored.hasValidSkips(rank))
        throw this.#damage(Section.storedSkips, 'starts of members', `document ${docIds[rank]}`);
    }
    if (storedBytes !== this.storedBytes) {
      throw this.#damage(
        Section.storedText,
        `${this.storedBytes} bytes of documents`,
        String(storedBytes),
      );
    }
  }

  #verifyTerms(): void {
    const limit = this.ranks.end;
    const offsets = this.#postingOffsets;
    let before = new Uint8Array(0);
    for (let term = 0; term < this.terms.termCount; term++) {
      const bytes = this.terms.bytes(term);
      if (term > 0 && compareBytes(before, bytes) >= 0)
        throw this.#damage(Section.termText, 'ascending terms', `term ${term}`);
      if (this.terms.find(bytes) !== term)
        throw this.#damage(Section.termGroups, `term ${term} by its bytes`, 'another');
      if (offsets[term + 1]! <= offsets[term]!)
        throw this.#damage(Section.postingOffsets, 'ascending offsets', `term ${term}`);
      this.#postings.verifyList(term, limit);
      before = bytes as Uint8Array<ArrayBuffer>;
    }
    this.terms.verifyChunks();
  }

  #damage(section: Section, expected: string, got: string): CorruptionError {
    return new CorruptionError(this.id, this.#frame.offsetOf(section), expected, got);
  }

  #rankOf(docId: number): number {
    const rank = this.ranks.rankOf(docId);
    if (rank < 0) throw new RangeError(`document ${docId} is not in segment ${this.id}`);
    return rank;
  }
}

function openForward(frame: SegmentFrame, documentCount: number): ForwardIndex | null {
  if (!frame.has(Section.forwardCodes)) return null;
  const sections = {
    forwardTerms: frame.words(Section.forwardTerms),
    forwardOffsets: frame.words(Section.forwardOffsets),
    forwardCodes: frame.halfWords(Section.forwardCodes),
  };
  return new ForwardIndex(frame.file, sections, documentCount);
}

function openJoined(frame: SegmentFrame, documentCount: number): JoinedWords | null {
  if (!frame.has(Section.joinedIndex)) return null;
  const sections = {
    joinedWords: frame.words(Section.joinedWords),
    joinedIndex: frame.words(Section.joinedIndex),
    joinedDocuments: frame.section(Section.joinedDocuments),
  };
  return new JoinedWords(frame.file, sections, documentCount);
}

function openDigests(frame: SegmentFrame, documentCount: number): RangeDigests | null {
  if (!frame.has(Section.digestRanges)) return null;
  const sections = {
    digestRanges: frame.words(Section.digestRanges),
    digestClasses: frame.words(Section.digestClasses),
    digestOffsets: frame.words(Section.digestOffsets),
    digestLists: frame.section(Section.digestLists),
  };
  return new RangeDigests(frame.file, sections, documentCount);
}

function openPairs(frame: SegmentFrame, documentCount: number): MappedFrequentPairs | null {
  if (!frame.has(Section.pairIndex)) return null;
  const sections = {
    pairWords: frame.words(Section.pairWords),
    pairIndex: frame.words(Section.pairIndex),
    pairDocuments: frame.section(Section.pairDocuments),
  };
  return new MappedFrequentPairs(frame.file, sections, documentCount);
}

function openChunkGrams(frame: SegmentFrame, termCount: number): ChunkGrams | null {
  if (!frame.has(Section.chunkGrams)) return null;
  const sections = {
    chunkGrams: frame.words(Section.chunkGrams),
    chunkGramLists: frame.section(Section.chunkGramLists),
  };
  return new ChunkGrams(frame.file, sections, termCount);
}

function openTerms(frame: SegmentFrame, termCount: number): MappedTermDictionary {
  const trieInner = frame.words(Section.trieInner);
  const nodeCount = trieInner[Math.floor((trieInner.length - 1) / 3)] ?? 0;
  const labelBytes = frame.section(Section.trieLabels);
  const isWide = labelBytes.length === nodeCount * 4;
  if (trieInner.length % 3 !== 1 || (!isWide && labelBytes.length !== nodeCount * 2)) {
    throw new CorruptionError(
      frame.file,
      frame.offsetOf(Section.trieLabels),
      `${nodeCount} labels`,
      `${labelBytes.length} bytes`,
    );
  }
  const { buffer, byteOffset } = labelBytes;
  const trieLabels = isWide
    ? new Uint32Array(buffer, byteOffset, nodeCount)
    : new Uint16Array(buffer, byteOffset, nodeCount);
  const termGroups = frame.words(Section.termGroups, ((termCount + 15) >>> 4) * 2 + 1);
  return new MappedTermDictionary(
    {
      termText: frame.section(Section.termText),
      termGroups,
      trieLabels,
      trieInner,
      triePoints: frame.words(Section.triePoints),
    },
    termCount,
    openChunkGrams(frame, termCount),
  );
}
