/**
 * Which ranges of terms get a digest, and what digests of ranges that lie in each other say. Method:
 * a few terms of the same documents, many occurrences in each, held against what the terms hold.
 */
import { describe, expect, it } from 'vitest';
import { occurrenceKey } from '../../../../src/engine/postings/occurrence-key.ts';
import { PostingListWriter } from '../../../../src/engine/postings/posting-list-writer.ts';
import { PostingLists } from '../../../../src/engine/postings/posting-lists.ts';
import { RangeDigests } from '../../../../src/engine/segment/range-digests.ts';
import { writeRangeDigests } from '../../../../src/engine/segment/range-digests-writer.ts';

const DOCUMENTS = 400;
const FIRST = 1000;
const TERMS = 6;
const OCCURRENCES_EACH = 3;

/** Term t is in each document whose number t + 1 divides, three times, from position t on. */
const holds = (term: number, doc: number): boolean => doc % (term + 1) === 0;

function source() {
  const writer = new PostingListWriter(2, []);
  const offsets: number[] = [];
  for (let term = 0; term < TERMS; term++) {
    const docs = Array.from({ length: DOCUMENTS }, (_, i) => FIRST + i)
      .filter((doc) => holds(term, doc))
      .flatMap((doc) => [doc, doc, doc]);
    const keys = docs.map((_, i) => occurrenceKey(term % 2, term + 30 * (i % OCCURRENCES_EACH)));
    offsets.push(writer.length);
    writer.write(Uint32Array.from(docs), Uint32Array.from(keys), 0, docs.length);
  }
  const sections = { offsets: Uint32Array.from([...offsets, writer.length]), ...writer.finish() };
  return {
    postings: new PostingLists('test', sections, DOCUMENTS, 2),
    fieldCount: 2,
    first: FIRST,
    last: FIRST + DOCUMENTS - 1,
  };
}

/** As `FrequentRanges` gives them: the most frequent first, one in the other or apart. */
const RANGES = [
  [0, 6],
  [0, 4],
  [1, 4],
  [4, 6],
  [1, 2],
  [4, 5],
].map(([lo = 0, hi = 0], i) => ({ lo, hi, occurrences: 3000 - i }));

const digestsWithin = (bytesMax: number) => writeRangeDigests(RANGES, source(), bytesMax);

const madeOf = (sections: ReturnType<typeof digestsWithin>) => {
  const digests = sections && new RangeDigests('test', sections, DOCUMENTS);
  return RANGES.filter(({ lo, hi }) => digests?.of(lo, hi));
};

describe('digests of ranges of terms', () => {
  it.each([0, 200, 400, 1000, 1e6])(
    'are those of the most frequent ranges that %d bytes have room for',
    (bytesMax) => {
      const sections = digestsWithin(bytesMax);
      const made = madeOf(sections);
      expect(made).toEqual(RANGES.slice(0, made.length));
      const sizes = [0, 200, 400, 1000, 1e6].map((max) => madeOf(digestsWithin(max)).length);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
      expect(sizes[0]).toBe(0);
      expect(sizes.at(-1)).toBe(RANGES.length);
      if (sections) {
        const digests = new RangeDigests('test', sections, DOCUMENTS);
        digests.verify(TERMS, 2, FIRST + DOCUMENTS);
      }
    },
  );

  it.each(RANGES)('of $lo … $hi have its documents with fields and first places', ({ lo, hi }) => {
    const sections = digestsWithin(1e6);
    if (sections === null) throw new Error('no digests');
    const digest = new RangeDigests('test', sections, DOCUMENTS).of(lo, hi);
    if (digest === null) throw new Error('no digest');
    const words = (FIRST + DOCUMENTS + 31) >>> 5;
    const sets = new Uint32Array(words * digest.fieldPositionClasses.length);
    digest.fieldPositionClasses.forEach((_, n) => {
      digest.addClass(n, sets.subarray(n * words, (n + 1) * words));
    });
    for (let doc = FIRST; doc < FIRST + DOCUMENTS; doc++) {
      const terms = Array.from({ length: hi - lo }, (_, i) => lo + i).filter((t) => holds(t, doc));
      const found = digest.fieldPositionClasses.filter(
        (_, i) => ((sets[i * words + (doc >>> 5)] ?? 0) >>> (doc & 31)) & 1,
      );
      expect(found.length).toBe(terms.length > 0 ? 1 : 0);
      for (const { fields, least, most } of found) {
        const expected = terms.reduce((mask, term) => mask | (1 << (term % 2)), 0);
        expect(fields).toBe(expected);
        expect(least).toBeLessThanOrEqual(Math.min(...terms));
        expect(most).toBeGreaterThanOrEqual(Math.min(...terms));
      }
    }
  });
});
