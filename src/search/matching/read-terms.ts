/**
 * Reads the occurrences of terms in some documents: of few documents from their words, else from the
 * posting lists of the terms, whichever has less to read.
 */
import {
  fieldOfOccurrence,
  occurrenceKey,
  positionOfOccurrence,
} from '../../engine/postings/occurrence-key.ts';
import { type FoundWords, WantedTerms } from '../../engine/segment/forward-index.ts';
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { CLASS_COUNT, type RecordList } from './occurrence-records.ts';
import { dropDead } from './term-occurrences.ts';

/** Terms `[lo, hi)` of a segment, whose occurrences get a class. */
export interface TermsOfClass {
  readonly lo: number;
  readonly hi: number;
  readonly recordClass: number;
}

/** What is read for one query node. */
export interface WantedRecords {
  /** By segment. A term is there once. */
  readonly terms: readonly (readonly TermsOfClass[])[];
  readonly records: RecordList;
}

/** A set of documents, and the same as bits. */
export interface WithinDocuments {
  readonly docs: DocSet;
  readonly candidates: Uint32Array;
}

/** So few documents are looked up in lists of words one after the other … */
const LISTED_MAX = 256;
/** … or one in so many of all. */
const LISTED_SHARE = 256;

/** A byte of a posting list takes so much longer than one of the words of a document. */
export const LIST_BYTE_COST = 4;
/** Looking for the documents in the list of one more term takes as long as so many bytes of words. */
const LIST_COST = 128;
/** Of what it takes to read the words of documents, the part that looking for one more node takes. */
const SCAN_SHARE = 8;
/** Documents of a block of a posting list, which is read whole. */
const BLOCK_SIZE = 128;

/** Appends the records of living documents. */
export function readTerms(
  snapshot: IndexSnapshot,
  wanted: readonly WantedRecords[],
  documents: WithinDocuments,
): void {
  const { docs } = documents;
  const few = docs.count <= Math.max(LISTED_MAX, (docs.bitsetLength * 32) / LISTED_SHARE);
  const list = docs.toList();
  const listed = few ? list : null;
  for (let s = 0; s < snapshot.segments.length; s++) {
    const own = wanted
      .map(({ terms, records }) => ({ terms: terms[s]!.filter(({ lo, hi }) => lo < hi), records }))
      .filter(({ terms }) => terms.length > 0);
    if (own.length === 0) continue;
    const rest = readWords(snapshot, s, own, list);
    readLists(snapshot, s, rest, { candidates: documents.candidates, listed });
  }
}

/** What is read of one segment. */
interface WantedOfSegment {
  readonly terms: readonly TermsOfClass[];
  readonly records: RecordList;
}

/** Those whose lists are too long to be read instead of the words of the documents. */
function longLists(
  snapshot: IndexSnapshot,
  s: number,
  wanted: readonly WantedOfSegment[],
  docs: Uint32Array,
): readonly WantedOfSegment[] {
  const segment = snapshot.segments[s]!;
  const share = Math.min(1, segment.documentCount / Math.max(1, snapshot.live.count));
  const own = Math.ceil(docs.length * share);
  const bytes = wanted.map(({ terms }) => listBytes(segment, terms, own));
  const words = wordBytes(segment, docs);
  if (bytes.reduce((sum, each) => sum + each, 0) <= words) return [];
  // The words are read once for all that is in them.
  return wanted.filter((_, i) => bytes[i]! > words / SCAN_SHARE);
}

/** Bytes of the words of these documents; an average misleads: the matches of a query are long. */
function wordBytes({ forward, ranks }: SegmentReader, docs: Uint32Array): number {
  if (forward === null) return Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let i = 0; i < docs.length; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank >= 0) bytes += forward.bytesOf(rank, rank + 1);
  }
  return bytes;
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

/** Reads what is best read from the words of the documents; returns the rest. */
function readWords(
  snapshot: IndexSnapshot,
  s: number,
  all: readonly WantedOfSegment[],
  docs: Uint32Array,
): readonly WantedOfSegment[] {
  const wanted = longLists(snapshot, s, all, docs);
  const { forward, ranks } = snapshot.segments[s]!;
  if (wanted.length === 0 || forward === null) return all;
  WANTED.clear();
  wanted.forEach(({ terms }, i) => {
    for (const { lo, hi, recordClass } of terms)
      WANTED.add(forward, lo, hi, i * CLASS_COUNT + recordClass);
  });
  if (WANTED.isFull) return all;
  const lists = wanted.map(({ records }) => records);
  const { fieldMap } = snapshot.everywhere[s]!;
  const dead = snapshot.dead[s]!;
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i]!;
    const rank = ranks.rankOf(doc);
    if (rank < 0 || (dead !== null && hasBit(dead, doc))) continue;
    FOUND.length = 0;
    forward.scan(rank, WANTED, FOUND);
    dealWords(doc, fieldMap, lists);
  }
  return all.filter((each) => !wanted.includes(each));
}

/** Appends what was found in a document to the lists that it is wanted for. */
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
  /** As a list when they are few. */
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
