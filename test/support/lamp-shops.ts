/** Random small shops of lamps with brands, colours, prices and vectors, and multi-searches of them. */
import fc from 'fast-check';
import type { SourceDocument } from './build-snapshot.ts';

export const SHOP_UIDS = ['a', 'b', 'c'];
export const SHOP_FACETS = ['brand', 'colour', 'price'];
export const SHOP_SETTINGS = {
  filterableAttributes: ['brand', 'colour', 'price'],
  sortableAttributes: ['price'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
} as const;

/** @param rows least and greatest number of documents */
export const lampsOf = (
  brand: fc.Arbitrary<unknown>,
  [minLength, maxLength]: readonly [number, number],
): fc.Arbitrary<SourceDocument[]> =>
  fc
    .array(
      fc.record({
        brand,
        colour: fc.uniqueArray(fc.constantFrom('red', 'blue', 'green'), { maxLength: 2 }),
        words: fc.constantFrom('red lamp', 'red fox lamp', 'lamp', 'fox'),
        price: fc.integer({ min: 0, max: 5 }),
        angle: fc.double({ min: 0, max: 3, noNaN: true }),
      }),
      { minLength, maxLength },
    )
    .map((rows) =>
      rows.map(({ angle, ...row }, id) => ({
        id,
        ...row,
        _vectors: { e: [Math.cos(angle), Math.sin(angle)] },
      })),
    );

const SEARCHES = [
  {},
  { q: 'red lamp' },
  { q: 'lamp', filter: 'price > 1' },
  { q: 'red lamp', rankingScoreThreshold: 0.6 },
  { q: 'fox', showRankingScore: true },
  { hybrid: { embedder: 'e', semanticRatio: 1 }, vector: [1, 0] },
];

/** One to five queries of a multi-search, all with the same sort or all with none. */
export const lampQueries = fc
  .tuple(
    fc.array(
      fc.record({
        indexUid: fc.constantFrom(...SHOP_UIDS),
        asked: fc.constantFrom(...SEARCHES),
        weight: fc.constantFrom(0.5, 1, 2),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    fc.boolean(),
  )
  .map(([queries, isSorted]) =>
    queries.map(({ indexUid, asked, weight }) => ({
      indexUid,
      ...(isSorted ? { q: 'lamp', sort: ['price:asc'] } : asked),
      federationOptions: { weight },
    })),
  );

export const groupPages = fc.record({
  groupSize: fc.integer({ min: 1, max: 4 }),
  offset: fc.nat(4),
  limit: fc.nat(5),
});
