/**
 * Digests of ranges of terms: what many searches ask of the first letters that somebody types, and
 * of frequent words, made once for the life of a segment. For each document that holds a term of the
 * range, a digest has its *placing*: the fields that hold one, and how far from its field's beginning
 * the first of them stands, in classes:
 *
 *   class      0  1  2    3    4     5      6      7      8       9         10
 *   position   0  1  2–4  5–7  8–11  12–15  16–23  24–64  65–256  257–1024  1025–
 *
 * A segment has digests of its most frequent ranges: all terms that begin with the same one, two or
 * three characters, and single terms. Files of segments without such ranges lack these sections.
 * With k digests, ascending by lo, then hi:
 *
 *   digestIndex       u32: [k × lo][k × hi][k + 1 × first placing][k + 1 × first word of the codes][k + 1 × offset of the list of documents]
 *                     a digest is of the terms lo … hi − 1
 *   digestPlacings    u32 pairs: bit f set for each segment-local field f that holds a term; class | bits of the code << 4
 *   digestDocuments   for each digest a list without occurrences (posting-list-writer.ts)
 *   digestCodes       for each digest the placings of its documents, in the codes of bytes/prefix-code.ts; one zero word at the end
 */
import { codeLengths, encodeSymbols, SYMBOLS_MAX } from '../bytes/prefix-code.ts';
import { codePointAt, codePointBytes } from '../bytes/utf8.ts';
import { fieldOfOccurrence, positionOfOccurrence } from '../postings/occurrence-key.ts';
import { PostingListWriter } from '../postings/posting-list-writer.ts';
import type { PostingLists } from '../postings/posting-lists.ts';
import { makeBitset } from '../sets/bitset.ts';
import type { OccurrenceBuffer } from './segment.ts';

/** Last position of each class but the last. */
const PLACE_ENDS = [0, 1, 4, 7, 11, 15, 23, 64, 256, 1024];
const POSITION_END = 0x10000;

/** Bits of a placing's class; what is above are bits of its code, or its fields. */
export const CLASS_BITS = 4;

/** First and last position of each class. */
export const PLACES: readonly { readonly least: number; readonly most: number }[] = [
  ...PLACE_ENDS,
  POSITION_END - 1,
].map((most, i, ends) => ({ least: i === 0 ? 0 : ends[i - 1]! + 1, most }));

const CLASS_OF_POSITION = new Uint8Array(POSITION_END);
for (const [number, { least, most }] of PLACES.entries())
  CLASS_OF_POSITION.fill(number, least, most + 1);

/** A segment with more fields has no digests: those of a document are bits of a number. */
const FIELDS_MAX = 32 - CLASS_BITS;

/** Longest beginnings of terms whose ranges have digests, in characters. */
const PREFIX_CHARACTERS_MAX = 3;

export interface DigestLimits {
  /** A segment of fewer documents has none: small ones are soon merged, and searched in no time. */
  readonly documentsMin: number;
  /** A range of fewer occurrences has none: a search reads them in about a millisecond. */
  readonly occurrencesMin: number;
  /** Digests take at most one byte for so many of the rest of the segment. */
  readonly bytesRatio: number;
}

export const DIGEST_LIMITS: DigestLimits = {
  documentsMin: 1 << 16,
  occurrencesMin: 1 << 14,
  bytesRatio: 10,
};

/** Terms lo … hi − 1. */
export interface TermRange {
  readonly lo: number;
  readonly hi: number;
  readonly occurrences: number;
}

/** Finds the frequent ranges of terms that come in ascending order. */
export class FrequentRanges {
  readonly #min: number;
  readonly #found: TermRange[] = [];
  /** By characters less one: where the range that is open begins, and its occurrences. */
  readonly #open = Array.from({ length: PREFIX_CHARACTERS_MAX }, () => ({ lo: 0, occurrences: 0 }));
  /** The beginning of the last term, and where each of its characters ends; 0 after its end. */
  readonly #beginning = new Uint8Array(PREFIX_CHARACTERS_MAX * 4);
  readonly #ends = new Uint32Array(PREFIX_CHARACTERS_MAX);
  #term = 0;

  constructor({ occurrencesMin }: DigestLimits) {
    this.#min = occurrencesMin;
  }

  /** The next term, `bytes[start, end)`. */
  add(bytes: Uint8Array, start: number, end: number, occurrences: number): void {
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

  /** Each once, the most frequent first. */
  finish(): TermRange[] {
    for (let n = 0; n < PREFIX_CHARACTERS_MAX; n++) this.#close(n, this.#term);
    const byEnds = new Map(this.#found.map((range) => [`${range.lo} ${range.hi}`, range]));
    return [...byEnds.values()].sort(
      (a, b) => b.occurrences - a.occurrences || a.lo - b.lo || b.hi - a.hi,
    );
  }
}

export interface DigestSections {
  readonly digestIndex: Uint32Array;
  readonly digestPlacings: Uint32Array;
  readonly digestDocuments: Uint8Array;
  readonly digestCodes: Uint32Array;
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
  readonly docs: Uint32Array;
  readonly placings: readonly number[];
  readonly lengths: Uint8Array;
  readonly codes: Uint32Array;
}

/** @param ranges the most frequent first; those for which `bytesMax` has room get a digest */
export function writeRangeDigests(
  ranges: readonly TermRange[],
  source: DigestedPostings,
  bytesMax: number,
): DigestSections | null {
  if (ranges.length === 0 || source.fieldCount > FIELDS_MAX) return null;
  const maker = new DigestMaker(source);
  const digests: Digest[] = [];
  let bytes = 0;
  for (const range of ranges) {
    const digest = maker.make(range);
    if (digest === null) continue;
    bytes += bytesOf(digest);
    if (bytes > bytesMax) break;
    digests.push(digest);
  }
  return digests.length === 0 ? null : laidOut(digests.sort((a, b) => a.lo - b.lo || a.hi - b.hi));
}

function bytesOf({ docs, placings, codes }: Digest): number {
  const writer = new PostingListWriter(1, []);
  writer.writeDocuments(docs, 0, docs.length);
  return writer.length + placings.length * 8 + codes.byteLength;
}

function laidOut(digests: readonly Digest[]): DigestSections {
  const documents = new PostingListWriter(1, []);
  const placings: number[] = [];
  const firstPlacings: number[] = [];
  const firstWords: number[] = [];
  const offsets: number[] = [];
  let wordCount = 0;
  for (const digest of digests) {
    firstPlacings.push(placings.length / 2);
    firstWords.push(wordCount);
    offsets.push(documents.length);
    wordCount += digest.codes.length;
    documents.writeDocuments(digest.docs, 0, digest.docs.length);
    digest.placings.forEach((placing, i) => {
      const placeClass = placing & ((1 << CLASS_BITS) - 1);
      placings.push(placing >>> CLASS_BITS, placeClass | (digest.lengths[i]! << CLASS_BITS));
    });
  }
  const codes = new Uint32Array(wordCount + 1);
  digests.forEach((digest, i) => {
    codes.set(digest.codes, firstWords[i]);
  });
  return {
    digestIndex: Uint32Array.from([
      ...digests.map(({ lo }) => lo),
      ...digests.map(({ hi }) => hi),
      ...[...firstPlacings, placings.length / 2],
      ...[...firstWords, wordCount],
      ...[...offsets, documents.length],
    ]),
    digestPlacings: Uint32Array.from(placings),
    digestDocuments: documents.finish().postings,
    digestCodes: codes,
  };
}

/** Works in memory for each document of a segment. */
class DigestMaker {
  readonly #source: DigestedPostings;
  readonly #candidates: Uint32Array;
  readonly #fieldMap: Int32Array;
  readonly #occurrences: OccurrenceBuffer = {
    docs: new Uint32Array(1024),
    keys: new Uint32Array(1024),
    length: 0,
  };
  /** By DocId less the first: the fields so far as bits, and the first place. All zero between. */
  readonly #fields: Uint32Array;
  readonly #places: Uint16Array;

  constructor(source: DigestedPostings) {
    const { first, last, fieldCount } = source;
    this.#source = source;
    this.#candidates = makeBitset(last + 1).fill(0xffffffff);
    this.#fieldMap = Int32Array.from({ length: fieldCount }, (_, field) => field);
    this.#fields = new Uint32Array(last - first + 1);
    this.#places = new Uint16Array(last - first + 1);
  }

  /** null for a range of too many different placings. */
  make(range: TermRange): Digest | null {
    const count = this.#gather(range);
    const docs = new Uint32Array(count);
    const symbols = new Uint16Array(count);
    const numbers = new PlacingNumbers();
    const { first } = this.#source;
    const fields = this.#fields;
    const places = this.#places;
    for (let i = 0, at = 0; at < count; i++) {
      if (fields[i] === 0) continue;
      docs[at] = first + i;
      const placing = ((fields[i]! << CLASS_BITS) | CLASS_OF_POSITION[places[i]!]!) >>> 0;
      symbols[at++] = numbers.of(placing);
      fields[i] = 0;
      places[i] = 0;
    }
    const { placings, counts } = numbers;
    if (placings.length > SYMBOLS_MAX) return null;
    const lengths = codeLengths(counts);
    return { ...range, docs, placings, lengths, codes: encodeSymbols(symbols, lengths) };
  }

  /** Notes fields and places of the range's occurrences; returns the number of documents. */
  #gather({ lo, hi }: TermRange): number {
    const { postings, first } = this.#source;
    const out = this.#occurrences;
    const fields = this.#fields;
    const places = this.#places;
    let count = 0;
    for (let term = lo; term < hi; term++) {
      out.length = 0;
      postings.readOccurrences(term, this.#candidates, this.#fieldMap, out);
      const { docs, keys, length } = out;
      for (let i = 0; i < length; i++) {
        const doc = docs[i]! - first;
        const key = keys[i]!;
        const place = positionOfOccurrence(key);
        if (fields[doc] === 0) {
          count++;
          places[doc] = place;
        } else if (place < places[doc]!) places[doc] = place;
        fields[doc]! |= 1 << fieldOfOccurrence(key);
      }
    }
    return count;
  }
}

/** Four times as many slots as there are placings, at most. */
const SLOT_BITS = 12;

/** Numbers placings in the order in which they come, up to one more than a digest can have. */
class PlacingNumbers {
  readonly placings: number[] = [];
  readonly counts: number[] = [];
  /** Open addressing: number of a placing plus one, 0 = free. */
  readonly #slots = new Uint16Array(1 << SLOT_BITS);

  of(placing: number): number {
    const { placings, counts } = this;
    let slot = Math.imul(placing, 0x9e3779b1) >>> (32 - SLOT_BITS);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (this.#slots.length - 1)) {
      const number = this.#slots[slot]! - 1;
      if (placings[number] !== placing) continue;
      counts[number]!++;
      return number;
    }
    if (placings.length > SYMBOLS_MAX) return SYMBOLS_MAX;
    counts.push(1);
    this.#slots[slot] = placings.push(placing);
    return placings.length - 1;
  }
}
