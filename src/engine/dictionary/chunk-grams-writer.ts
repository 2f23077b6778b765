/**
 * Writes the trigrams of chunks: for each three successive bytes of a chunk, the chunks that contain
 * them. Dictionaries without chunks lack these sections.
 *
 *   chunkGrams       u32: [k × trigram, ascending][k + 1 × offset of its list in chunkGramLists]
 *                    a trigram is its three bytes as a big-endian number
 *   chunkGramLists   lists without occurrences (posting-list-format.ts). Instead of DocIds they have
 *                    ordinals less the ordinal of the first chunk
 */
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { CHUNK_LEAD, GRAM_BYTES } from './chunk-terms.ts';
import type { SortedTerms } from './sorted-terms.ts';

export interface ChunkGramSections {
  readonly chunkGrams: Uint32Array;
  readonly chunkGramLists: Uint8Array;
}

/** Ordinal of the first chunk of the terms, or their number. */
export function firstChunkOf({ bytes, starts, count }: SortedTerms): number {
  let first = count;
  while (first > 0 && bytes[starts[first - 1]!] === CHUNK_LEAD) first--;
  return first;
}

/** The trigram at `at`. */
export const gramAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;

/** null without chunks. @param first ordinal of the first chunk */
export function writeChunkGrams(terms: SortedTerms, first: number): ChunkGramSections | null {
  if (first === terms.count) return null;
  const grams = new GramNumbers();
  eachGram(terms, first, (gram) => grams.count(gram));
  const { order, ends } = grams.sorted();
  const chunks = new Uint32Array(ends.at(-1) ?? 0);
  const next = new Uint32Array(ends.length);
  for (let place = 1; place < ends.length; place++) next[place] = ends[place - 1]!;
  eachGram(terms, first, (gram, chunk) => {
    const place = grams.placeOf(gram);
    chunks[next[place]!++] = chunk;
  });
  const writer = new PostingListWriter(1, []);
  const chunkGrams = new Uint32Array(order.length * 2 + 1);
  chunkGrams.set(order);
  for (let place = 0; place < order.length; place++) {
    chunkGrams[order.length + place] = writer.length;
    writer.writeDocuments(chunks, place === 0 ? 0 : ends[place - 1]!, ends[place]!);
  }
  chunkGrams[order.length * 2] = writer.length;
  return { chunkGrams, chunkGramLists: writer.finish().postings };
}

/** Visits each trigram of each chunk once. */
function eachGram(
  { bytes, starts, count }: SortedTerms,
  first: number,
  visit: (gram: number, chunk: number) => void,
): void {
  for (let term = first; term < count; term++) {
    const start = starts[term]! + 1;
    const end = starts[term + 1]! - GRAM_BYTES + 1;
    for (let at = start; at < end; at++) {
      const gram = gramAt(bytes, at);
      if (!isRepeated(bytes, start, at, gram)) visit(gram, term - first);
    }
  }
}

/** True if the trigram at `at` stands between `start` and `at`, too. */
function isRepeated(bytes: Uint8Array, start: number, at: number, gram: number): boolean {
  for (let before = start; before < at; before++)
    if (bytes[before] === bytes[at] && gramAt(bytes, before) === gram) return true;
  return false;
}

/** Counts trigrams: open addressing with linear probing, at most half full. */
class GramNumbers {
  /** Trigram + 1, or 0. */
  #slots = new Uint32Array(1 << 12);
  /** By slot: the number of chunks, then the place of the trigram in ascending order. */
  #values = new Uint32Array(1 << 12);
  #size = 0;

  count(gram: number): void {
    const slot = this.#slotOf(gram);
    if (this.#slots[slot] === 0) {
      this.#slots[slot] = gram + 1;
      this.#size++;
    }
    this.#values[slot]!++;
    if (this.#size * 2 > this.#slots.length) this.#grow();
  }

  placeOf(gram: number): number {
    return this.#values[this.#slotOf(gram)]!;
  }

  /** The trigrams in order, and where the list of each ends. Afterwards `placeOf` is valid. */
  sorted(): { readonly order: Uint32Array; readonly ends: Uint32Array } {
    const order = this.#slots.filter((gram) => gram > 0).sort();
    const ends = new Uint32Array(order.length);
    let end = 0;
    for (let place = 0; place < order.length; place++) {
      order[place]!--;
      const slot = this.#slotOf(order[place]!);
      end += this.#values[slot]!;
      ends[place] = end;
      this.#values[slot] = place;
    }
    return { order, ends };
  }

  #slotOf(gram: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (Math.imul(gram, 0x9e3779b1) >>> 8) & mask;
    while (slots[slot] !== 0 && slots[slot] !== gram + 1) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [slots, values] = [this.#slots, this.#values];
    this.#slots = new Uint32Array(slots.length * 2);
    this.#values = new Uint32Array(slots.length * 2);
    slots.forEach((gram, slot) => {
      if (gram === 0) return;
      const at = this.#slotOf(gram - 1);
      this.#slots[at] = gram;
      this.#values[at] = values[slot]!;
    });
  }
}
