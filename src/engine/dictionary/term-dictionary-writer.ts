/**
 * Writes the sorted terms of a segment: a front-coded list for lookups by bytes and by ordinal, and
 * a trie for typo scans.
 *
 * Section `termText`, terms in groups of 16:
 *
 *   term     [head byte][more of shared][more of suffix length][suffix bytes]
 *   head     low nibble: bytes shared with the term before (0 for the first of a group); high nibble: bytes of the suffix.
 *            A nibble of 15 is continued by a varint that is added to it.
 *
 * Section `termGroups`, u32 words, G = number of groups:
 *
 *   [G × first four bytes of the group's first term, big-endian, zero-filled][G + 1 × offset of the
 *   group in termText]
 *
 * Trie over code points, cut off where one term is left. The children of inner node k are
 * consecutive nodes, and inner nodes are numbered breadth first, so that all children lists
 * together are the array of nodes. The root is inner node 0 and has no entry of its own among the
 * nodes. A node is a leaf (exactly one term, which may go on beyond the node's character) or inner.
 *
 * Section `trieLabels`: for each node `symbol << 1 | is inner`, as u16. The symbol of a code point
 * is the point itself as long as all are below 32 768. Otherwise those from 16 384 on have the
 * symbol 16 384 + rank in section `triePoints`, u32 each, ascending; if there are more than 16 384
 * of them, labels are u32 and symbols are the points. Section `trieInner`, u32 words, three arrays
 * of I = number of inner nodes:
 *
 *   [I + 1 × node number of the first child]
 *   [I     × inner number of the first inner child, | 2³¹ when the node itself is a term]
 *   [I     × ordinal after the last term below]
 *
 * The trie has no chunks (chunk-terms.ts), which come after all words; their sections are described in
 * chunk-grams.ts.
 */

import { doubled } from '../../core/doubled.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { NumberList } from '../bytes/number-list.ts';
import { codePointAt, codePointBytes } from '../bytes/utf8.ts';
import { type ChunkGramSections, firstChunkOf, writeChunkGrams } from './chunk-grams.ts';
import type { SortedTerms } from './sorted-terms.ts';

export const GROUP_SIZE = 16;
export const GROUP_SHIFT = 4;
export const NIBBLE_ESCAPE = 15;
export const OWN_TERM_FLAG = 0x80000000;
/** First symbol that stands for an entry of `triePoints`, and how many there are. */
export const FIRST_LISTED_SYMBOL = 0x4000;
const LISTED_SYMBOLS_MAX = 0x4000;
const PLAIN_SYMBOLS = 0x8000;

export interface TermDictionarySections {
  readonly termText: Uint8Array;
  readonly termGroups: Uint32Array;
  readonly trieLabels: Uint16Array | Uint32Array;
  readonly trieInner: Uint32Array;
  readonly triePoints: Uint32Array;
  /** null without chunks. */
  readonly chunks: ChunkGramSections | null;
}

/** Collects terms in ascending byte order; single use. Holds all term bytes until `finish`. */
export class TermDictionaryWriter {
  readonly #arena = new ByteBuffer(1 << 16);
  #starts = new Uint32Array(1 << 12);
  #count = 0;

  /** Adds the term `bytes[start, end)`, which must be greater than the one before. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#count + 1 >= this.#starts.length) this.#starts = doubled(this.#starts);
    this.#starts[this.#count++] = this.#arena.length;
    this.#arena.pushRange(bytes, start, end);
    this.#starts[this.#count] = this.#arena.length;
  }

  /** The terms added so far, until the next one is. */
  get terms(): SortedTerms {
    return { bytes: this.#arena.view(), starts: this.#starts, count: this.#count };
  }

  finish(): TermDictionarySections {
    const { terms } = this;
    const firstChunk = firstChunkOf(terms);
    return {
      ...writeGroups(terms),
      ...writeTrie({ ...terms, count: firstChunk }),
      chunks: writeChunkGrams(terms, firstChunk),
    };
  }
}

function writeGroups({
  bytes,
  starts,
  count,
}: SortedTerms): Pick<TermDictionarySections, 'termText' | 'termGroups'> {
  const groupCount = (count + GROUP_SIZE - 1) >>> GROUP_SHIFT;
  const termGroups = new Uint32Array(groupCount * 2 + 1);
  const text = new ByteBuffer(bytes.length + count * 2);
  for (let term = 0; term < count; term++) {
    const start = starts[term]!;
    const end = starts[term + 1]!;
    let shared = 0;
    if ((term & (GROUP_SIZE - 1)) === 0) {
      const group = term >>> GROUP_SHIFT;
      termGroups[group] = firstFourBytes(bytes, start, end);
      termGroups[groupCount + group] = text.length;
    } else {
      const before = starts[term - 1]!;
      const limit = Math.min(start - before, end - start);
      while (shared < limit && bytes[before + shared] === bytes[start + shared]) shared++;
    }
    writeEntry(text, shared, bytes, start + shared, end);
  }
  termGroups[groupCount * 2] = text.length;
  return { termText: text.view(), termGroups };
}

function writeEntry(
  text: ByteBuffer,
  shared: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  const length = end - start;
  text.pushByte(Math.min(shared, NIBBLE_ESCAPE) | (Math.min(length, NIBBLE_ESCAPE) << 4));
  if (shared >= NIBBLE_ESCAPE) text.pushVarint(shared - NIBBLE_ESCAPE);
  if (length >= NIBBLE_ESCAPE) text.pushVarint(length - NIBBLE_ESCAPE);
  text.pushRange(bytes, start, end);
}

/** As a big-endian number, zero-filled: orders like the bytes it contains. */
export function firstFourBytes(bytes: Uint8Array, start: number, end: number): number {
  let key = 0;
  for (let i = 0; i < 4; i++) key = (key << 8) | (start + i < end ? bytes[start + i]! : 0);
  return key >>> 0;
}

function writeTrie({
  bytes,
  starts,
  count,
}: SortedTerms): Pick<TermDictionarySections, 'trieLabels' | 'trieInner' | 'triePoints'> {
  const labels = new NumberList();
  const firstChild = new NumberList();
  const firstInner = new NumberList();
  const ends = new NumberList();
  const depths = new NumberList();
  const los = new NumberList();
  let maxPoint = 0;
  ends.push(count);
  depths.push(0);
  los.push(0);
  for (let node = 0; node < ends.length; node++) {
    const end = ends.items[node]!;
    const depth = depths.items[node]!;
    let term = los.items[node]!;
    const isTerm = term < end && starts[term + 1]! - starts[term]! === depth;
    firstChild.push(labels.length);
    firstInner.push(isTerm ? (ends.length | OWN_TERM_FLAG) >>> 0 : ends.length);
    if (isTerm) term++;
    while (term < end) {
      const at = starts[term]! + depth;
      const point = codePointAt(bytes, at, starts[term + 1]!);
      const width = codePointBytes(point);
      const after = endOfRun(bytes, starts, term, end, depth, width);
      maxPoint = Math.max(maxPoint, point);
      const isInner = after - term > 1;
      labels.push((point << 1) | (isInner ? 1 : 0));
      if (isInner) {
        ends.push(after);
        depths.push(depth + width);
        los.push(term);
      }
      term = after;
    }
  }
  const innerCount = ends.length;
  const trieInner = new Uint32Array(innerCount * 3 + 1);
  trieInner.set(firstChild.view());
  trieInner[innerCount] = labels.length;
  trieInner.set(firstInner.view(), innerCount + 1);
  trieInner.set(ends.view(), innerCount * 2 + 1);
  return { trieInner, ...narrowLabels(labels.view(), maxPoint) };
}

/** Labels with symbols instead of code points, in 16 bits where possible. */
function narrowLabels(
  labels: Uint32Array,
  maxPoint: number,
): Pick<TermDictionarySections, 'trieLabels' | 'triePoints'> {
  if (maxPoint < PLAIN_SYMBOLS)
    return { trieLabels: Uint16Array.from(labels), triePoints: new Uint32Array(0) };
  const listed = new Set<number>();
  for (const label of labels) if (label >>> 1 >= FIRST_LISTED_SYMBOL) listed.add(label >>> 1);
  if (listed.size > LISTED_SYMBOLS_MAX)
    return { trieLabels: labels.slice(), triePoints: new Uint32Array(0) };
  const triePoints = Uint32Array.from(listed).sort();
  const symbols = new Map(
    Array.from(triePoints, (point, rank) => [point, FIRST_LISTED_SYMBOL + rank]),
  );
  const trieLabels = new Uint16Array(labels.length);
  for (let node = 0; node < labels.length; node++) {
    const label = labels[node]!;
    trieLabels[node] = ((symbols.get(label >>> 1) ?? label >>> 1) << 1) | (label & 1);
  }
  return { trieLabels, triePoints };
}

/** The first term after `term` (at most `end`) that differs in the `width` bytes at `depth`. */
function endOfRun(
  bytes: Uint8Array,
  starts: Uint32Array,
  term: number,
  end: number,
  depth: number,
  width: number,
): number {
  const at = starts[term]! + depth;
  let other = term + 1;
  for (; other < end; other++) {
    const otherAt = starts[other]! + depth;
    if (otherAt + width > starts[other + 1]!) break;
    let i = 0;
    while (i < width && bytes[otherAt + i] === bytes[at + i]) i++;
    if (i < width) break;
  }
  return other;
}
