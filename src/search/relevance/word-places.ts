/** Positions of a word in documents, recorded while they are read. */
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { hasBit } from '../../engine/sets/bitset.ts';

const KEYS = 2 ** 32;
const PLACES_MIN = 256;
/** Memory for more positions is released after use. */
const PLACES_KEPT = 65_536;

/** Positions of a word in documents: ascending by document, then by occurrence key, once sorted. */
export class WordPlaces {
  docs = new Uint32Array(PLACES_MIN);
  keys = new Uint32Array(PLACES_MIN);
  length = 0;
  #isSorted = true;

  clear(): void {
    this.length = 0;
    this.#isSorted = true;
    if (this.docs.length <= PLACES_KEPT) return;
    this.docs = new Uint32Array(PLACES_MIN);
    this.keys = new Uint32Array(PLACES_MIN);
  }

  /** Adds the occurrences of a segment, without occurrences in deleted documents. */
  add(occurrences: OccurrenceBuffer, dead: Uint32Array | null): void {
    const more = occurrences.length;
    this.#reserve(more);
    const { docs, keys } = this;
    let n = this.length;
    let before = n === 0 ? 0 : docs[n - 1]!;
    for (let i = 0; i < more; i++) {
      const doc = occurrences.docs[i]!;
      if (dead !== null && hasBit(dead, doc)) continue;
      if (doc < before || (doc === before && n > 0 && keys[n - 1]! > occurrences.keys[i]!))
        this.#isSorted = false;
      docs[n] = before = doc;
      keys[n++] = occurrences.keys[i]!;
    }
    this.length = n;
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.docs.length) return;
    const { docs, keys } = this;
    this.docs = new Uint32Array(2 * needed);
    this.docs.set(docs);
    this.keys = new Uint32Array(2 * needed);
    this.keys.set(keys);
  }

  sort(): void {
    if (this.#isSorted) return;
    const { docs, keys, length } = this;
    const both = new Float64Array(length);
    for (let i = 0; i < length; i++) both[i] = docs[i]! * KEYS + keys[i]!;
    both.sort();
    for (let i = 0; i < length; i++) {
      docs[i] = Math.floor(both[i]! / KEYS);
      keys[i] = both[i]! - docs[i]! * KEYS;
    }
    this.#isSorted = true;
  }
}
