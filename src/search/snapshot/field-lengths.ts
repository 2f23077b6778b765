/**
 * Lengths of fields in indexed words, and their averages (relevance.md 3.15). Each length is a code
 * of one byte per document of a segment.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { lengthCode, lengthOfCode } from '../../engine/segment/word-counts.ts';
import { lowerBound } from '../../engine/sets/sorted.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/**
 * Codes of one field of a segment. When many documents have the field, the index is DocId minus the
 * segment's first DocId; otherwise the codes are parallel to a list of DocIds.
 */
export interface LengthCodes {
  readonly first: number;
  /** 0 for a document without the field; null when `docs` lists the documents with the field. */
  readonly dense: Uint8Array | null;
  readonly docs: Uint32Array;
  readonly codes: Uint8Array;
}

/** Number of documents that have a field, and its words in them. */
interface Total {
  documents: number;
  words: number;
}

interface SegmentLengths {
  readonly fields: readonly LengthCodes[];
  readonly totals: readonly Readonly<Total>[];
}

export interface FieldLengths {
  /** Codes of a global field in a segment; null where no document has it. */
  codes(segment: number, field: number): LengthCodes | null;
  /**
   * Average words of a global field in the live documents that have it; 1 when no document has it.
   */
  average(field: number): number;
}

/** Codes are dense if more than 1/16 of a segment's documents have the field, else listed. */
const DENSE_SHARE = 16;

export function codeOf({ first, dense, docs, codes }: LengthCodes, doc: number): number {
  if (dense !== null) return dense[doc - first]!;
  const at = lowerBound(docs, doc);
  return docs[at] === doc ? codes[at]! : 0;
}

const known = new WeakMap<IndexSnapshot, FieldLengths>();
const knownOfSegment = new WeakMap<SegmentReader, SegmentLengths>();

/**
 * Computed at the first call for a snapshot. The lengths of a segment are computed once for its
 * lifetime.
 */
export function fieldLengths(snapshot: IndexSnapshot): FieldLengths {
  return getOrCompute(known, snapshot, () => lengthsOf(snapshot));
}

function lengthsOf({ segments, dead, fields, fieldNumber }: IndexSnapshot): FieldLengths {
  const totals = fields.paths.map((): Total => ({ documents: 0, words: 0 }));
  const bySegment = segments.map((segment, s) => {
    const { fields: own, totals: all } = segmentLengths(segment);
    const gone = dead[s]!;
    const byField = new Array<LengthCodes | null>(fields.paths.length).fill(null);
    segment.fields.forEach((path, local) => {
      const field = fieldNumber.get(path)!;
      byField[field] = own[local]!;
      totals[field]!.documents += all[local]!.documents;
      totals[field]!.words += all[local]!.words;
      if (gone !== null) subtract(totals[field]!, segment, gone, own[local]!);
    });
    return byField;
  });
  const averages = totals.map(({ documents, words }) => (documents === 0 ? 1 : words / documents));
  return {
    codes: (segment, field) => bySegment[segment]![field]!,
    average: (field) => averages[field]!,
  };
}

/** Subtracts deleted documents. */
function subtract(
  total: Total,
  { ranks }: SegmentReader,
  dead: Uint32Array,
  codes: LengthCodes,
): void {
  const end = Math.min(dead.length, (ranks.end + 31) >>> 5);
  for (let i = codes.first >>> 5; i < end; i++) {
    for (let word = dead[i]!; word !== 0; word &= word - 1) {
      const doc = (i << 5) | (31 - Math.clz32(word & -word));
      if (doc < codes.first || doc >= ranks.end) continue;
      const code = codeOf(codes, doc);
      if (code === 0) continue;
      total.documents--;
      total.words -= lengthOfCode(code);
    }
  }
}

function segmentLengths(segment: SegmentReader): SegmentLengths {
  return getOrCompute(knownOfSegment, segment, () => readLengths(segment));
}

/** Two passes: the number of documents with each field, then their lengths. */
function readLengths(segment: SegmentReader): SegmentLengths {
  const totals = segment.fields.map((): Total => ({ documents: 0, words: 0 }));
  segment.wordCounts.forEachLength((field, length, docIds) => {
    totals[field]!.documents += docIds.length;
    totals[field]!.words += docIds.length * length;
  });
  const first = segment.documentCount === 0 ? 0 : segment.ranks.docIdAt(0);
  const span = segment.ranks.end - first;
  const fields = totals.map(({ documents }): LengthCodes => {
    const isDense = documents * DENSE_SHARE >= span;
    return {
      first,
      dense: isDense ? new Uint8Array(span) : null,
      docs: new Uint32Array(isDense ? 0 : documents),
      codes: new Uint8Array(isDense ? 0 : documents),
    };
  });
  const filled = new Uint32Array(fields.length);
  segment.wordCounts.forEachLength((field, length, docIds) => {
    const { dense, docs, codes } = fields[field]!;
    const code = lengthCode(length);
    if (dense !== null) for (let i = 0; i < docIds.length; i++) dense[docIds[i]! - first] = code;
    else {
      const from = filled[field]!;
      docs.set(docIds, from);
      codes.fill(code, from, from + docIds.length);
      filled[field] = from + docIds.length;
    }
  });
  for (const each of fields) if (each.dense === null) sortByDocument(each);
  return { fields, totals };
}

function sortByDocument({ docs, codes }: LengthCodes): void {
  const order = Array.from(docs, (doc, i) => [doc, codes[i]!] as const);
  order.sort(([a], [b]) => a - b);
  order.forEach(([doc, code], i) => {
    docs[i] = doc;
    codes[i] = code;
  });
}
