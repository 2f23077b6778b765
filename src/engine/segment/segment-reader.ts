/**
 * Reads one immutable segment, for search and indexing. Start here. The documents of a segment are
 * one file: table of contents, then 8-byte aligned sections read without copying (typed-array views of
 * the mapped file). All document numbers are index-wide DocIds; a segment holds any ascending set of
 * them.
 */

import type { ByteBuffer } from '../bytes/byte-buffer.ts';
import type { TokenTable } from '../bytes/token-table.ts';
import { compareBytes } from '../bytes/utf8.ts';
import { ChunkGrams } from '../dictionary/chunk-grams.ts';
import { TermDictionary } from '../dictionary/term-dictionary.ts';
import type { MemberNames } from '../json/member-names.ts';
import { PostingLists } from '../postings/posting-lists.ts';
import { DocumentRanks } from '../sets/document-ranks.ts';
import { DocumentIds } from './document-ids.ts';
import { viewDocumentShapes } from './document-shapes.ts';
import { ForwardIndex } from './forward-index.ts';
import { FrequentPairs } from './frequent-pairs.ts';
import { JoinedWords } from './joined-words.ts';
import type { ListSections } from './numbered-lists.ts';
import type { RangeDigest } from './range-digests.ts';
import { RangeDigests } from './range-digests.ts';
import { Section, type SectionData, SegmentFrame } from './segment-format.ts';
import { StoredDocuments, type StoredDocumentsWriter } from './stored-documents.ts';
import { WordCounts } from './word-counts.ts';

const META_WORDS = 8;

type SectionName = keyof typeof Section;

export class SegmentReader {
  readonly id: string;
  readonly documentCount: number;
  /** Paths of the indexed text fields; a segment-local field number is an index into this. */
  readonly fields: readonly string[];
  readonly terms: TermDictionary;
  /** By ordinal of the term. */
  readonly postings: PostingLists;
  readonly wordCounts: WordCounts;
  /** Sum of the lengths of the stored JSON documents. */
  readonly storedBytes: number;
  /** Dead documents included. */
  readonly ranks: DocumentRanks;
  /**
   * Words by document; null in files of earlier releases and in segments merged from such files.
   */
  readonly forward: ForwardIndex | null;
  /** Documents by neighbouring words that spell a term; null like `forward`, in more files. */
  readonly joined: JoinedWords | null;
  /** null like `forward`, in more files. */
  readonly frequentPairs: FrequentPairs | null;
  readonly #frame: SegmentFrame;
  readonly #postingOffsets: Uint32Array;
  readonly #documentShapes: SectionData;
  /** null in small segments, and in files of releases without digests. */
  readonly #digests: RangeDigests | null;
  readonly #ids: DocumentIds;
  readonly #stored: StoredDocuments;
  /** null until consecutive DocIds are first requested as an array. */
  #docIds: Uint32Array | null;
  #shapes: readonly (readonly string[])[] | null = null;

  /** Reads header, table of contents and the small sections; other sections are read at first use. */
  constructor(id: string, bytes: Uint8Array) {
    const frame = new SegmentFrame(id, bytes);
    this.id = id;
    this.#frame = frame;
    frame.checkedSection(Section.meta);
    const [documentCount, termCount, fieldCount, firstDocId, lastDocId, storedLow, storedHigh] =
      frame.words(Section.meta, META_WORDS);
    this.documentCount = documentCount!;
    this.storedBytes = storedLow! + storedHigh! * 2 ** 32;
    this.fields = frame.json(Section.fields) as string[];
    const isDense = this.documentCount === 0 || lastDocId! - firstDocId! === this.documentCount - 1;
    const docIds = isDense ? null : frame.words(Section.docIds, this.documentCount);
    this.ranks = new DocumentRanks(this.documentCount, firstDocId!, docIds);
    this.#docIds = docIds;
    this.terms = openTerms(frame, termCount!);
    this.#postingOffsets = frame.words(Section.postingOffsets, termCount! + 1);
    this.postings = new PostingLists(
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
      throw frame.damage(Section.documentShapes, 'a shape for each document', 'another number');
    this.#documentShapes = documentShapes;
    this.wordCounts = new WordCounts(
      id,
      listSections(frame, Section.wordCountIndex, Section.wordCountLists),
      frame.has(Section.longCountIndex)
        ? listSections(frame, Section.longCountIndex, Section.longCountLists)
        : null,
      this.documentCount,
    );
    this.forward = openForward(frame, documentCount!);
    const digests = optionalSections(
      frame,
      ['digestRanges', 'digestClasses', 'digestOffsets'],
      ['digestLists'],
    );
    this.#digests = digests && new RangeDigests(id, digests, documentCount!);
    const joined = optionalSections(frame, ['joinedIndex', 'joinedWords'], ['joinedDocuments']);
    this.joined = joined && new JoinedWords(id, joined, documentCount!);
    const pairs = optionalSections(frame, ['pairIndex', 'pairWords'], ['pairDocuments']);
    this.frequentPairs = pairs && new FrequentPairs(id, pairs, documentCount!);
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

  /**
   * Ascending DocIds, dead ones included; if they are consecutive, the array is created at first
   * use.
   */
  get docIds(): Uint32Array {
    if (this.#docIds === null) {
      this.#docIds = new Uint32Array(this.documentCount);
      for (let rank = 0; rank < this.documentCount; rank++)
        this.#docIds[rank] = this.ranks.docIdAt(rank);
    }
    return this.#docIds;
  }

  /** Distinct sets of top-level field names. */
  get shapes(): readonly (readonly string[])[] {
    this.#shapes ??= this.#frame.json(Section.shapes) as string[][];
    return this.#shapes;
  }

  /** Bytes of the posting lists of the terms `[lo, hi)`. */
  postingBytes(lo: number, hi: number): number {
    return this.#postingOffsets[hi]! - this.#postingOffsets[lo]!;
  }

  /** Digest of the terms `[lo, hi)`; null if there is none, the common case. */
  rangeDigest(lo: number, hi: number): RangeDigest | null {
    return this.#digests?.of(lo, hi) ?? null;
  }

  /**
   * DocId of the document with this id, dead or alive, or −1. `id` is the id's text (`1` and `"1"`
   * are both `1`).
   */
  findDocument(id: Uint8Array): number {
    const rank = this.#ids.find(id);
    return rank < 0 ? -1 : this.ranks.docIdAt(rank);
  }

  /** The id's text. */
  documentId(docId: number): Uint8Array {
    return this.#ids.text(this.#rankOf(docId));
  }

  /**
   * Stored JSON of a document as a view of scratch space that the next call overwrites; `docId`
   * must be in the segment.
   */
  readDocument(docId: number): Uint8Array {
    return this.#stored.read(this.#rankOf(docId));
  }

  /**
   * Appends the stored JSON of a document with only the named members; `docId` must be in the
   * segment.
   */
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

  /** Number of the set of top-level field names of the document: an index into `shapes`. */
  shapeOf(docId: number): number {
    return this.#documentShapes[this.#rankOf(docId)]!;
  }

  /**
   * Compares every byte with its checksum; throws `CorruptionError`. Opening verifies only the
   * header and the table of contents.
   */
  verifyChecksums(): void {
    this.#frame.verifyChecksums();
  }

  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void {
    this.verifyChecksums();
    this.#verifyDocuments();
    this.#verifyTerms();
    this.wordCounts.verify(this.ranks.end);
    this.#digests?.verify(this.terms.termCount, this.fields.length, this.ranks.end);
    this.forward?.verify(this.terms.termCount, this.fields.length, this.documentCount);
    this.joined?.verifyPairs(this.terms, this.ranks.end);
    this.frequentPairs?.verifyPairs(this.terms.termCount, this.ranks.end);
  }

  #verifyDocuments(): void {
    const { docIds, shapes } = this;
    for (let rank = 0; rank < docIds.length; rank++) {
      const docId = docIds[rank]!;
      if (rank > 0 && docId <= docIds[rank - 1]!)
        throw this.#frame.damage(Section.docIds, 'ascending DocIds', String(docId));
      if (this.#ids.find(this.#ids.text(rank)) !== rank)
        throw this.#frame.damage(Section.idTable, `document ${docId} by its id`, 'another');
      if (this.#documentShapes[rank]! >= shapes.length)
        throw this.#frame.damage(Section.documentShapes, 'a known shape', String(docId));
    }
    let storedBytes = 0;
    for (let rank = 0; rank < docIds.length; rank++) {
      storedBytes += this.#stored.read(rank).length;
      if (!this.#stored.hasValidSkips(rank))
        throw this.#frame.damage(
          Section.storedSkips,
          'starts of members',
          `document ${docIds[rank]}`,
        );
    }
    if (storedBytes !== this.storedBytes) {
      throw this.#frame.damage(
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
        throw this.#frame.damage(Section.termText, 'ascending terms', `term ${term}`);
      if (this.terms.find(bytes) !== term)
        throw this.#frame.damage(Section.termGroups, `term ${term} by its bytes`, 'another');
      if (offsets[term + 1]! <= offsets[term]!)
        throw this.#frame.damage(Section.postingOffsets, 'ascending offsets', `term ${term}`);
      this.postings.verifyList(term, limit);
      before = bytes as Uint8Array<ArrayBuffer>;
    }
    this.terms.verifyChunks();
  }

  #rankOf(docId: number): number {
    const rank = this.ranks.rankOf(docId);
    if (rank < 0) throw new RangeError(`document ${docId} is not in segment ${this.id}`);
    return rank;
  }
}

const listSections = (frame: SegmentFrame, index: Section, documents: Section): ListSections => ({
  index: frame.words(index),
  documents: frame.section(documents),
});

function openForward(frame: SegmentFrame, documentCount: number): ForwardIndex | null {
  if (!frame.has(Section.forwardCodes)) return null;
  const sections = {
    forwardTerms: frame.words(Section.forwardTerms),
    forwardOffsets: frame.words(Section.forwardOffsets),
    forwardCodes: frame.halfWords(Section.forwardCodes),
  };
  return new ForwardIndex(frame.file, sections, documentCount);
}

/** Sections that some files lack, by name; null if the file has no section of the first name. */
function optionalSections<Words extends SectionName, Bytes extends SectionName>(
  frame: SegmentFrame,
  words: readonly [Words, ...Words[]],
  bytes: readonly Bytes[],
): (Record<Words, Uint32Array> & Record<Bytes, Uint8Array>) | null {
  if (!frame.has(Section[words[0]])) return null;
  return Object.fromEntries([
    ...words.map((name) => [name, frame.words(Section[name])]),
    ...bytes.map((name) => [name, frame.section(Section[name])]),
  ]) as Record<Words, Uint32Array> & Record<Bytes, Uint8Array>;
}

function openTerms(frame: SegmentFrame, termCount: number): TermDictionary {
  const trieInner = frame.words(Section.trieInner);
  const nodeCount = trieInner[Math.floor((trieInner.length - 1) / 3)] ?? 0;
  const labelBytes = frame.section(Section.trieLabels);
  const isWide = labelBytes.length === nodeCount * 4;
  if (trieInner.length % 3 !== 1 || (!isWide && labelBytes.length !== nodeCount * 2)) {
    throw frame.damage(Section.trieLabels, `${nodeCount} labels`, `${labelBytes.length} bytes`);
  }
  const { buffer, byteOffset } = labelBytes;
  const trieLabels = isWide
    ? new Uint32Array(buffer, byteOffset, nodeCount)
    : new Uint16Array(buffer, byteOffset, nodeCount);
  const chunks = optionalSections(frame, ['chunkGrams'], ['chunkGramLists']);
  const termGroups = frame.words(Section.termGroups, ((termCount + 15) >>> 4) * 2 + 1);
  return new TermDictionary(
    {
      termText: frame.section(Section.termText),
      termGroups,
      trieLabels,
      trieInner,
      triePoints: frame.words(Section.triePoints),
    },
    termCount,
    chunks && new ChunkGrams(frame.file, chunks, termCount),
  );
}
