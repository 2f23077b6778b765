/** Groups of hits: equality with groups made of the ranked list by hand, in every kind of search. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pin } from '../../../src/model/rule-pins.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type SourceDocument,
} from '../../support/build-snapshot.ts';
import { multiSearchOver } from '../../support/multi-search.ts';
import { amount } from '../../support/run-length.ts';
import { search } from '../../support/search.ts';
import type { Asked } from '../../support/search-request.ts';

interface Group {
  readonly value: unknown;
  readonly count: number;
  readonly hits: readonly { readonly id: unknown }[];
}
interface GroupedHit {
  readonly id: unknown;
  readonly _group: Group;
}

const embedders = { e: { source: 'userProvided', dimensions: 2 } } as const;
const settings = {
  filterableAttributes: ['brand', 'colour', 'price'],
  sortableAttributes: ['price'],
  embedders,
};

const valuesOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : [value].flat();
/** The value of a group, as an answer shows it. */
const shown = (value: unknown): unknown => {
  const values = [...new Set(valuesOf(value))].sort();
  return values.length > 1 ? values : (values[0] ?? null);
};

/** By definition: each document joins the first hit that shares a value with it. */
function grouped(ranked: readonly SourceDocument[], size: number): GroupedHit[] {
  const groups: { hit: SourceDocument; rest: SourceDocument[] }[] = [];
  for (const document of ranked) {
    const own = valuesOf(document['brand']);
    const group = groups.find(({ hit }) =>
      valuesOf(hit['brand']).some((value) => own.includes(value)),
    );
    if (group === undefined) groups.push({ hit: document, rest: [] });
    else group.rest.push(document);
  }
  return groups.map(({ hit, rest }) => ({
    id: hit['id'],
    _group: {
      value: shown(hit['brand']),
      count: rest.length + 1,
      hits: rest.slice(0, size - 1).map(({ id }) => ({ id })),
    },
  }));
}

const brands = ['anker', 'bosch', 'casio', 7, 8.5];
const oneBrand = fc.option(fc.constantFrom(...brands), { nil: undefined });
const someBrands = fc.uniqueArray(fc.constantFrom('anker', 'bosch', 'casio', 'dell'), {
  maxLength: 3,
});
const corpusOf = (brand: fc.Arbitrary<unknown>): fc.Arbitrary<SourceDocument[]> =>
  fc
    .array(
      fc.record({
        brand,
        words: fc.constantFrom('red lamp', 'red fox lamp', 'lamp', 'fox'),
        price: fc.integer({ min: 0, max: 5 }),
        angle: fc.double({ min: 0, max: 3, noNaN: true }),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .map((rows) =>
      rows.map(({ angle, ...row }, id) => ({
        id,
        ...row,
        _vectors: { e: [Math.cos(angle), Math.sin(angle)] },
      })),
    );
/** With deleted copies of all documents, of other brands, in a segment of their own. */
function indexed(documents: readonly SourceDocument[], segmentCount: number): IndexSnapshot {
  if (segmentCount < 3) return buildSnapshot({ documents, settings, segmentCount });
  const copies = documents.map((document, docId) => ({ docId, document, isDead: false }));
  const dead = copies.map(({ docId, document }, i) => {
    const { brand } = documents[documents.length - 1 - i] ?? {};
    return { docId, document: { ...document, brand }, isDead: true };
  });
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
  ['a score threshold', { q: 'red lamp', rankingScoreThreshold: 0.6 }],
  ['meaning', near(1)],
  ['words and meaning', { q: 'red lamp', ...near(0.9) }],
];

describe.each(KINDS)('groups of a search with %s', (_, asked) => {
  it('are those of its ranked list, with all their documents', () => {
    fc.assert(
      fc.property(
        corpusOf(oneBrand),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(3),
        fc.nat(4),
        (documents, segmentCount, groupSize, offset, limit) => {
          const snapshot = indexed(documents, segmentCount);
          const ranked = search(snapshot, { ...asked, limit: 1000 }).hits;
          const all = grouped(ranked, groupSize);
          const { hits, ...rest } = search(snapshot, {
            ...asked,
            groupBy: 'brand',
            groupSize,
            offset,
            limit,
          });
          expect(hits).toMatchObject(all.slice(offset, offset + limit));
          expect(hits.length).toBe(all.slice(offset, offset + limit).length);
          expect(rest).toMatchObject({
            totalGroups: all.length,
            estimatedTotalHits: all.length,
            totalDocuments: ranked.length,
          });
        },
      ),
      { numRuns: amount(15, 1000) },
    );
  });

  it('hold a document once, also when it shares values with several hits', () => {
    fc.assert(
      fc.property(corpusOf(someBrands), fc.integer({ min: 1, max: 3 }), (documents, groupSize) => {
        const snapshot = buildSnapshot({ documents, settings, segmentCount: 2 });
        const ranked = search(snapshot, { ...asked, limit: 1000 }).hits;
        const all = grouped(ranked, groupSize);
        const { hits, ...rest } = search(snapshot, {
          ...asked,
          groupBy: 'brand',
          groupSize,
          limit: 1000,
        });
        expect(hits).toMatchObject(all);
        expect(rest).toMatchObject({ totalGroups: all.length, totalDocuments: ranked.length });
      }),
      { numRuns: amount(15, 1000) },
    );
  });
});

const documents = [
  { id: 1, title: 'red lamp', brand: 'Anker', colour: 'red', price: 3 },
  { id: 2, title: 'lamp', brand: 'anker', colour: 'blue', price: 1 },
  { id: 3, title: 'red lamp of wood', brand: 'Bosch', colour: 'red', price: 2 },
  { id: 4, title: 'red fox', colour: 'red', price: 9 },
  { id: 5, title: 'red lamp of steel', brand: 'Anker', colour: 'red', price: 5 },
];
const snapshot = buildSnapshot({ documents, settings, segmentCount: 2 });
const groupsOf = ({ hits }: { readonly hits: readonly object[] }) =>
  hits.map((hit) => {
    const { id, _group: group } = hit as GroupedHit;
    return [id, group.value, group.count, group.hits.map((other) => other.id)];
  });

describe('groupBy', () => {
  it('gives hits of a group the same members as hits, without a group', () => {
    const { hits } = search(snapshot, {
      q: 'lamp',
      groupBy: 'brand',
      attributesToRetrieve: ['id'],
      attributesToHighlight: ['title'],
      showRankingScore: true,
      limit: 1,
    });
    expect(hits).toMatchObject([
      {
        _formatted: { title: '<em>lamp</em>' },
        _group: {
          value: 'anker',
          hits: [{ id: 1, _formatted: { title: 'red <em>lamp</em>' } }, { id: 5 }],
        },
      },
    ]);
    const [first] = (hits[0] as unknown as GroupedHit)._group.hits;
    expect(Object.keys(first ?? {})).toEqual(['id', '_formatted', '_rankingScore']);
  });

  it('counts groups in pages and in facets, each by one document', () => {
    const { hits, ...rest } = search(snapshot, {
      q: 'red',
      groupBy: 'brand',
      page: 2,
      hitsPerPage: 1,
      facets: ['colour', 'brand'],
    });
    expect(hits).toHaveLength(1);
    expect(rest).toMatchObject({
      totalHits: 3,
      totalPages: 3,
      totalGroups: 3,
      totalDocuments: 4,
      facetDistribution: { colour: { red: 3 }, brand: { Anker: 1, Bosch: 1 } },
    });
  });

  it('replaces the distinct attribute of the settings', () => {
    const distinct = buildSnapshot({
      documents,
      settings: { ...settings, distinctAttribute: 'colour' },
    });
    expect(groupsOf(search(distinct, { groupBy: 'brand' }))).toEqual([
      [1, 'Anker', 3, [2, 5]],
      [3, 'Bosch', 1, []],
      [4, null, 1, []],
    ]);
  });

  it('leaves the documents of a pinned hit in its group', () => {
    const pins: readonly Pin[] = [{ id: '5', position: 1, precedence: 1 }];
    const { totalDocuments, ...answer } = search(snapshot, { q: 'red', pins, groupBy: 'brand' });
    expect(groupsOf(answer)).toEqual([
      [3, 'Bosch', 1, []],
      [5, 'Anker', 2, [1]],
      [4, null, 1, []],
    ]);
    expect(totalDocuments).toBe(4);
  });

  it('refuses attributes that are not filterable, and distinct', () => {
    const refusal = (asked: Asked) => () => search(snapshot, asked);
    expect(refusal({ groupBy: 'title' })).toThrow(
      /`title` is not filterable and thus cannot be `groupBy`.*`brand`, `colour`, `price`/,
    );
    expect(refusal({ groupBy: 'brand', distinct: 'colour' })).toThrow(
      '`groupBy` (`brand`) and `distinct` (`colour`) exclude each other',
    );
  });
});

describe('groupBy of a federation', () => {
  const indexes = multiSearchOver({
    shop: { documents, settings, segmentCount: 2 },
    other: { documents, settings },
  });
  const queries = [
    { indexUid: 'shop', q: 'fox' },
    { indexUid: 'shop', q: 'lamp', federationOptions: { weight: 2 } },
  ];

  it('groups the documents of all queries of an index, by their weighted scores', async () => {
    const federation = { groupBy: 'brand', groupSize: 2, facetsByIndex: { shop: ['brand'] } };
    const answer = await indexes.merged(queries, federation);
    expect(groupsOf(answer)).toEqual([
      [2, 'anker', 3, [1]],
      [3, 'Bosch', 1, []],
      [4, null, 1, []],
    ]);
    expect(answer).toMatchObject({
      estimatedTotalHits: 3,
      totalGroups: 3,
      totalDocuments: 5,
      hits: [{ _group: { hits: [{ _federation: { queriesPosition: 1 } }] } }, {}, {}],
      facetsByIndex: { shop: { distribution: { brand: { anker: 1, Bosch: 1 } } } },
    });
    const page = await indexes.merged(queries, { ...federation, page: 2, hitsPerPage: 1 });
    expect(groupsOf(page)).toEqual([[3, 'Bosch', 1, []]]);
    expect(page).toMatchObject({ totalHits: 3, totalPages: 3, totalDocuments: 5 });
  });

  it('is refused for several indexes, inside queries and with distinct', async () => {
    const by = { groupBy: 'brand' };
    const refusals: readonly (readonly [readonly object[], object, string])[] = [
      [[{ indexUid: 'shop' }, { indexUid: 'other' }], by, 'this request asks `other`, `shop`.'],
      [[{ indexUid: 'shop', ...by }], {}, '`groupBy` (`brand`) is not allowed in a federated'],
      [[{ indexUid: 'shop', distinct: 'colour' }], by, '`distinct` (`colour`) is not allowed'],
      [[{ indexUid: 'shop' }], { ...by, distinct: 'colour' }, 'exclude each other'],
    ];
    for (const [asked, federation, message] of refusals) {
      await expect(indexes.merged(asked, federation)).rejects.toMatchObject({
        code: 'invalid_multi_search_group_by',
        message: expect.stringContaining(message),
      });
    }
  });
});
