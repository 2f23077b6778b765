/**
 * The inner loops of reading occurrences, from unpacked blocks and from runs of varints, into an
 * `OccurrenceBuffer`. Loops write occurrences of fields that are not wanted, too, and increase the
 * length only for the others, which avoids a branch that would often be mispredicted.
 * `occurrenceKey` is inlined by hand, since the call would cost a twentieth. Layout:
 * posting-list-format.ts.
 */
import type { VarintCursor } from '../bytes/varint.ts';
import { hasBit } from '../sets/bitset.ts';
import type { OccurrenceBuffer } from './occurrence-key.ts';
import { BLOCK_SIZE } from './posting-list-format.ts';

/**
 * Field codes of the current list: `value & (2 ** bits − 1)` is the code, `map` has its number in
 * `keys`, or −1.
 */
export interface FieldCodes {
  map: Int32Array;
  bits: number;
}

/** For blocks with one occurrence a document: value `i` is that of document `i`. */
export function takeSingles(
  docs: Uint32Array,
  values: Uint32Array,
  codes: FieldCodes,
  candidates: Uint32Array,
  out: OccurrenceBuffer,
): void {
  const codeMap = codes.map;
  const codeBits = codes.bits;
  const codeMask = 2 ** codeBits - 1;
  const outDocs = out.docs;
  const outKeys = out.keys;
  let length = out.length;
  for (let i = 0; i < BLOCK_SIZE; i++) {
    const doc = docs[i]!;
    const value = values[i]!;
    const field = codeMap[value & codeMask]!;
    outDocs[length] = doc;
    outKeys[length] = (field << 16) | (value >>> codeBits);
    length += (candidates[doc >>> 5]! >>> (doc & 31)) & (~field >>> 31);
  }
  out.length = length;
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

/**
 * For blocks with several occurrences in some documents; bit `i` from word `startsAt` on is set
 * where occurrence `i` is the first of its document.
 */
export function takeMarked(
  words: Uint32Array,
  startsAt: number,
  total: number,
  docs: Uint32Array,
  values: Uint32Array,
  codes: FieldCodes,
  candidates: Uint32Array,
  out: OccurrenceBuffer,
): void {
  const codeMap = codes.map;
  const codeBits = codes.bits;
  const codeMask = 2 ** codeBits - 1;
  const outDocs = out.docs;
  const outKeys = out.keys;
  let length = out.length;
  let word = 0;
  let marks = words[startsAt]!;
  let from = 0;
  for (let document = 0; document < BLOCK_SIZE && from < total; document++) {
    // The next mark is where the next document begins.
    marks &= marks - 1;
    while (marks === 0 && ++word * 32 < total) marks = words[startsAt + word]!;
    const end = marks === 0 ? total : word * 32 + lowestBit(marks);
    const doc = docs[document]!;
    if ((candidates[doc >>> 5]! >>> (doc & 31)) & 1) {
      for (let i = from, value = 0; i < end; i++) {
        value = (value + values[i]!) | 0;
        const field = codeMap[value & codeMask]!;
        outDocs[length] = doc;
        outKeys[length] = (field << 16) | (value >>> codeBits);
        length += ~field >>> 31;
      }
    }
    from = end;
  }
  out.length = length;
}

/** For runs with one occurrence a document. */
export function readSingles(
  cursor: VarintCursor,
  docs: Uint32Array,
  count: number,
  codes: FieldCodes,
  candidates: Uint32Array,
  out: OccurrenceBuffer,
): void {
  const { bytes } = cursor;
  const codeMap = codes.map;
  const codeBits = codes.bits;
  const codeMask = 2 ** codeBits - 1;
  const outDocs = out.docs;
  const outKeys = out.keys;
  let at = cursor.position;
  let length = out.length;
  for (let i = 0; i < count; i++) {
    let value = bytes[at++]!;
    if (value >= 0x80) {
      cursor.position = at - 1;
      value = cursor.next();
      at = cursor.position;
    }
    const doc = docs[i]!;
    const field = codeMap[value & codeMask]!;
    outDocs[length] = doc;
    outKeys[length] = (field << 16) | (value >>> codeBits);
    length += (candidates[doc >>> 5]! >>> (doc & 31)) & (~field >>> 31);
  }
  out.length = length;
}

/** For runs whose values say whether another occurrence of the document follows. */
export function readLinked(
  cursor: VarintCursor,
  docs: Uint32Array,
  count: number,
  codes: FieldCodes,
  candidates: Uint32Array,
  out: OccurrenceBuffer,
): void {
  const { bytes } = cursor;
  const codeMap = codes.map;
  const codeBits = codes.bits;
  const codeMask = 2 ** codeBits - 1;
  let outDocs = out.docs;
  let outKeys = out.keys;
  let at = cursor.position;
  let length = out.length;
  let value = 0;
  for (let i = 0; i < count; ) {
    let linked = bytes[at++]!;
    if (linked >= 0x80) {
      cursor.position = at - 1;
      linked = cursor.next();
      at = cursor.position;
    }
    if (length === outDocs.length) {
      out.length = length;
      reserve(out, 1);
      outDocs = out.docs;
      outKeys = out.keys;
    }
    value = (value + (linked >>> 1)) | 0;
    const doc = docs[i]!;
    const field = codeMap[value & codeMask]!;
    outDocs[length] = doc;
    outKeys[length] = (field << 16) | (value >>> codeBits);
    length += (candidates[doc >>> 5]! >>> (doc & 31)) & (~field >>> 31);
    const hasMore = linked & 1;
    value &= -hasMore;
    i += 1 - hasMore;
  }
  out.length = length;
}

/** For runs of wide lists: a count before the values of each document. */
export function readCounted(
  cursor: VarintCursor,
  docs: Uint32Array,
  count: number,
  codes: FieldCodes,
  candidates: Uint32Array,
  out: OccurrenceBuffer,
): void {
  for (let i = 0; i < count; i++) {
    const doc = docs[i]!;
    const wanted = hasBit(candidates, doc);
    let value = 0;
    for (let left = cursor.next(); left > 0 && cursor.position < cursor.bytes.length; left--) {
      value = (value + cursor.next()) >>> 0;
      const field = wanted ? codes.map[value & (2 ** codes.bits - 1)]! : -1;
      if (field < 0) continue;
      if (out.length === out.docs.length) reserve(out, 1);
      out.docs[out.length] = doc;
      out.keys[out.length++] = (field << 16) | (value >>> codes.bits);
    }
  }
}

/** Makes room for `count` more occurrences. */
export function reserve(out: OccurrenceBuffer, count: number): void {
  const needed = out.length + count;
  const { docs, keys } = out;
  if (needed <= docs.length && needed <= keys.length) return;
  const capacity = Math.max(needed, docs.length * 2, 256);
  out.docs = new Uint32Array(capacity);
  out.docs.set(docs);
  out.keys = new Uint32Array(capacity);
  out.keys.set(keys);
}
