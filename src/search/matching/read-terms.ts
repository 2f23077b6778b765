/**
 * Reads the occurrences of terms in some documents from posting lists, and tells whether a scan of the
 * documents' words reads less.
 */
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { NodeTerms, TermsOfClass } from './node-terms.ts';
import type { RecordList } from './occurrence-records.ts';

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
 * Documents are looked up one by one if they are at most `LISTED_MAX`, or at most one of
 * `LISTED_SHARE` of all documents.
 */
const LISTED_MAX = 256;
const LISTED_SHARE = 256;

/** In bytes of the forward index. */
interface ListCosts {
  /** Of a byte of a posting list. */
  readonly byte: number;
  /** Of looking up the documents in one more posting list. */
  readonly list: number;
}

/** Of records that are grouped by document and compared afterwards. */
export const RECORD_LISTS: ListCosts = { byte: 4, list: 128 };
/** Of pairs that a kernel compares as it reads. */
export const PAIR_LISTS: ListCosts = { byte: 1, list: 200 };
/**
 * A scan of this number of documents or more counts a byte of words as .15: records of posting
 * lists are grouped by document and compared afterwards, which a scan does as it reads.
 */
const SCANNED_MANY = 512;
const SCANNED_BYTE_COST = 0.15;
/** Documents per block of a posting list; blocks are read as a whole. */
const BLOCK_SIZE = 128;

/** The documents as a list if they are looked up one by one, else null. */
export function listedIfFew(docs: DocSet): Uint32Array | null {
  const most = Math.max(LISTED_MAX, (docs.bitsetLength * 32) / LISTED_SHARE);
  return docs.count <= most ? docs.toList() : null;
}

/** Appends the records of living documents. */
export function readTerms(
  { segments, dead, everywhere }: IndexSnapshot,
  { terms, records }: WantedRecords,
  { docs, candidates }: WithinDocuments,
): void {
  const listed = listedIfFew(docs);
  const { occurrences } = SCRATCH;
  segments.forEach((segment, s) => {
    const { fieldMap } = everywhere[s]!;
    for (const { lo, hi, recordClass } of terms[s]!) {
      occurrences.length = 0;
      if (hi - lo === 1)
        segment.postings.readOccurrences(lo, candidates, fieldMap, occurrences, listed);
      else segment.postings.readRangeOccurrences(lo, hi, candidates, fieldMap, occurrences, listed);
      dropDead(occurrences, dead[s]!);
      records.append(occurrences, recordClass);
    }
  });
}

/** Removes the occurrences in deleted documents. @param dead null = none */
export function dropDead(occurrences: OccurrenceBuffer, dead: Uint32Array | null): void {
  if (dead === null) return;
  const { docs, keys, length } = occurrences;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    if (hasBit(dead, docs[i]!)) continue;
    docs[kept] = docs[i]!;
    keys[kept++] = keys[i]!;
  }
  occurrences.length = kept;
}

/**
 * Bytes of the documents' words in the forward index. An average of all documents is misleading,
 * because matches of a query are long.
 */
function wordBytes({ forward, ranks }: SegmentReader, docs: Uint32Array): number {
  if (forward === null) return Number.POSITIVE_INFINITY;
  const [from, end] = ranks.spanIn(docs);
  let bytes = 0;
  for (let i = from; i < end; i++) {
    const rank = ranks.rankOf(docs[i]!);
    if (rank >= 0) bytes += forward.bytesOf(rank, rank + 1);
  }
  return bytes;
}

/**
 * Whether reading the posting lists of all the terms costs less than a scan of the documents' words.
 * @param wanted terms of the segment
 * @param docs which the segment need not have
 */
export function listsAreLess(
  segment: SegmentReader,
  wanted: readonly (readonly TermsOfClass[])[],
  docs: Uint32Array,
  costs: ListCosts,
): boolean {
  const words = wordBytes(segment, docs);
  const isCheap = costs === RECORD_LISTS && docs.length >= SCANNED_MANY;
  return listCost(segment, wanted, docs, costs) <= (isCheap ? words * SCANNED_BYTE_COST : words);
}

function listCost(
  segment: SegmentReader,
  wanted: readonly (readonly TermsOfClass[])[],
  docs: Uint32Array,
  costs: ListCosts,
): number {
  const [from, end] = segment.ranks.spanIn(docs);
  const blocks = (end - from) * BLOCK_SIZE;
  let sum = 0;
  for (const terms of wanted) {
    for (const { lo, hi } of terms) {
      const share = hi - lo === 1 ? blocks / segment.postings.documentFrequency(lo) : 1;
      sum += segment.postingBytes(lo, hi) * costs.byte * Math.min(1, share);
      sum += (hi - lo) * costs.list;
    }
  }
  return sum;
}
