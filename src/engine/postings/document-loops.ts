/**
 * The inner loops of reading documents: from packed blocks, from blocks that are bitmaps, and from
 * runs of varints. `before` is the document before the first one, or −1. Layout:
 * posting-list-format.ts.
 */
import { unpack } from '../bytes/bitpacking.ts';
import type { VarintCursor } from '../bytes/varint.ts';
import { addRange } from '../sets/bitset.ts';
import { BLOCK_SIZE } from './posting-list-format.ts';

/** Sets the bits of a packed block. @param docs space for a block, which is overwritten */
export function orPacked(
  words: Uint32Array,
  at: number,
  width: number,
  before: number,
  docs: Uint32Array,
  bits: Uint32Array,
): void {
  if (width === 0) {
    addRange(bits, before + 1, before + 1 + BLOCK_SIZE);
    return;
  }
  unpack(words, at, BLOCK_SIZE, width, docs);
  let doc = before;
  for (let i = 0; i < BLOCK_SIZE; i++) {
    doc = (doc + docs[i]! + 1) | 0;
    bits[doc >>> 5]! |= 1 << (doc & 31);
  }
}

/**
 * Sets the bits of a bitmap, whose first word is that of `before + 1` and whose last that of
 * `last`.
 */
export function orBitmap(
  words: Uint32Array,
  at: number,
  before: number,
  last: number,
  bits: Uint32Array,
): void {
  const first = (before + 1) >>> 5;
  const end = Math.min((last >>> 5) + 1, bits.length);
  const shift = at - first;
  for (let i = first; i < end; i++) bits[i]! |= words[shift + i]!;
}

/** Sets the bits of a run of `count` documents at the cursor, which moves after the run. */
export function orRun(
  cursor: VarintCursor,
  count: number,
  before: number,
  bits: Uint32Array,
): void {
  const { bytes } = cursor;
  let at = cursor.position;
  let doc = before;
  for (let i = count; i > 0; i--) {
    let gap = bytes[at++]!;
    if (gap >= 0x80) {
      const second = bytes[at++]!;
      if (second < 0x80) gap = (gap & 0x7f) | (second << 7);
      else {
        cursor.position = at - 2;
        gap = cursor.next();
        at = cursor.position;
      }
    }
    doc = (doc + gap + 1) | 0;
    bits[doc >>> 5]! |= 1 << (doc & 31);
  }
  cursor.position = at;
}

/** Lists the documents of a packed block. */
export function listPacked(
  words: Uint32Array,
  at: number,
  width: number,
  before: number,
  docs: Uint32Array,
): void {
  unpack(words, at, BLOCK_SIZE, width, docs);
  let doc = before;
  for (let i = 0; i < BLOCK_SIZE; i++) {
    doc = (doc + docs[i]! + 1) | 0;
    docs[i] = doc;
  }
}

/** Lists the documents of a bitmap, as `orBitmap`. */
export function listBitmap(
  words: Uint32Array,
  at: number,
  before: number,
  last: number,
  docs: Uint32Array,
): void {
  const first = (before + 1) >>> 5;
  const end = last >>> 5;
  let count = 0;
  for (let i = first; i <= end && count < BLOCK_SIZE; i++) {
    let word = words[at + i - first]!;
    for (; word !== 0 && count < BLOCK_SIZE; word &= word - 1)
      docs[count++] = i * 32 + 31 - Math.clz32(word & -word);
  }
}

/**
 * Lists a run of `count` documents at the cursor, which moves after the run; returns the number of
 * documents up to the last candidate.
 */
export function listRun(
  cursor: VarintCursor,
  count: number,
  before: number,
  candidates: Uint32Array,
  docs: Uint32Array,
): number {
  const { bytes } = cursor;
  let at = cursor.position;
  let doc = before;
  let wantedCount = 0;
  for (let i = 0; i < count; i++) {
    let gap = bytes[at++]!;
    if (gap >= 0x80) {
      cursor.position = at - 1;
      gap = cursor.next();
      at = cursor.position;
    }
    doc = (doc + gap + 1) | 0;
    docs[i] = doc;
    if ((candidates[doc >>> 5]! >>> (doc & 31)) & 1) wantedCount = i + 1;
  }
  cursor.position = at;
  return wantedCount;
}

/** Whether one of the documents of a block is in the set. */
export function hasCandidate(docs: Uint32Array, candidates: Uint32Array): boolean {
  for (let i = 0; i < BLOCK_SIZE; i++)
    if ((candidates[docs[i]! >>> 5]! >>> (docs[i]! & 31)) & 1) return true;
  return false;
}
