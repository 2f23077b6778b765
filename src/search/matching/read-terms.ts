/**
 * Reads the occurrences of terms in some documents: from the forward index for few documents, else
 * from posting lists, whichever reads fewer bytes.
 */
import { sumOf } from '../../core/sum.ts';
import {
  fieldOfOccurrence,
  occurrenceKey,
  positionOfOccurrence,
} from '../../engine/postings/occurrence-key.ts';
import type { ForwardIndex, FoundWords } from '../../engine/segment/forward-index.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { WantedTerms } from '../../engine/segment/wanted-terms.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { NodeTerms, TermsOfClass } from './node-terms.ts';
import { CLASS_COUNT, type RecordList } from './occurrence-records.ts';
import { dropDead } from './term-occurrences.ts';

/** The records to read for one query node. */
export interface WantedRecords {
  /** By segment; each term at most once. */
  readonly terms: NodeTerms;
  readonly records: RecordList;
}

/** A set of documents, also as bits. */
export interface WithinDocuments {
  readonly docs: DocSet;
  readonly candidates: Uint32Array;
}

/**
 * Documents are looked up one by one in the forward index if they are at most `LISTED_MAX`, or at
 * most one of `LISTED_SHARE` of all documents.
 */
const LISTED_MAX = 256;
const LISTED_SHARE = 256;

/** Cost of a byte of a posting list, in bytes of the forward index. */
export const LIST_BYTE_COST = 4;
/** Cost of looking up the documents in one more posting list, in bytes of the forward index. */
const LIST_COST = 128;
/** Reading one more node from the forward index costs this fraction of reading the words. */
const SCAN_SHARE = 8;
/**
 * A scan of this number of documents or more counts a byte of words as a quarter: records of posting
 * lists are grouped by document and compared afterwards, which a scan does as it reads.
 */
const SCANNED_MANY = 512;
const SCANNED_BYTE_COST = 0.25;
/** Documents whose bytes are added up; with more, every n-th stands for n of them. */
const SAMPLED_MAX = 128;
/** Documents per block of a posting list; blocks are read as a whole. */
const BLOCK_SIZE = 128;

/** The documents as a list if they are looked up one by one, else null. */
export function listedIfFew(docs: DocSet): Uint32Array | null {
  const most = Math.max(LISTED_MAX, (docs.bitsetLength * 32) / LISTED_SHARE);
  return docs.count <= most ? docs.toList() : null;
}

/** Appends the records of living documents. */
export function readTerms(
  snapshot: IndexSnapshot,
  wanted: readonly WantedRecords[],
  documents: WithinDocuments,
): void {
  const { docs } = documents;
  const listed = listedIfFew(docs);
  const list = listed ?? docs.toList();
  for (let s = 0; s < snapshot.segments.length; s++) {
    const own = wanted
      .map(({ terms, records }) => ({ terms: terms[s]!.filter(({ lo, hi }) => lo < hi), records }))
      .filter(({ terms }) => terms.length > 0);
    if (own.length === 0) continue;
    const rest = readWords(snapshot, s, own, list);
    readLists(snapshot, s, rest, { candidates: documents.candidates, listed });
  }
}

/** The records to read of one segment. */
interface WantedOfSegment {
  readonly terms: readonly TermsOfClass[];
  readonly records: RecordList;
}

/** The terms whose posting lists cost more than the words of the documents. */
function longLists(
  snapshot: IndexSnapshot,
  s: number,
  wanted: readonly WantedOfSegment[],
  docs: Uint32Array,
): readonly WantedOfSegment[] {
  const own = wanted.map(({ terms }) => terms);
  const { lists, words } = readingBytes(snapshot, s, own, docs);
  if (sumOf(lists) <= words) return [];
  // The words are read once for all of these nodes.
  return wanted.filter((_, i) => lists[i]! > words / SCAN_SHARE);
}

/** Bytes to read for some documents of a segment, as bytes of the forward index. */
export interface ReadingBytes {
  /** Of the posting lists, for each list of terms. */
  readonly lists: readonly number[];
  readonly words: number;
}

export function readingBytes(
  { segments, live }: IndexSnapshot,
  s: number,
  wanted: readonly (readonly TermsOfClass[])[],
  docs: Uint32Array,
): ReadingBytes {
  const segment = segments[s]!;
  const share = Math.min(1, segment.documentCount / Math.max(1, live.count));
  const own = Math.ceil(docs.length * share);
  return {
    lists: wanted.map((terms) => listBytes(segment, terms, own)),
    words: wordBytes(segment, docs),
  };
}

/**
 * Bytes of the documents' words in the forward index, by a sample of many documents. An average of
 * all documents is misleading, because matches of a query are long.
 */
function wordBytes({ forward, ranks }: SegmentReader, docs: Uint32Array): number {
  if (forward === null) return Number.POSITIVE_INFINITY;
  const [from, end] = ranks.spanIn(docs);
  const step = Math.max(1, Math.floor((end - from) / SAMPLED_MAX));
  let bytes = 0;
  for (let i = from; i < end; i += step) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank >= 0) bytes += forward.bytesOf(rank, rank + 1);
  }
  return bytes * step;
}

/**
 * Whether reading the posting lists of all the terms costs less than a scan of the documents' words.
 * @param wanted by segment
 */
export function listsAreLess(
  snapshot: IndexSnapshot,
  wanted: readonly (readonly (readonly TermsOfClass[])[])[],
  docs: Uint32Array,
): boolean {
  const bytes = wanted.map((terms, s) => readingBytes(snapshot, s, terms, docs));
  const words = sumOf(bytes.map((own) => own.words));
  return sumOf(bytes.map(({ lists }) => sumOf(lists))) <= scanCost(words, docs.length);
}

/** Cost of a scan of documents in bytes of posting lists. @param words bytes of their words */
export const scanCost = (words: number, documentCount: number): number =>
  documentCount < SCANNED_MANY ? words : words * SCANNED_BYTE_COST;

/** The terms as wanted, with use `i * CLASS_COUNT + class`; false when they have too many uses. */
export function wantTerms(
  wanted: WantedTerms,
  forward: ForwardIndex,
  terms: readonly (readonly TermsOfClass[])[],
): boolean {
  wanted.clear();
  terms.forEach((own, i) => {
    for (const { lo, hi, recordClass } of own)
      wanted.add(forward, lo, hi, i * CLASS_COUNT + recordClass);
  });
  return wanted.finish();
}

function listBytes(segment: SegmentReader, terms: readonly TermsOfClass[], count: number): number {
  let bytes = 0;
  for (const { lo, hi } of terms) {
    const own = segment.postingBytes(lo, hi) * LIST_BYTE_COST;
    const isOne = hi - lo === 1;
    const share = isOne ? (count * BLOCK_SIZE) / segment.documentFrequency(lo) : 1;
    bytes += own * Math.min(1, share) + (hi - lo) * LIST_COST;
  }
  return bytes;
}

const WANTED = new WantedTerms();
const FOUND: FoundWords = { keys: new Uint32Array(1024), marks: new Uint8Array(1024), length: 0 };

/** Reads the terms that are cheaper to read from the forward index; returns the other terms. */
function readWords(
  snapshot: IndexSnapshot,
  s: number,
  all: readonly WantedOfSegment[],
  docs: Uint32Array,
): readonly WantedOfSegment[] {
  const wanted = longLists(snapshot, s, all, docs);
  const { forward, ranks } = snapshot.segments[s]!;
  if (wanted.length === 0 || forward === null) return all;
  const isMarked = wantTerms(
    WANTED,
    forward,
    wanted.map(({ terms }) => terms),
  );
  if (!isMarked) return all;
  const lists = wanted.map(({ records }) => records);
  const { fieldMap } = snapshot.everywhere[s]!;
  const dead = snapshot.dead[s]!;
  const [from, end] = ranks.spanIn(docs);
  for (let i = from; i < end; i++) {
    const doc = docs[i]!;
    const rank = ranks.rankOf(doc);
    if (rank < 0 || (dead !== null && hasBit(dead, doc))) continue;
    FOUND.length = 0;
    forward.scan(rank, WANTED, FOUND);
    dealWords(doc, fieldMap, lists);
  }
  return all.filter((each) => !wanted.includes(each));
}

/** Appends the found occurrences of a document to the lists that require them. */
function dealWords(doc: number, fieldMap: Int32Array, lists: readonly RecordList[]): void {
  const { keys, marks, length } = FOUND;
  for (let i = 0; i < length; i++) {
    const local = keys[i]!;
    const field = fieldMap[fieldOfOccurrence(local)]!;
    if (field < 0) continue;
    const key = occurrenceKey(field, positionOfOccurrence(local));
    const uses = WANTED.uses[marks[i]!]!;
    for (let u = 0; u < uses.length; u++)
      lists[Math.floor(uses[u]! / CLASS_COUNT)]!.add(doc, key, uses[u]! % CLASS_COUNT);
  }
}

interface Candidates {
  readonly candidates: Uint32Array;
  /** Set for few documents. */
  readonly listed: Uint32Array | null;
}

function readLists(
  { segments, dead, everywhere }: IndexSnapshot,
  s: number,
  wanted: readonly WantedOfSegment[],
  { candidates, listed }: Candidates,
): void {
  const segment = segments[s]!;
  const { fieldMap } = everywhere[s]!;
  const { occurrences } = SCRATCH;
  for (const { terms, records } of wanted) {
    for (const { lo, hi, recordClass } of terms) {
      occurrences.length = 0;
      if (hi - lo === 1) segment.readOccurrences(lo, candidates, fieldMap, occurrences, listed);
      else segment.readRangeOccurrences(lo, hi, candidates, fieldMap, occurrences, listed);
      if (dead[s] !== null) dropDead(occurrences, dead[s]!);
      records.append(occurrences, recordClass);
    }
  }
}
