/**
 * Collects the live documents of terms over all segments: in a list while they are few, then in a
 * bitset.
 */
import type { RangeDigest } from '../../engine/segment/range-digests.ts';
import { hasBit, setBit } from '../../engine/sets/bitset.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../sets/typed-array-pool.ts';
import type { FieldScope, SegmentScope } from '../snapshot/field-scope.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { digestedDocuments } from './digested-documents.ts';

export class TermDocuments {
  readonly #snapshot: IndexSnapshot;
  /** In any order, with duplicates. */
  readonly #list: Uint32Array;
  #length = 0;
  #bits: Uint32Array | null = null;

  /** Uses scratch space: only one instance at a time, until its result is taken. */
  constructor(snapshot: IndexSnapshot) {
    this.#snapshot = snapshot;
    this.#list = SCRATCH.gathered.take(snapshot.bitsetLength);
  }

  /**
   * Adds the documents of the terms `[lo, hi)` of segment `s` that have them in a field of the
   * scope.
   */
  add(s: number, lo: number, hi: number, scope: FieldScope): void {
    const segment = this.#snapshot.segments[s]!;
    const { inside, outside } = scope[s]!;
    const digest = segment.rangeDigest(lo, hi);
    if (digest !== null) {
      this.#addDigest(s, digest, scope[s]!);
      return;
    }
    for (let term = lo; term < hi; term++) {
      const mask = outside === 0 ? inside : segment.postings.fieldMask(term);
      if ((mask & inside) === 0) continue;
      if ((mask & outside) === 0) this.#addTerm(s, term);
      else this.#addWithin(s, term, scope);
    }
  }

  take(): DocSet {
    if (this.#bits) return DocSet.fromBits(this.#bits);
    return DocSet.fromUnordered(this.#list.subarray(0, this.#length), this.#snapshot.bitsetLength);
  }

  #addDigest(s: number, digest: RangeDigest, { inside, outside }: SegmentScope): void {
    const bits = this.#bitsFor(Number.POSITIVE_INFINITY)!;
    if (outside === 0 && this.#snapshot.dead[s] === null) {
      digest.addDocuments(bits);
      return;
    }
    const docs = digestedDocuments(
      this.#snapshot,
      s,
      digest,
      (n) => (digest.fieldPositionClasses[n]!.fields & inside) !== 0,
    );
    docs.addTo(bits);
  }

  #addTerm(s: number, term: number): void {
    const segment = this.#snapshot.segments[s]!;
    const dead = this.#snapshot.dead[s]!;
    const bits = this.#bitsFor(segment.postings.documentFrequency(term));
    if (bits && dead === null) segment.postings.addDocuments(term, bits);
    else {
      const docs = segment.postings.readDocuments(term);
      this.#addLiving(docs, docs.length, dead);
    }
  }

  #addWithin(s: number, term: number, scope: FieldScope): void {
    const { segments, dead, liveBits } = this.#snapshot;
    const { occurrences } = SCRATCH;
    occurrences.length = 0;
    segments[s]!.postings.readOccurrences(term, liveBits, scope[s]!.fieldMap, occurrences);
    this.#bitsFor(occurrences.length);
    this.#addLiving(occurrences.docs, occurrences.length, dead[s]!);
  }

  /** The bitset, if it exists or if the list has no room for `more` documents. */
  #bitsFor(more: number): Uint32Array | null {
    if (this.#bits === null && this.#length + more > this.#list.length) {
      this.#bits = TYPED_ARRAY_POOL.zeros(this.#snapshot.bitsetLength);
      for (let i = 0; i < this.#length; i++) setBit(this.#bits, this.#list[i]!);
    }
    return this.#bits;
  }

  /** Adds the first `count` of `docs`, without adjacent duplicates. */
  #addLiving(docs: Uint32Array, count: number, dead: Uint32Array | null): void {
    const bits = this.#bits;
    const list = this.#list;
    let length = this.#length;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      if (dead !== null && hasBit(dead, doc)) continue;
      if (bits !== null) setBit(bits, doc);
      else if (length === 0 || list[length - 1] !== doc) list[length++] = doc;
    }
    this.#length = length;
  }
}
