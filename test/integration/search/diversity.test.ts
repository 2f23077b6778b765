/** Diversity: equality with an order made of the scored list by hand, in every kind of search. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pin } from '../../../src/model/rule-pins.ts';
import type { Diversity } from '../../../src/model/search.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type SourceDocument,
} from '../../support/build-snapshot.ts';
import { amount } from '../../support/run-length.ts';
import { type Hit, search, searchIds } from '../../support/search.ts';
import type { Asked } from '../../support/search-request.ts';

const settings = {
  filterableAttributes: ['brand', 'price'],
  sortableAttributes: ['price'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
} as const;

const valuesOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : [...new Set([value].flat())];

function sharedPart(a: SourceDocument, b: SourceDocument): number {
  const [own, other] = [valuesOf(a['brand']), valuesOf(b['brand'])];
  const common = own.filter((value) => other.includes(value)).length;
  return common === 0 ? 0 : common / (own.length + other.length - common);
}

const anglesOf = (document: SourceDocument) => document['angles'] as readonly number[];

function nearness(a: SourceDocument, b: SourceDocument): number {
  const mean = (document: SourceDocument) => {
    const angles = anglesOf(document);
    const sums = [Math.cos, Math.sin].map((of) => angles.reduce((sum, x) => sum + of(x), 0));
    return { x: sums[0]!, y: sums[1]! };
  };
  if (anglesOf(a).length === 0 || anglesOf(b).length === 0) return 0.5;
  const [own, other] = [mean(a), mean(b)];
  const lengths = Math.hypot(own.x, own.y) * Math.hypot(other.x, other.y);
  return (1 + (own.x * other.x + own.y * other.y) / lengths) / 2;
}

/** Worths of vectors that differ by less are equal: files keep 32-bit floats. */
const ROUNDING = 1e-4;

/**
 * True if each hit has the greatest worth of those that are left, and is the first of equal ones.
 * @param ranked hits with scores, in the order before
 */
function isDiverse(
  hits: readonly Hit[],
  ranked: readonly Hit[],
  { strength, limit, ...by }: Diversity,
): boolean {
  const isByAttribute = 'attribute' in by;
  const similarity = isByAttribute ? sharedPart : nearness;
  const rounding = isByAttribute ? 1e-9 : ROUNDING;
  let least = 1;
  const left = ranked.slice(0, limit).map((hit) => {
    least = Math.min(least, hit._rankingScore!);
    return { hit, relevance: least };
  });
  const chosen: Hit[] = [];
  for (const hit of hits.slice(0, limit)) {
    const worths = left.map((one) => {
      const nearest = Math.max(0, ...chosen.map((other) => similarity(one.hit, other)));
      return (1 - strength) * one.relevance - strength * nearest;
    });
    const best = Math.max(...worths);
    const at = left.findIndex((one) => one.hit.id === hit.id);
    if (at < 0 || worths[at]! < best - rounding) return false;
    const first = worths.findIndex((worth) => worth >= best - rounding);
    if (isByAttribute && at !== first) return false;
    chosen.push(hit);
    left.splice(at, 1);
  }
  const idOf = (one: Hit) => one.id;
  const behind = [hits, ranked].map((list) => list.slice(limit).map(idOf).join());
  return left.length === 0 && behind[0] === behind[1];
}

const brand = fc.oneof(
  fc.constantFrom('anker', 'bosch', 7, 8.5, undefined),
  fc.uniqueArray(fc.constantFrom('anker', 'bosch', 'casio'), { maxLength: 3 }),
);
const corpus: fc.Arbitrary<SourceDocument[]> = fc
  .array(
    fc.record({
      brand,
      words: fc.constantFrom('red lamp', 'red fox lamp', 'lamp', 'fox'),
      price: fc.integer({ min: 0, max: 5 }),
      angles: fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 2 }),
    }),
    { minLength: 10, maxLength: 40 },
  )
  .map((rows) =>
    rows.map((row, id) => ({
      id,
      ...row,
      _vectors: { e: row.angles.map((angle) => [Math.cos(angle), Math.sin(angle)]) },
    })),
  );

/** With deleted copies of all documents, of other brands and vectors, in a segment of their own. */
function indexed(documents: readonly SourceDocument[], segmentCount: number): IndexSnapshot {
  if (segmentCount < 3) return buildSnapshot({ documents, settings, segmentCount });
  const copies = documents.map((document, docId) => ({ docId, document, isDead: false }));
  const dead = copies.map(({ docId, document }) => ({
    docId,
    document: { ...document, brand: 'dell', _vectors: { e: [[-1, 0]] } },
    isDead: true,
  }));
  return buildPlacedSnapshot({ segments: [dead, copies], settings });
}

const near = (ratio: number): Asked => ({
  semantic: { embedder: 'e', ratio, vector: Float32Array.of(1, 0) },
});
const KINDS: readonly (readonly [string, Asked])[] = [
  ['no words', {}],
  ['words', { q: 'red lamp' }],
  ['a sort', { q: 'lamp', sort: ['price:asc'] }],
  ['a filter', { q: 'lamp', filter: 'price > 1' }],
  ['a distinct attribute', { q: 'lamp', distinct: 'price' }],
  ['a score threshold', { q: 'red lamp', rankingScoreThreshold: 0.6 }],
  ['meaning', near(1)],
  ['words and meaning', { q: 'red lamp', ...near(0.9) }],
  ['words more than meaning', { q: 'red lamp', ...near(0.3) }],
];
/** Also strength 0, which keeps the order, and pages on both sides of the limit. */
const amounts = fc.record({
  strength: fc.constantFrom(0, 0.1, 0.3, 0.5, 0.9, 1),
  limit: fc.constantFrom(3, 7, 10, 50),
});

function expectDiverse(snapshot: IndexSnapshot, asked: Asked, diversity: Diversity): Hit[] {
  const scored = { ...asked, showRankingScore: true, limit: 200 };
  const plain = search(snapshot, scored);
  const { hits, ...rest } = search(snapshot, { ...scored, diversity });
  expect(isDiverse(hits, plain.hits, diversity)).toBe(true);
  expect({ ...rest, hits: plain.hits }).toEqual(plain);
  const scoreOf = new Map(plain.hits.map(({ id, _rankingScore }) => [id, _rankingScore]));
  for (const hit of hits) expect(hit._rankingScore).toBe(scoreOf.get(hit.id));
  return [...hits];
}

describe.each(KINDS)('diversity of a search with %s', (_, asked) => {
  it('reorders its first hits by the definition, alike on all pages', () => {
    fc.assert(
      fc.property(corpus, amounts, fc.integer({ min: 1, max: 7 }), (documents, same, pageSize) => {
        for (const by of [{ attribute: 'brand' }, { embedder: 'e' }]) {
          for (const segmentCount of [1, 2, 3]) {
            const diversity = { ...by, ...same };
            const snapshot = indexed(documents, segmentCount);
            const hits = expectDiverse(snapshot, asked, diversity);
            const pages: unknown[] = [];
            for (let offset = 0; offset < hits.length; offset += pageSize) {
              pages.push(...searchIds(snapshot, { ...asked, diversity, offset, limit: pageSize }));
            }
            expect(pages).toEqual(hits.map(({ id }) => id));
          }
        }
      }),
      { numRuns: amount(2, 500) },
    );
  });
});

const documents = [
  { id: 1, title: 'red lamp', brand: 'Anker', price: 3 },
  { id: 2, title: 'red lamp', brand: 'ANKER', price: 1 },
  { id: 3, title: 'red lamp', brand: 'Bosch', price: 2 },
  { id: 4, title: 'red lamp', price: 9 },
];
const snapshot = buildSnapshot({ documents, settings, segmentCount: 2 });
const byBrand = { attribute: 'brand', strength: 0.5, limit: 50 };

describe('diversity', () => {
  it('compares values without regard to case; documents without a value differ from all', () => {
    expect(searchIds(snapshot, { q: 'red', diversity: byBrand })).toEqual([1, 3, 4, 2]);
  });

  it('leaves pinned documents at their places and keeps others different from them', () => {
    const pins: readonly Pin[] = [{ id: '3', position: 1, precedence: 0 }];
    const third = { id: 5, title: 'red lamp', brand: 'Bosch', price: 4 };
    const more = buildSnapshot({ documents: [third, ...documents], settings });
    expect(searchIds(more, { q: 'red', pins })).toEqual([5, 3, 1, 2, 4]);
    expect(searchIds(more, { q: 'red', pins, diversity: byBrand })).toEqual([5, 3, 1, 4, 2]);
  });

  it('refuses an attribute that is not filterable, and names those that are', () => {
    const diversity = { ...byBrand, attribute: 'title' };
    expect(() => search(snapshot, { diversity })).toThrow(/`title` .*`brand`, `price`/);
  });

  it('asks for both lists of a hybrid search on every page', () => {
    const lamps = Array.from({ length: 9 }, (_, id) => ({ id, title: 'lamp' }));
    const fox = { id: 9, title: 'fox', _vectors: { e: [1, 0] } };
    const mixed = buildSnapshot({ documents: [...lamps, fox], settings });
    for (const limit of [1, 100]) {
      const asked = { q: 'lamp', ...near(0.3), diversity: { ...byBrand, limit: 2 }, limit };
      expect(search(mixed, asked)['estimatedTotalHits']).toBe(10);
    }
  });

  it('reads signs of vectors where only signs are stored', () => {
    const embedders = { e: { ...settings.embedders.e, dimensions: 3, binaryQuantized: true } };
    const vectors = [
      [1, -1, -1],
      [-1, -1, -1],
      [-1, 1, -1],
    ];
    const signs = buildSnapshot({
      documents: vectors.map((vector, id) => ({ id, title: 'red', _vectors: { e: vector } })),
      settings: { ...settings, embedders },
    });
    const diversity = { embedder: 'e', strength: 0.5, limit: 50 };
    expect(searchIds(signs, { diversity })).toEqual([0, 2, 1]);
  });
});
