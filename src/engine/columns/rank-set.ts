/**
 * A set of a segment's documents by rank, as one part of a column. Empty part: no document.
 * Otherwise u32 words:
 *   kind 1  all documents
 *   kind 2  a bitset follows
 *   kind 3  the ascending ranks follow
 */
import { assert } from '../../core/assert.ts';
import { forEachBit, makeBitset, setBit, wordsFor } from '../sets/bitset.ts';
import type { DocumentRanks } from '../sets/document-ranks.ts';

const KIND_ALL = 1;
const KIND_BITS = 2;
const KIND_RANKS = 3;

/** @param ranks ascending, may repeat */
export function encodeRankSet(ranks: Uint32Array, documentCount: number): Uint32Array {
  if (ranks.length === 0) return new Uint32Array(0);
  const distinct = ranks.filter((rank, i) => i === 0 || rank !== ranks[i - 1]);
  if (distinct.length === documentCount) return Uint32Array.of(KIND_ALL);
  const words = wordsFor(documentCount);
  const encoded = new Uint32Array(1 + Math.min(words, distinct.length));
  if (distinct.length <= words) {
    encoded[0] = KIND_RANKS;
    encoded.set(distinct, 1);
    return encoded;
  }
  const bits = makeBitset(documentCount);
  for (const rank of distinct) setBit(bits, rank);
  encoded[0] = KIND_BITS;
  encoded.set(bits, 1);
  return encoded;
}

/** Ors the DocIds of the set into `bits`. */
export function addRankSet(
  encoded: Uint32Array,
  documents: DocumentRanks,
  bits: Uint32Array,
): void {
  const kind = encoded[0];
  if (kind === undefined) return;
  if (kind === KIND_ALL) {
    for (let rank = 0; rank < documents.count; rank++) setBit(bits, documents.docIdAt(rank));
  } else if (kind === KIND_BITS) {
    forEachBit(encoded.subarray(1), (rank) => setBit(bits, documents.docIdAt(rank)));
  } else {
    for (let i = 1; i < encoded.length; i++) setBit(bits, documents.docIdAt(encoded[i]!));
  }
}

/** Throws a plain error when the set is malformed. */
export function checkRankSet(encoded: Uint32Array, documentCount: number): void {
  const kind = encoded[0];
  if (kind === undefined) return;
  assert(kind >= KIND_ALL && kind <= KIND_RANKS, 'a set of documents is of a known kind');
  if (kind === KIND_BITS)
    assert(encoded.length === 1 + wordsFor(documentCount), 'a set of documents has a bit for each');
  if (kind !== KIND_RANKS) return;
  for (let i = 1; i < encoded.length; i++) {
    assert(
      encoded[i]! < documentCount && (i === 1 || encoded[i]! > encoded[i - 1]!),
      'ranks of documents ascend',
    );
  }
}
