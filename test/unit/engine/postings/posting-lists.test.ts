/**
 * Goal: occurrences are read of exactly the wanted documents, few or many of a block, with one or
 * several occurrences each and with values of any width. Method: random lists against a plain filter.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OccurrenceBuffer } from '../../../../src/engine/postings/occurrence-key.ts';
import { occurrenceKey } from '../../../../src/engine/postings/occurrence-key.ts';
import { PostingListWriter } from '../../../../src/engine/postings/posting-list-writer.ts';
import { PostingLists } from '../../../../src/engine/postings/posting-lists.ts';
import { makeBitset, setBit } from '../../../../src/engine/sets/bitset.ts';
import { amount } from '../../../support/run-length.ts';

const FIELDS = 3;
const DOC_IDS = 4096;

interface Row {
  readonly doc: number;
  readonly keys: readonly number[];
}

function listsOf(rows: readonly Row[]): PostingLists {
  const writer = new PostingListWriter(FIELDS, []);
  const docs = Uint32Array.from(rows.flatMap(({ doc, keys }) => keys.map(() => doc)));
  const keys = Uint32Array.from(rows.flatMap((row) => row.keys));
  writer.write(docs, keys, 0, docs.length);
  const offsets = Uint32Array.of(0, writer.length);
  return new PostingLists('test', { offsets, ...writer.finish() }, DOC_IDS, FIELDS);
}

/** `doc key` of each occurrence. @param fieldMap −1 = the field is not read */
function read(
  lists: PostingLists,
  wanted: readonly number[],
  fieldMap: Int32Array,
  isListed: boolean,
): string[] {
  const candidates = makeBitset(DOC_IDS);
  for (const doc of wanted) setBit(candidates, doc);
  const out: OccurrenceBuffer = { docs: new Uint32Array(4), keys: new Uint32Array(4), length: 0 };
  lists.readOccurrences(0, candidates, fieldMap, out, isListed ? Uint32Array.from(wanted) : null);
  return Array.from(out.docs.subarray(0, out.length), (doc, i) => `${doc} ${out.keys[i]}`).sort();
}

const expected = (rows: readonly Row[], wanted: readonly number[], fields: number): string[] =>
  rows
    .filter(({ doc }) => wanted.includes(doc))
    .flatMap(({ doc, keys }) =>
      keys.filter((key) => key >>> 16 < fields).map((key) => `${doc} ${key}`),
    )
    .sort();

/** Positions of which some are far greater than the others, so that blocks have exceptions. */
const position = fc.oneof(
  { weight: 20, arbitrary: fc.nat(60) },
  { weight: 1, arbitrary: fc.nat(65_535) },
);
const key = fc.tuple(fc.nat(FIELDS - 1), position).map(([field, at]) => occurrenceKey(field, at));

/** A list of `count` documents with at most `most` occurrences each. */
const rowsOf = (count: number, most: number): fc.Arbitrary<Row[]> =>
  fc
    .tuple(
      fc.uniqueArray(fc.nat(DOC_IDS - 1), { minLength: count, maxLength: count }),
      fc.array(fc.uniqueArray(key, { minLength: 1, maxLength: most }), {
        minLength: count,
        maxLength: count,
      }),
    )
    .map(([docs, keys]) => docs.sort((a, b) => a - b).map((doc, i) => ({ doc, keys: keys[i]! })));

describe('posting lists', () => {
  it.each([
    ['one occurrence a document', 400, 1],
    ['some occurrences a document', 300, 6],
    ['many occurrences a document', 140, 60],
    ['fewer documents than a block', 90, 5],
  ])('with %s have those of few and of many wanted documents', (_, count, most) => {
    const stride = fc.constantFrom(1, 2, 5, 20, 100);
    fc.assert(
      fc.property(rowsOf(count, most), stride, fc.boolean(), (rows, step, isListed) => {
        const lists = listsOf(rows);
        const wanted = Array.from({ length: Math.floor(DOC_IDS / step) }, (_, i) => i * step);
        const all = Int32Array.from([0, 1, 2]);
        expect(read(lists, wanted, all, isListed)).toEqual(expected(rows, wanted, FIELDS));
        const first = Int32Array.from([0, -1, -1]);
        expect(read(lists, wanted, first, isListed)).toEqual(expected(rows, wanted, 1));
      }),
      { numRuns: amount(8, 200) },
    );
  });
});
