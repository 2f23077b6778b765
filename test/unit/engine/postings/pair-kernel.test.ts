/**
 * Goal: the kernel finds for each wanted document how near the words of pairs stand to each other, in lists
 * of any form. Method: random lists of several terms against a comparison of all their occurrences.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { occurrenceKey } from '../../../../src/engine/postings/occurrence-key.ts';
import {
  PAIR_COSTS,
  type PairTerms,
  type TermPair,
} from '../../../../src/engine/postings/pair-kernel.ts';
import { PostingListWriter } from '../../../../src/engine/postings/posting-list-writer.ts';
import { PostingLists } from '../../../../src/engine/postings/posting-lists.ts';
import { amount } from '../../../support/run-length.ts';

const DOC_IDS = 4096;

/** Occurrence keys by document, of each term. */
type Term = ReadonlyMap<number, readonly number[]>;

function listsOf(terms: readonly Term[], fieldCount: number): PostingLists {
  const writer = new PostingListWriter(fieldCount, []);
  const offsets = [0];
  for (const term of terms) {
    const rows = [...term].sort(([a], [b]) => a - b);
    const docs = Uint32Array.from(rows.flatMap(([doc, keys]) => keys.map(() => doc)));
    const keys = Uint32Array.from(rows.flatMap(([, own]) => own));
    writer.write(docs, keys, 0, docs.length);
    offsets.push(writer.length);
  }
  const sections = { offsets: Uint32Array.from(offsets), ...writer.finish() };
  return new PostingLists('test', sections, DOC_IDS, fieldCount);
}

/** What the kernel has to find, by comparing all with all. */
function costIn(doc: number, { left, right }: TermPair, terms: readonly Term[]): number {
  let best = PAIR_COSTS;
  const each = (
    sides: readonly PairTerms[],
    visit: (side: PairTerms, key: number) => void,
  ): void => {
    for (const side of sides)
      for (let term = side.lo; term < side.hi; term++)
        for (const key of terms[term]!.get(doc) ?? []) visit(side, key);
  };
  each(left, (a, aKey) =>
    each(right, (b, bKey) => {
      if (aKey >>> 16 !== bKey >>> 16) return;
      const gap = bKey - aKey;
      if (gap > 0 && a.isNext && b.isNext) best = Math.min(best, gap - 1);
      if (gap < 0 && a.isReversed && b.isReversed) best = Math.min(best, -gap);
    }),
  );
  return best;
}

interface Shape {
  /** Of each term, the number of its documents and the most occurrences that one has. */
  readonly terms: readonly (readonly [documents: number, occurrences: number])[];
  readonly fields: number;
  readonly positions: number;
}

const termOf = ([documents, occurrences]: readonly [number, number], shape: Shape) => {
  const key = fc
    .tuple(fc.nat(shape.fields - 1), fc.nat(shape.positions), fc.nat(30))
    .map(([field, at, far]) => occurrenceKey(field, far === 0 ? 65_000 + (at % 500) : at));
  const keys = fc.uniqueArray(key, { minLength: 1, maxLength: occurrences });
  return fc
    .tuple(
      fc.uniqueArray(fc.nat(DOC_IDS - 1), { minLength: documents, maxLength: documents }),
      fc.array(keys, { minLength: documents, maxLength: documents }),
    )
    .map(([docs, own]): Term => new Map(docs.map((doc, i) => [doc, own[i]!])));
};

/** The terms of both sides are ranges, which may overlap. */
const sideOf = (termCount: number): fc.Arbitrary<PairTerms[]> =>
  fc.array(
    fc
      .tuple(fc.nat(termCount - 1), fc.nat(termCount), fc.boolean(), fc.boolean())
      .map(([lo, length, isNext, isReversed]) => ({
        lo,
        hi: Math.min(termCount, lo + length),
        isNext,
        isReversed,
      })),
    { minLength: 1, maxLength: 3 },
  );

const SHAPES: readonly (readonly [string, Shape])[] = [
  [
    'one occurrence a document',
    {
      terms: [
        [400, 1],
        [700, 1],
      ],
      fields: 1,
      positions: 6,
    },
  ],
  [
    'some occurrences a document',
    {
      terms: [
        [900, 5],
        [300, 8],
      ],
      fields: 3,
      positions: 40,
    },
  ],
  [
    'many occurrences a document',
    {
      terms: [
        [300, 60],
        [140, 40],
      ],
      fields: 2,
      positions: 300,
    },
  ],
  [
    'terms of every length',
    {
      terms: [
        [20, 4],
        [127, 3],
        [128, 2],
        [300, 9],
        [1, 1],
      ],
      fields: 3,
      positions: 30,
    },
  ],
  [
    'many fields',
    {
      terms: [
        [200, 6],
        [90, 6],
        [150, 1],
      ],
      fields: 40,
      positions: 12,
    },
  ],
];

describe('pairs of words by posting lists', () => {
  it.each(SHAPES)('have the least cost of each wanted document: %s', (_, shape) => {
    const terms = fc.tuple(...shape.terms.map((term) => termOf(term, shape)));
    const pair = fc.record({
      left: sideOf(shape.terms.length),
      right: sideOf(shape.terms.length),
    });
    const pairs = fc.array(pair, { minLength: 1, maxLength: 3 });
    const stride = fc.constantFrom(1, 2, 7, 60, 900);
    fc.assert(
      fc.property(terms, pairs, stride, fc.nat(60), (made, wanted, step, first) => {
        const docs = Uint32Array.from(
          { length: Math.floor((DOC_IDS - first) / step) },
          (__, i) => first + i * step,
        );
        const costs = new Int32Array(docs.length);
        expect(listsOf(made, shape.fields).pairCosts(docs, wanted, costs)).toBe(true);
        const expected = Array.from(docs, (doc) =>
          wanted.reduce((sum, each) => sum + costIn(doc, each, made), 0),
        );
        expect([...costs]).toEqual(expected);
      }),
      { numRuns: amount(8, 200) },
    );
  });

  it('are found in more documents than the kernel takes at once', () => {
    const count = 40_000;
    const rows = (at: (doc: number) => number): Term =>
      new Map(Array.from({ length: count }, (_, doc) => [doc, [occurrenceKey(0, at(doc))]]));
    const terms = [rows((doc) => doc % 7), rows((doc) => (doc % 7) + 1 + (doc % 3))];
    const writer = new PostingListWriter(1, []);
    const offsets = [0];
    for (const term of terms) {
      const docs = Uint32Array.from(term.keys());
      writer.write(docs, Uint32Array.from([...term.values()].flat()), 0, count);
      offsets.push(writer.length);
    }
    const sections = { offsets: Uint32Array.from(offsets), ...writer.finish() };
    const docs = Uint32Array.from({ length: count }, (_, i) => i);
    const costs = new Int32Array(count);
    const side = (lo: number): PairTerms[] => [{ lo, hi: lo + 1, isNext: true, isReversed: false }];
    const lists = new PostingLists('test', sections, count, 1);
    expect(lists.pairCosts(docs, [{ left: side(0), right: side(1) }], costs)).toBe(true);
    expect([...costs]).toEqual(Array.from(docs, (doc) => doc % 3));
  });

  it('are found where documents have more occurrences than are held at once', () => {
    const count = 60;
    const positions = Array.from({ length: 30_000 }, (_, i) => occurrenceKey(0, 2 * i));
    const term = (documents: number, shift: (doc: number) => number): Term =>
      new Map(
        Array.from({ length: documents }, (_, doc) => [
          doc,
          positions.map((key) => key + shift(doc)),
        ]),
      );
    const lists = listsOf([term(count, () => 0), term(count, (doc) => (doc % 2) + 1)], 1);
    const docs = Uint32Array.from({ length: count }, (_, i) => i);
    const costs = new Int32Array(count);
    const side = (lo: number): PairTerms[] => [{ lo, hi: lo + 1, isNext: true, isReversed: false }];
    expect(lists.pairCosts(docs, [{ left: side(0), right: side(1) }], costs)).toBe(true);
    expect([...costs]).toEqual(Array.from(docs, (doc) => doc % 2));
  });

  it('are refused where a document has too many occurrences of several terms', () => {
    const odd = Array.from({ length: 2000 }, (_, i) => occurrenceKey(0, 2 * i + 1));
    const even = Array.from({ length: 2000 }, (_, i) => occurrenceKey(0, 2 * i));
    const lists = listsOf([new Map([[3, even]]), new Map([[3, odd]])], 1);
    const both: PairTerms[] = [
      { lo: 1, hi: 2, isNext: true, isReversed: true },
      { lo: 0, hi: 1, isNext: true, isReversed: true },
    ];
    const costs = new Int32Array(1);
    expect(lists.pairCosts(Uint32Array.of(3), [{ left: both, right: both }], costs)).toBe(false);
  });
});
