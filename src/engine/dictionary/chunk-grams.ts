/**
 * The trigrams of chunks: for each three successive bytes of a chunk, the chunks that contain
 * them. Dictionaries without chunks lack these sections.
 *
 *   chunkGrams       u32: [k × trigram, ascending][k + 1 × offset of its list in chunkGramLists]
 *                    a trigram is its three bytes as a big-endian number
 *   chunkGramLists   lists without occurrences (posting-list-format.ts). Instead of DocIds they have
 *                    ordinals less the ordinal of the first chunk
 */
import { NumberList } from '../bytes/number-list.ts';
import { NumberTable } from '../bytes/number-table.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import { NumberedLists } from '../segment/numbered-lists.ts';
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
const gramAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;

/** null without chunks. @param first ordinal of the first chunk */
export function writeChunkGrams(terms: SortedTerms, first: number): ChunkGramSections | null {
  if (first === terms.count) return null;
  /** Number of the chunks of each trigram, then its place in ascending order. */
  const grams = new NumberTable();
  eachGram(terms, first, (gram) => grams.count(gram));
  const found = new NumberList();
  grams.forEachEntry((gram) => found.push(gram));
  const order = found.view().sort();
  const ends = new Uint32Array(order.length);
  let end = 0;
  order.forEach((gram, place) => {
    ends[place] = end += grams.get(gram);
    grams.set(gram, place);
  });
  const chunks = new Uint32Array(ends.at(-1) ?? 0);
  const next = new Uint32Array(ends.length);
  for (let place = 1; place < ends.length; place++) next[place] = ends[place - 1]!;
  eachGram(terms, first, (gram, chunk) => {
    chunks[next[grams.get(gram)]!++] = chunk;
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

/** Candidates of which this few are left are compared with the text rather than with more lists. */
const FEW_CANDIDATES = 64;

export class ChunkGrams {
  readonly #lists: NumberedLists;
  readonly #chunkCount: number;

  /** @param file named in error messages @param chunkCount upper bound of the chunks */
  constructor(file: string, sections: ChunkGramSections, chunkCount: number) {
    const lists = { index: sections.chunkGrams, documents: sections.chunkGramLists };
    this.#lists = new NumberedLists(file, lists, chunkCount);
    this.#chunkCount = chunkCount;
  }

  /**
   * Numbers of the chunks that contain all trigrams of the text, ascending; a few may not contain the
   * text itself, unless it is one trigram. @param part at least `GRAM_BYTES` long
   */
  candidates(part: Uint8Array): Uint32Array {
    const counts = new Map<number, number>();
    for (let at = 0; at + GRAM_BYTES <= part.length; at++) {
      const gram = gramAt(part, at);
      const count = this.#lists.count(gram);
      if (count === 0) return new Uint32Array(0);
      counts.set(gram, count);
    }
    const [first, ...others] = [...counts].sort(([, a], [, b]) => a - b).map(([gram]) => gram);
    let found: Uint32Array = this.#lists.documents(first!).slice();
    for (const gram of others) {
      if (found.length <= FEW_CANDIDATES) break;
      found = intersection(found, this.#lists.documents(gram));
    }
    return found;
  }

  verify(): void {
    this.#lists.verify(this.#chunkCount);
  }
}

/** The numbers of `few` that `many` has, too, in the memory of `few`. */
function intersection(few: Uint32Array, many: Uint32Array): Uint32Array {
  let length = 0;
  for (let i = 0, at = 0; i < few.length; i++) {
    const wanted = few[i]!;
    while (at < many.length && many[at]! < wanted) at++;
    if (many[at] === wanted) few[length++] = wanted;
  }
  return few.subarray(0, length);
}
