/**
 * Digests of ranges of terms: the data that many searches need for the first letters of a word and
 * for frequent words, computed once per segment. For each document that holds a term of the range,
 * a digest has its *fieldPositionClass*: the fields that hold one, and how far from its field's beginning the
 * first of them stands, in classes:
 *
 *   class      0  1  2    3    4     5      6      7      8       9         10
 *   position   0  1  2–4  5–7  8–11  12–15  16–23  24–64  65–256  257–1024  1025–
 *
 * A segment has digests of its most frequent ranges: all terms that begin with the same one, two or
 * three characters, and single terms. Files of segments without such ranges lack these sections, and
 * so do files of releases before 2026-12, which had others. With k digests, ascending by lo, then hi,
 * and c fieldPositionClasses of all digests:
 *
 *   digestRanges      u32: [k × lo][k × hi][k + 1 × first fieldPositionClass]
 *                     a digest is of the terms lo … hi − 1
 *   digestClasses     u32 pairs: bit f set for each segment-local field f that holds a term; class
 *   digestOffsets     u32 × (k + c + 1): offsets of the lists in digestLists, and the end of the last
 *   digestLists       for each digest a list of its documents, then one of those of each
 *                     fieldPositionClass, without occurrences (posting-list-format.ts)
 */
import { codePointAt, codePointBytes } from '../bytes/utf8.ts';
import { CHUNK_LEAD } from '../dictionary/chunk-terms.ts';
import { newOccurrences } from '../postings/occurrence-key.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import type { PostingLists } from '../postings/posting-lists.ts';
import { makeBitset } from '../sets/bitset.ts';
import { CLASS_BITS, CLASSES_MAX, ClassNumbers, RangeClasses } from './range-classes.ts';

const CLASS_MASK = (1 << CLASS_BITS) - 1;

/** A segment with more fields has no digests: the fields of a fieldPositionClass are bits of a number. */
const FIELDS_MAX = 32 - CLASS_BITS;

/** Longest prefixes of terms whose ranges have digests, in characters. */
const PREFIX_CHARACTERS_MAX = 3;

export interface DigestLimits {
  /** A segment with fewer documents has no digests: it is soon merged, and fast to search. */
  readonly documentsMin: number;
  /** A range with fewer occurrences has no digest: a search reads them in about a millisecond. */
  readonly occurrencesMin: number;
  /** Digests take at most one byte for this number of bytes of the rest of the segment. */
  readonly bytesRatio: number;
}

export const DIGEST_LIMITS: DigestLimits = {
  documentsMin: 1 << 16,
  occurrencesMin: 1 << 14,
  bytesRatio: 5,
};

/** Terms lo … hi − 1. */
export interface TermRange {
  readonly lo: number;
  readonly hi: number;
  readonly occurrences: number;
}

/** Finds the frequent ranges among terms that come in ascending order. */
export class FrequentRanges {
  readonly #min: number;
  readonly #found: TermRange[] = [];
  /** By number of characters less one: the first term of the open range, and its occurrences. */
  readonly #open = Array.from({ length: PREFIX_CHARACTERS_MAX }, () => ({ lo: 0, occurrences: 0 }));
  /** The prefix of the last term, and where each of its characters ends; 0 after its end. */
  readonly #beginning = new Uint8Array(PREFIX_CHARACTERS_MAX * 4);
  readonly #ends = new Uint32Array(PREFIX_CHARACTERS_MAX);
  #term = 0;

  constructor({ occurrencesMin }: DigestLimits) {
    this.#min = occurrencesMin;
  }

  /** The next term, `bytes[start, end)`. */
  add(bytes: Uint8Array, start: number, end: number, occurrences: number): void {
    // No search is for all chunks with a prefix. Chunks come last.
    if (bytes[start] === CHUNK_LEAD) return;
    const term = this.#term++;
    if (occurrences >= this.#min) this.#found.push({ lo: term, hi: term + 1, occurrences });
    let at = start;
    let isSame = true;
    for (let n = 0; n < PREFIX_CHARACTERS_MAX; n++) {
      const from = at;
      if (at < end) at = Math.min(end, at + codePointBytes(codePointAt(bytes, at, end)));
      const length = at > from ? at - start : 0;
      isSame &&= length > 0 && length === this.#ends[n] && this.#begins(bytes, start, from, at);
      const open = this.#open[n]!;
      if (!isSame) {
        this.#close(n, term);
        open.lo = term;
        open.occurrences = 0;
        this.#ends[n] = length;
        for (let i = from; i < at; i++) this.#beginning[i - start] = bytes[i]!;
      }
      if (length > 0) open.occurrences += occurrences;
    }
  }

  #begins(bytes: Uint8Array, start: number, from: number, at: number): boolean {
    for (let i = from; i < at; i++) if (this.#beginning[i - start] !== bytes[i]) return false;
    return true;
  }

  #close(n: number, hi: number): void {
    const { lo, occurrences } = this.#open[n]!;
    if (occurrences >= this.#min) this.#found.push({ lo, hi, occurrences });
  }

  /** Each range once, the most frequent first. */
  finish(): TermRange[] {
    for (let n = 0; n < PREFIX_CHARACTERS_MAX; n++) this.#close(n, this.#term);
    const byEnds = new Map(this.#found.map((range) => [`${range.lo} ${range.hi}`, range]));
    return [...byEnds.values()].sort(
      (a, b) => b.occurrences - a.occurrences || a.lo - b.lo || b.hi - a.hi,
    );
  }
}

export interface DigestSections {
  readonly digestRanges: Uint32Array;
  readonly digestClasses: Uint32Array;
  readonly digestOffsets: Uint32Array;
  readonly digestLists: Uint8Array;
}

/** The segment that digests are made of. */
export interface DigestedPostings {
  readonly postings: PostingLists;
  readonly fieldCount: number;
  /** The least DocId and the greatest one. */
  readonly first: number;
  readonly last: number;
}

interface Digest extends TermRange {
  /** Where its lists begin among those of all digests made, and where the last one ends. */
  readonly listStarts: readonly number[];
  readonly listsEnd: number;
  readonly fieldPositionClasses: readonly number[];
}

/** Estimated bytes of a digest per occurrence, until the first digest is made. */
const BYTES_AN_OCCURRENCE = 1;

/** @param ranges the most frequent first; ranges get digests until `bytesMax` is used */
export function writeRangeDigests(
  ranges: readonly TermRange[],
  source: DigestedPostings,
  bytesMax: number,
): DigestSections | null {
  if (ranges.length === 0 || source.fieldCount > FIELDS_MAX) return null;
  const maker = new DigestMaker(source);
  const chosen: Digest[] = [];
  let bytes = 0;
  let occurrences = 0;
  for (let next = 0; next < ranges.length && bytes <= bytesMax; ) {
    // The ranges that are likely to have room are made together, so each term is read once.
    const bytesEach = occurrences === 0 ? BYTES_AN_OCCURRENCE : bytes / occurrences;
    const batch: TermRange[] = [];
    for (let room = bytesMax - bytes; next < ranges.length && room >= 0; next++) {
      batch.push(ranges[next]!);
      room -= ranges[next]!.occurrences * bytesEach;
    }
    for (const digest of maker.make(batch)) {
      bytes += bytesOf(digest);
      occurrences += digest.occurrences;
      if (bytes > bytesMax) break;
      chosen.push(digest);
    }
  }
  if (chosen.length === 0) return null;
  return laidOut(
    chosen.sort((a, b) => a.lo - b.lo || a.hi - b.hi),
    maker.finishLists(),
  );
}

const bytesOf = ({ listStarts, listsEnd, fieldPositionClasses }: Digest): number =>
  listsEnd - listStarts[0]! + fieldPositionClasses.length * 12;

/** Zero bytes at the end of the lists: unpacking may read ahead. */
const LISTS_TAIL_BYTES = 16;

function laidOut(digests: readonly Digest[], made: Uint8Array): DigestSections {
  const classes: number[] = [];
  const firstClasses: number[] = [];
  const offsets: number[] = [];
  let end = 0;
  for (const { listStarts, listsEnd, fieldPositionClasses } of digests) {
    firstClasses.push(classes.length / 2);
    for (const fieldPositionClass of fieldPositionClasses)
      classes.push(fieldPositionClass >>> CLASS_BITS, fieldPositionClass & CLASS_MASK);
    // Keep the lists' alignment to words.
    end += (listStarts[0]! - end) & 3;
    for (const start of listStarts) offsets.push(end + start - listStarts[0]!);
    end += listsEnd - listStarts[0]!;
  }
  const lists = new Uint8Array(((end + 3) & ~3) + LISTS_TAIL_BYTES);
  let list = 0;
  for (const { listStarts, listsEnd } of digests) {
    lists.set(made.subarray(listStarts[0], listsEnd), offsets[list]);
    list += listStarts.length;
  }
  return {
    digestRanges: Uint32Array.from([
      ...digests.map(({ lo }) => lo),
      ...digests.map(({ hi }) => hi),
      ...firstClasses,
      classes.length / 2,
    ]),
    digestClasses: Uint32Array.from(classes),
    digestOffsets: Uint32Array.from([...offsets, end]),
    digestLists: lists,
  };
}

/** Uses about 27 bytes of memory per document of a segment. */
class DigestMaker {
  readonly #source: DigestedPostings;
  readonly #candidates: Uint32Array;
  readonly #fieldMap: Int32Array;
  readonly #occurrences = newOccurrences(1024);
  /** By nesting depth: fieldPositionClasses of a range, of the range inside it, and so on. */
  readonly #nested: RangeClasses[] = [];
  readonly #docs: Uint32Array;
  readonly #symbols: Uint16Array;
  readonly #byClass: Uint32Array;
  readonly #lists = new PostingListWriter(1, []);

  constructor(source: DigestedPostings) {
    const { first, last, fieldCount } = source;
    this.#source = source;
    this.#candidates = makeBitset(last + 1).fill(0xffffffff);
    this.#fieldMap = Int32Array.from({ length: fieldCount }, (_, field) => field);
    this.#docs = new Uint32Array(last - first + 1);
    this.#symbols = new Uint16Array(last - first + 1);
    this.#byClass = new Uint32Array(last - first + 1);
  }

  /**
   * Digests in the same order, without ranges of too many different fieldPositionClasses. Of two ranges one
   * contains the other, or they are disjoint.
   */
  make(ranges: readonly TermRange[]): Digest[] {
    const inOrder = [...ranges].sort((a, b) => a.lo - b.lo || b.hi - a.hi);
    const made = new Map<TermRange, Digest>();
    for (let at = 0; at < inOrder.length; ) at = this.#makeNested(inOrder, at, 0, made);
    return ranges.flatMap((range) => made.get(range) ?? []);
  }

  /** The lists of all digests; each chosen digest has its offsets in them. */
  finishLists(): Uint8Array {
    return this.#lists.finish().postings;
  }

  /**
   * Makes a digest of a range and of the ranges inside it; returns the number of the range after
   * them.
   */
  #makeNested(
    ranges: readonly TermRange[],
    number: number,
    depth: number,
    made: Map<TermRange, Digest>,
  ): number {
    const range = ranges[number]!;
    const { first, last } = this.#source;
    this.#nested[depth] ??= new RangeClasses(first, last);
    const fieldPositionClasses = this.#nested[depth];
    let term = range.lo;
    let next = number + 1;
    while (next < ranges.length && ranges[next]!.lo < range.hi) {
      const inner = ranges[next]!;
      this.#read(term, inner.lo, fieldPositionClasses);
      next = this.#makeNested(ranges, next, depth + 1, made);
      const innerClasses = this.#nested[depth + 1]!;
      fieldPositionClasses.join(innerClasses);
      innerClasses.clear();
      term = inner.hi;
    }
    this.#read(term, range.hi, fieldPositionClasses);
    const digest = this.#encode(range, fieldPositionClasses);
    if (digest !== null) made.set(range, digest);
    if (depth === 0) fieldPositionClasses.clear();
    return next;
  }

  #read(lo: number, hi: number, fieldPositionClasses: RangeClasses): void {
    const out = this.#occurrences;
    for (let term = lo; term < hi; term++) {
      out.length = 0;
      this.#source.postings.readOccurrences(term, this.#candidates, this.#fieldMap, out);
      fieldPositionClasses.add(out);
    }
  }

  /** null for a range of too many different fieldPositionClasses. */
  #encode(range: TermRange, fieldPositionClasses: RangeClasses): Digest | null {
    const docs = this.#docs;
    const numbers = new ClassNumbers();
    const count = fieldPositionClasses.number(docs, this.#symbols, numbers);
    if (numbers.fieldPositionClasses.length > CLASSES_MAX) return null;
    const ends = this.#sortByClass(count, numbers.counts);
    const listStarts = [this.#lists.length];
    this.#lists.writeDocuments(docs, 0, count);
    ends.forEach((end, n) => {
      listStarts.push(this.#lists.length);
      this.#lists.writeDocuments(this.#byClass, ends[n - 1] ?? 0, end);
    });
    return {
      ...range,
      listStarts,
      listsEnd: this.#lists.length,
      fieldPositionClasses: numbers.fieldPositionClasses,
    };
  }

  /** Puts the documents of each fieldPositionClass together; returns where those of each end. */
  #sortByClass(count: number, counts: readonly number[]): number[] {
    const next: number[] = [];
    let start = 0;
    for (const own of counts) {
      next.push(start);
      start += own;
    }
    for (let i = 0; i < count; i++) this.#byClass[next[this.#symbols[i]!]!++] = this.#docs[i]!;
    return next;
  }
}
