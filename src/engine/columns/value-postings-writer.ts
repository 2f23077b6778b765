/**
 * Writes the map of a column's documents to values and the reverse map. Documents go by rank,
 * values by ordinal.
 *
 *   rows       ranks of the documents that have values; empty when every document has a row
 *   starts     u32 × (rows + 1): where the ordinals of each row start; empty when no document has several values
 *   ordinals   of row after row, ascending in a row. One for each document when neither rows nor starts are there: ordinal + 1, 0 = none
 *   offsets    u32 × (values + 1): where the documents of each value start in `ranks`; empty when every value has exactly one
 *   ranks      of value after value, ascending in a value
 */
import { type NumberArray, numberArray, type Part, type PartData } from './column-parts.ts';

/**
 * Rows are listed if fewer than one in this number of documents have values; one number for single
 * values, one for several.
 */
const LISTED_SINGLE = 4;
const LISTED_MULTIPLE = 2;

/** Indexes of the five arrays among the parts of a column. */
export interface PostingParts {
  readonly rows: Part;
  readonly starts: Part;
  readonly ordinals: Part;
  readonly offsets: Part;
  readonly ranks: Part;
}

/**
 * Whether rows are listed or every document has a row, and whether a row holds one or several
 * ordinals.
 */
export const RowLayout = { single: 0, listedSingle: 1, multiple: 2, listedMultiple: 3 } as const;
export type RowLayout = (typeof RowLayout)[keyof typeof RowLayout];

/**
 * Entry `i`: the document of rank `ranks[i]` has the value `ordinals[i]`. Sorted by rank, then
 * ordinal, without duplicates.
 */
export interface ValueEntries {
  readonly ranks: Uint32Array;
  readonly ordinals: Uint32Array;
}

/**
 * Puts the non-empty arrays into `out`.
 * @param valueCount ordinals are below this
 * @param documentCount ranks are below this
 */
export function writeValuePostings(
  { ranks, ordinals }: ValueEntries,
  valueCount: number,
  documentCount: number,
  places: PostingParts,
  out: Map<Part, PartData>,
): RowLayout {
  const rows = distinctSorted(ranks);
  const isMultiple = rows.length < ranks.length;
  const isListed = rows.length < documentCount / (isMultiple ? LISTED_MULTIPLE : LISTED_SINGLE);
  if (isListed) out.set(places.rows, narrowed(rows, documentCount));
  if (isMultiple) out.set(places.starts, rowStarts(ranks, isListed ? rows : null, documentCount));
  out.set(
    places.ordinals,
    rowOrdinals(ranks, ordinals, valueCount, isListed || isMultiple ? null : documentCount),
  );
  writePostings(ranks, ordinals, valueCount, documentCount, places, out);
  if (isMultiple) return isListed ? RowLayout.listedMultiple : RowLayout.multiple;
  return isListed ? RowLayout.listedSingle : RowLayout.single;
}

function distinctSorted(ranks: Uint32Array): Uint32Array {
  const rows = new Uint32Array(ranks.length);
  let count = 0;
  for (let i = 0; i < ranks.length; i++)
    if (i === 0 || ranks[i] !== ranks[i - 1]) rows[count++] = ranks[i]!;
  return rows.subarray(0, count);
}

function narrowed(numbers: Uint32Array, max: number): NumberArray {
  const narrow = numberArray(numbers.length, max);
  narrow.set(numbers);
  return narrow;
}

function rowStarts(
  ranks: Uint32Array,
  rows: Uint32Array | null,
  documentCount: number,
): Uint32Array {
  const rowCount = rows?.length ?? documentCount;
  const starts = new Uint32Array(rowCount + 1);
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    const rank = rows === null ? row : rows[row]!;
    while (at < ranks.length && ranks[at]! < rank) at++;
    starts[row] = at;
  }
  starts[rowCount] = ranks.length;
  return starts;
}

/** @param documentCount null = ordinals as they come; else one slot for each document */
function rowOrdinals(
  ranks: Uint32Array,
  ordinals: Uint32Array,
  valueCount: number,
  documentCount: number | null,
): NumberArray {
  if (documentCount === null) return narrowed(ordinals, valueCount);
  const slots = numberArray(documentCount, valueCount);
  for (let i = 0; i < ranks.length; i++) slots[ranks[i]!] = ordinals[i]! + 1;
  return slots;
}

function writePostings(
  ranks: Uint32Array,
  ordinals: Uint32Array,
  valueCount: number,
  documentCount: number,
  places: PostingParts,
  out: Map<Part, PartData>,
): void {
  const offsets = new Uint32Array(valueCount + 1);
  for (let i = 0; i < ordinals.length; i++) offsets[ordinals[i]! + 1]!++;
  for (let value = 0; value < valueCount; value++) offsets[value + 1]! += offsets[value]!;
  const postings = numberArray(ranks.length, documentCount);
  const next = offsets.slice();
  for (let i = 0; i < ranks.length; i++) postings[next[ordinals[i]!]!++] = ranks[i]!;
  if (ranks.length !== valueCount) out.set(places.offsets, offsets);
  out.set(places.ranks, postings);
}
