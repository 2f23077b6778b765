/**
 * Interface of a reader of one immutable segment, for search and indexing. Start here. The
 * documents of a segment are one file: table of contents, then 8-byte aligned sections read without
 * copying (typed-array views of the mapped file). All document numbers are index-wide DocIds; a
 * segment holds any ascending set of them.
 */
import type { ByteBuffer } from '../json/byte-buffer.ts';
import type { MemberNames } from '../json/member-names.ts';
import type { TermPair } from '../postings/pair-kernel.ts';
import type { DocumentRanks } from '../sets/document-ranks.ts';
import type { ForwardIndex } from './forward-index.ts';

/**
 * Growable struct of arrays: occurrence `i` is in document `docs[i]` at `keys[i]`. Owned and reused
 * by the caller.
 */
export interface OccurrenceBuffer {
  docs: Uint32Array;
  /** An `occurrenceKey` each, with the field number assigned by the `fieldMap` of the read call. */
  keys: Uint32Array;
  length: number;
}

/** Maximum distance of similar terms from a word. */
export interface SimilarTermsRange {
  readonly maxDistance: 1 | 2;
  /** Limit for terms that begin with another letter. */
  readonly maxDistanceOtherFirst: 0 | 1;
  /** Whether the distance of a prefix of the term counts instead of the whole term's. */
  readonly prefix: boolean;
}

/** Sorted terms of a segment (ascending UTF-8 bytes) addressed by ordinal 0 … termCount − 1. */
export interface TermDictionary {
  readonly termCount: number;
  /** Ordinal of the term, or −1. */
  find(utf8: Uint8Array): number;
  /** First ordinal whose term is ≥ `utf8`. */
  lowerBound(utf8: Uint8Array): number;
  /** Ordinals of the terms starting with `prefix` as a half-open range. */
  prefixRange(prefix: Uint8Array): { readonly lo: number; readonly hi: number };
  text(ordinal: number): string;
  bytes(ordinal: number): Uint8Array;
  /**
   * Visits, in byte order, every term within `maxDistance` (1 or 2) of `word` by
   * Damerau–Levenshtein with adjacent transposition, counted in code points; with `prefix` the
   * distance is that to the first prefix of the term that no longer one could be nearer than, or to
   * the whole term if there is none. Terms whose first character differs from that of `word` are
   * visited only when their distance is ≤ `maxDistanceOtherFirst` (0 or 1). Distance 0 is visited
   * too. `visit` returning false stops the scan.
   */
  visitSimilar(
    word: string,
    range: SimilarTermsRange,
    visit: (ordinal: number, distance: number) => boolean,
  ): void;
  /**
   * Visits, in byte order, the chunks that contain `part`, which has at least three bytes; `visit`
   * returning false stops the scan. See dictionary/chunk-terms.ts. @param check called once in some
   * thousand candidates; ends the scan when it throws
   */
  visitChunks(part: Uint8Array, visit: (ordinal: number) => boolean, check: () => void): void;
}

/**
 * A fieldPositionClass: fields and position class common to a group of documents that hold a term of a range.
 */
export interface Placing {
  /** Bit f set: a term is in the segment-local field f. */
  readonly fields: number;
  /** Range of positions, in its field, of the first term. */
  readonly least: number;
  readonly most: number;
}

/** The documents of a range of terms by their fieldPositionClasses, dead ones included. */
export interface RangeDigest {
  readonly fieldPositionClasses: readonly Placing[];
  /** Ors the DocIds of all of these documents into the bitset `bits`. */
  addDocuments(bits: Uint32Array): void;
  /** Number of the documents of class `n`. */
  documentCount(n: number): number;
  /** Ors the DocIds of the documents of class `n` into the bitset `bits`. */
  addClass(n: number, bits: Uint32Array): void;
  /** The ascending DocIds of class `n`, in scratch space that the next call overwrites. */
  readClass(n: number): Uint32Array;
}

/** Lists of documents by two frequent terms that spell a third one. */
export interface JoinedPairs {
  /**
   * Number of two terms, by their ordinals, whose documents are listed if they spell a term; −1 if
   * they are not frequent enough.
   */
  pair(left: number, right: number): number;
  /**
   * Ascending DocIds of the documents that hold a pair side by side, dead ones included, in scratch
   * space that the next call overwrites.
   */
  documents(pair: number): Uint32Array;
  /** Number of these documents. */
  count(pair: number): number;
}

/** Lists of documents by two terms that many documents have in common. */
export interface FrequentPairs {
  /** Number of two terms, by their ordinals; −1 if their documents are not listed. */
  pair(left: number, right: number): number;
  /** Ordinals of the terms that have lists with a term, the most frequent first. */
  partnersOf(term: number): Uint32Array;
  /**
   * Ascending DocIds of the documents in which the least distance from the first term of the pair to
   * the second in a field is `distance`, 1 to 3; dead ones included, in scratch space that the next
   * call overwrites.
   */
  documents(pair: number, distance: number): Uint32Array;
  /** Ors the DocIds of these documents into the bitset `bits`. */
  addDocuments(pair: number, distance: number, bits: Uint32Array): void;
  /** Number of these documents. */
  count(pair: number, distance: number): number;
}

export interface SegmentReader {
  readonly id: string;
  readonly documentCount: number;
  /** Dead documents included. */
  readonly ranks: DocumentRanks;
  /**
   * Ascending DocIds, dead ones included; if they are consecutive, the array is created at first
   * use.
   */
  readonly docIds: Uint32Array;
  /** Paths of the indexed text fields; a segment-local field number is an index into this. */
  readonly fields: readonly string[];
  readonly terms: TermDictionary;
  /**
   * Words by document; null in files of earlier releases and in segments merged from such files.
   */
  readonly forward: ForwardIndex | null;
  /** Documents by neighbouring words that spell a term; null like `forward`, in more files. */
  readonly joined: JoinedPairs | null;
  /** null like `forward`, in more files. */
  readonly frequentPairs: FrequentPairs | null;
  /** Sum of the lengths of the stored JSON documents. */
  readonly storedBytes: number;

  documentFrequency(term: number): number;
  /** Bytes of the posting lists of the terms `[lo, hi)`. */
  postingBytes(lo: number, hi: number): number;
  /**
   * Bit `min(field, 31)` set for each segment-local field in which the term occurs (in dead
   * documents too).
   */
  fieldMask(term: number): number;
  /**
   * The term's ascending DocIds, dead ones included, in scratch space that the next call
   * overwrites.
   */
  documents(term: number): Uint32Array;
  /** Ors the term's DocIds into the bitset `bits` (bit `d & 31` of word `d >>> 5`). */
  addDocuments(term: number, bits: Uint32Array): void;
  /** The same for all terms of `[lo, hi)`: one sequential pass. */
  addRangeDocuments(lo: number, hi: number, bits: Uint32Array): void;
  /** Digest of the terms `[lo, hi)`; null if there is none, the common case. */
  rangeDigest(lo: number, hi: number): RangeDigest | null;
  /**
   * True when the term has a document that is not in `dead` (null = none dead). Stops at the first.
   */
  hasLiveDocument(term: number, dead: Uint32Array | null): boolean;
  /**
   * Appends to `out` every occurrence of the term in documents whose bit is set in `candidates`, by
   * ascending DocId.
   * @param fieldMap local field → number to use in `keys`, or −1 to leave the occurrence out
   * @param listed the candidates, ascending, when there are few: documents between them are skipped
   */
  readOccurrences(
    term: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed?: Uint32Array | null,
  ): void;
  readRangeOccurrences(
    lo: number,
    hi: number,
    candidates: Uint32Array,
    fieldMap: Int32Array,
    out: OccurrenceBuffer,
    listed?: Uint32Array | null,
  ): void;

  /**
   * Writes the sum of the costs of pairs of terms in each document, `PAIR_COSTS` or less each, as posting
   * lists of all fields have them; false when that would take too much memory or time.
   * @param docs of the segment, ascending
   */
  pairCosts(docs: Uint32Array, pairs: readonly TermPair[], out: Int32Array): boolean;
  /** Ors the DocIds of documents whose `field` holds exactly `wordCount` (1 … 30) indexed words. */
  addDocumentsWithWordCount(field: number, wordCount: number, bits: Uint32Array): void;
  /**
   * Calls `visit` for each field and its number of indexed words, exact up to 30 and rounded beyond
   * (`roundedLength`), with the ascending DocIds; they are valid during the call.
   */
  forEachLength(visit: (field: number, length: number, docIds: Uint32Array) => void): void;

  /**
   * DocId of the document with this id, dead or alive, or −1. `id` is the id's text (`1` and `"1"`
   * are both `1`).
   */
  findDocument(id: Uint8Array): number;
  /** The id's text. */
  documentId(docId: number): Uint8Array;
  /**
   * Stored JSON of a document as a view of scratch space that the next call overwrites; `docId`
   * must be in the segment.
   */
  readDocument(docId: number): Uint8Array;
  /**
   * Appends the stored JSON of a document with only the named members; `docId` must be in the
   * segment.
   */
  readMembers(docId: number, names: MemberNames, out: ByteBuffer): void;
  /** Number of the set of top-level field names of the document: an index into `shapes`. */
  shapeOf(docId: number): number;
  /** Distinct sets of top-level field names. */
  readonly shapes: readonly (readonly string[])[];
  /**
   * Compares every byte with its checksum; throws `CorruptionError`. Opening verifies only the
   * header and the table of contents.
   */
  verifyChecksums(): void;
  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void;
}
