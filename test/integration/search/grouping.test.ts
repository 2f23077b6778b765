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
import {
  groupPages,
  lampQueries,
  lampsOf,
  SHOP_FACETS,
  SHOP_SETTINGS,
  SHOP_UIDS,
} from '../../support/lamp-shops.ts';
import { type FederatedHit, multiSearchOver } from '../../support/multi-search.ts';
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

const valuesOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : [value].flat();
/** The value of a group, as an answer shows it. */
const shown = (value: unknown): unknown => {
  const values = [...new Set(valuesOf(value))].sort();
  return values.length > 1 ? values : (values[0] ?? null);
};

interface DocumentGroup {
  readonly hit: SourceDocument;
  readonly rest: SourceDocument[];
}

/** By definition: each document joins the first hit that shares a value with it. */
function groupsIn(ranked: readonly SourceDocument[]): DocumentGroup[] {
  const groups: DocumentGroup[] = [];
  /** Value → the number of the group whose hit has it. */
  const owners = new Map<unknown, number>();
  for (const document of ranked) {
    const own = valuesOf(document['brand']);
    const first = Math.min(...own.flatMap((value) => owners.get(value) ?? []));
    if (Number.isFinite(first)) {
      groups[first]?.rest.push(document);
      continue;
    }
    for (const value of own) owners.set(value, groups.length);
    groups.push({ hit: document, rest: [] });
  }
  return groups;
}

const grouped = (ranked: readonly SourceDocument[], size: number): GroupedHit[] =>
  groupsIn(ranked).map(({ hit, rest }) => ({
    id: hit['id'],
    _group: {
      value: shown(hit['brand']),
      count: rest.length + 1,
      hits: rest.slice(0, size - 1).map(({ id }) => ({ id })),
    },
  }));

type Documents = readonly SourceDocument[];
const documentsOf = ({ hit, rest }: DocumentGroup): Documents => [hit, ...rest];

/** By definition: a value counts the groups that have a document with it. */
const facetsOf = (ranked: Documents) => facetsOfGroups(groupsIn(ranked).map(documentsOf));

interface Facets {
  readonly distribution: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly stats: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
}

/** An answer leaves out fields that no document of the index has. */
const withoutEmpty = ({ distribution, stats }: Facets): Facets => {
  const filled = Object.entries(distribution).filter(
    ([, counts]) => Object.keys(counts).length > 0,
  );
  return { distribution: Object.fromEntries(filled), stats };
};

function facetsOfGroups(groups: readonly Documents[]) {
  const distribution: Record<string, Record<string, number>> = {};
  const stats: Record<string, { min: number; max: number }> = {};
  for (const field of SHOP_FACETS) {
    const counts: Record<string, number> = {};
    const valuesIn = (group: readonly SourceDocument[]) =>
      new Set(group.flatMap((document) => valuesOf(document[field])));
    for (const group of groups)
      for (const value of valuesIn(group)) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
    distribution[field] = counts;
    const numbers = [...valuesIn(groups.flat())].filter((value) => typeof value === 'number');
    if (numbers.length > 0) stats[field] = { min: Math.min(...numbers), max: Math.max(...numbers) };
  }
  return { distribution, stats };
}

const brands = ['anker', 'bosch', 'casio', 7, 8.5];
const oneBrand = fc.option(fc.constantFrom(...brands), { nil: undefined });
const someBrands = fc.uniqueArray(fc.constantFrom('anker', 'bosch', 'casio', 'dell'), {
  maxLength: 3,
});
const oneOrder = fc.constantFrom('alpha' as const, 'count' as const);
const corpusOf = (brand: fc.Arbitrary<unknown>) => lampsOf(brand, [1, 40]);
/** With deleted copies of all documents, of other brands, in a segment of their own. */
function indexed(documents: readonly SourceDocument[], segmentCount: number): IndexSnapshot {
  if (segmentCount < 3) return buildSnapshot({ documents, settings: SHOP_SETTINGS, segmentCount });
  const copies = documents.map((document, docId) => ({ docId, document, isDead: false }));
  const dead = copies.map(({ docId, document }, i) => {
    const { brand } = documents[documents.length - 1 - i] ?? {};
    return { docId, document: { ...document, brand }, isDead: true };
  });
  return buildPlacedSnapshot({ segments: [dead, copies], settings: SHOP_SETTINGS });
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
  it('are those of its ranked list, with all their documents, each once', () => {
    fc.assert(
      fc.property(
        fc.oneof(corpusOf(oneBrand), corpusOf(someBrands)),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(3),
        fc.nat(4),
        oneOrder,
        (documents, segmentCount, groupSize, offset, limit, sortFacetValuesBy) => {
          const snapshot = indexed(documents, segmentCount);
          const ranked = search(snapshot, { ...asked, limit: 1000 }).hits;
          const all = grouped(ranked, groupSize);
          const { hits, ...rest } = search(snapshot, {
            ...asked,
            groupBy: 'brand',
            groupSize,
            offset,
            limit,
            facets: SHOP_FACETS,
            sortFacetValuesBy,
          });
          expect(hits).toMatchObject(all.slice(offset, offset + limit));
          expect(hits.length).toBe(all.slice(offset, offset + limit).length);
          expect(rest).toMatchObject({
            totalGroups: all.length,
            estimatedTotalHits: all.length,
            totalDocuments: ranked.length,
          });
          const { distribution, stats } = facetsOf(ranked);
          const { facetDistribution, facetStats } = rest;
          const counted = { distribution: facetDistribution, stats: facetStats } as Facets;
          expect(withoutEmpty(counted)).toEqual(withoutEmpty({ distribution, stats }));
        },
      ),
      { numRuns: amount(8, 1000) },
    );
  });
});

describe.each(KINDS)('distinct in a search with %s', (_, asked) => {
  it('keeps each document that shares no value with a better one, pinned ones first', () => {
    fc.assert(
      fc.property(
        corpusOf(someBrands),
        fc.array(fc.nat(39), { maxLength: 2 }),
        fc.nat(4),
        fc.nat(4),
        (documents, pinned, offset, limit) => {
          const snapshot = indexed(documents, 2);
          const ranked = search(snapshot, { ...asked, limit: 1000 }).hits;
          const price = (id: number) => Number(documents[id]?.['price']);
          const ids = asked.filter === undefined ? pinned : pinned.filter((id) => price(id) > 1);
          const first = [...new Set(ids)].flatMap<SourceDocument>((id) => documents[id] ?? []);
          const pins = first.map(({ id }, i) => ({ id: String(id), position: i, precedence: i }));
          const others = ranked.filter(({ id }) => !first.some((own) => own['id'] === id));
          const all = groupsIn([...first, ...others]).map(({ hit }) => hit['id']);
          const { hits } = search(snapshot, { ...asked, pins, distinct: 'brand', offset, limit });
          expect(hits.map(({ id }) => id)).toEqual(all.slice(offset, offset + limit));
        },
      ),
      { numRuns: amount(12, 2000) },
    );
  });
});

/** By definition: pinned hits take their positions among the hits of the other groups. */
function withPins(
  groups: readonly GroupedHit[],
  positions: readonly number[],
): readonly GroupedHit[] {
  const others = groups.slice(positions.length);
  const slots = new Map<number, GroupedHit>();
  positions.forEach((position, i) => {
    let slot = position;
    while (slots.has(slot)) slot++;
    slots.set(slot, groups[i] as GroupedHit);
  });
  const placed: GroupedHit[] = [];
  for (let place = 0; placed.length < groups.length; place++) {
    const hit = slots.get(place) ?? others.shift();
    if (hit !== undefined) placed.push(hit);
  }
  return placed;
}

describe.each(KINDS)('pinned documents in groups of a search with %s', (_, asked) => {
  it('keep their positions and come first when documents get their groups', () => {
    fc.assert(
      fc.property(
        fc.oneof(corpusOf(oneBrand), corpusOf(someBrands)),
        fc.array(fc.tuple(fc.nat(39), fc.nat(6)), { minLength: 1, maxLength: 3 }),
        fc.nat(4),
        fc.nat(4),
        (documents, placed, offset, limit) => {
          const snapshot = indexed(documents, 2);
          const ranked = search(snapshot, { ...asked, limit: 1000 }).hits;
          const pins = placed.map(([id, position], precedence) => {
            return { id: String(id), position, precedence };
          });
          const isAllowed = ({ price }: SourceDocument) =>
            asked.filter === undefined || Number(price) > 1;
          const chosen: SourceDocument[] = [];
          const positions: number[] = [];
          for (const { id, position } of pins) {
            const document = documents[Number(id)];
            if (document === undefined || !isAllowed(document)) continue;
            if (groupsIn([...chosen, document]).length === chosen.length) continue;
            chosen.push(document);
            positions.push(position);
          }
          const others = ranked.filter(({ id }) => !chosen.some((pinned) => pinned['id'] === id));
          const all = withPins(grouped([...chosen, ...others], 3), positions);
          const { hits, ...rest } = search(snapshot, {
            ...asked,
            pins,
            groupBy: 'brand',
            offset,
            limit,
          });
          expect(hits).toMatchObject(all.slice(offset, offset + limit));
          expect(hits.length).toBe(all.slice(offset, offset + limit).length);
          expect(rest['totalDocuments']).toBe(chosen.length + others.length);
        },
      ),
      { numRuns: amount(12, 2000) },
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
const snapshot = buildSnapshot({ documents, settings: SHOP_SETTINGS, segmentCount: 2 });
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

  it('counts groups in pages and in facets, with the values of all their documents', () => {
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
    const all = search(snapshot, { groupBy: 'brand', facets: ['colour', 'price'] });
    expect(all).toMatchObject({
      totalGroups: 3,
      facetDistribution: {
        colour: { blue: 1, red: 3 },
        price: { 1: 1, 2: 1, 3: 1, 5: 1, 9: 1 },
      },
      facetStats: { price: { min: 1, max: 9 } },
    });
  });

  const byNumber = (a: string, b: string) => Number(a) - Number(b);
  it.each([1, 3])('counts values in groups of many documents, in %i segments', (segmentCount) => {
    const many = Array.from({ length: 3400 }, (_, id) => ({
      id,
      brand: `b${id % 510}`,
      colour: [`c${(id * 7) % 11}`, `c${id % 3}`],
      price: (id * id) % 17,
    }));
    const large = buildSnapshot({
      documents: many,
      settings: { ...SHOP_SETTINGS, faceting: { maxValuesPerFacet: 4, sortFacetValuesBy: {} } },
      segmentCount,
    });
    for (const [filter, order] of [
      [null, 'alpha'],
      [null, 'count'],
      // Few documents are read one by one.
      ['price = 4', 'alpha'],
      ['price = 4', 'count'],
    ] as const) {
      const found = filter === null ? many : many.filter(({ price }) => price === 4);
      const { distribution, stats } = facetsOf(found);
      const { facetDistribution, facetStats } = search(large, {
        filter,
        groupBy: 'brand',
        facets: ['colour', 'price'],
        sortFacetValuesBy: order,
        limit: 1,
      });
      for (const field of ['colour', 'price']) {
        const all = distribution[field] ?? {};
        const counts = (facetDistribution as typeof distribution)[field] ?? {};
        expect(all).toMatchObject(counts);
        if (order === 'count') {
          const descending = (a: number, b: number) => b - a;
          const greatest = Object.values(all).sort(descending).slice(0, 4);
          expect(Object.values(counts).sort(descending)).toEqual(greatest);
        } else {
          const first = Object.keys(all).sort(field === 'colour' ? undefined : byNumber);
          expect(Object.keys(counts)).toEqual(first.slice(0, 4));
        }
      }
      expect(facetStats).toEqual({ price: stats['price'] });
    }
  });

  it('replaces the distinct attribute of the settings', () => {
    const distinct = buildSnapshot({
      documents,
      settings: { ...SHOP_SETTINGS, distinctAttribute: 'colour' },
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
    shop: { documents, settings: SHOP_SETTINGS, segmentCount: 2 },
    other: { documents, settings: SHOP_SETTINGS },
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
      facetsByIndex: { shop: { distribution: { brand: { Anker: 1, Bosch: 1 } } } },
    });
    const page = await indexes.merged(queries, { ...federation, page: 2, hitsPerPage: 1 });
    expect(groupsOf(page)).toEqual([[3, 'Bosch', 1, []]]);
    expect(page).toMatchObject({ totalHits: 3, totalPages: 3, totalDocuments: 5 });
  });

  it('is refused inside queries and with distinct', async () => {
    const by = { groupBy: 'brand' };
    const refusals: readonly (readonly [readonly object[], object, string])[] = [
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

const keyOf = (hit: object): string => {
  const { id, _federation: of } = hit as FederatedHit;
  return `${of.indexUid} ${id} by ${of.queriesPosition}`;
};
const shownGroups = (hits: readonly object[]) =>
  hits.map((hit) => {
    const { value, count, hits: members } = (hit as GroupedHit)._group;
    return [keyOf(hit), value, count, members.map(keyOf)];
  });
const expectedGroups = (ranked: Documents, size: number) =>
  groupsIn(ranked).map(({ hit, rest }) => [
    keyOf(hit),
    shown(hit['brand']),
    rest.length + 1,
    rest.slice(0, size - 1).map(keyOf),
  ]);
const indexOfHit = (hit: object): string => (hit as FederatedHit)._federation.indexUid;

function threeIndexes(brand: fc.Arbitrary<unknown>) {
  const one = fc.tuple(corpusOf(brand), fc.integer({ min: 1, max: 2 }));
  return fc
    .tuple(one, one, one)
    .map((all) =>
      multiSearchOver(
        Object.fromEntries(
          all.map(([corpus, segmentCount], i) => [
            SHOP_UIDS[i] ?? '',
            { documents: corpus, settings: SHOP_SETTINGS, segmentCount },
          ]),
        ),
      ),
    );
}

describe('groups of several indexes', () => {
  it('are those of the merged list, on every page, with all their documents, each once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(threeIndexes(oneBrand), threeIndexes(someBrands)),
        lampQueries,
        groupPages,
        async ({ merged }, queries, { groupSize, offset, limit }) => {
          const { hits } = await merged(queries, { limit: 1000 });
          const all = expectedGroups(hits, groupSize);
          const by = { groupBy: 'brand', groupSize };
          const answer = await merged(queries, { ...by, offset, limit });
          expect(shownGroups(answer.hits)).toEqual(all.slice(offset, offset + limit));
          const totals = { totalGroups: all.length, totalDocuments: hits.length };
          expect(answer).toMatchObject({ ...totals, estimatedTotalHits: all.length });
          if (limit === 0) return;
          const paged = await merged(queries, { ...by, page: 2, hitsPerPage: limit });
          expect(shownGroups(paged.hits)).toEqual(all.slice(limit, 2 * limit));
          expect(paged).toMatchObject({ ...totals, totalHits: all.length });
        },
      ),
      { numRuns: amount(12, 2000) },
    );
  });

  it('count once for a facet value, in each index or in all of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(threeIndexes(oneBrand), threeIndexes(someBrands)),
        lampQueries,
        async ({ merged: sent }, queries) => {
          const { hits } = await sent(queries, { limit: 1000 });
          const groups = groupsIn(hits).map(documentsOf);
          const facetsByIndex = Object.fromEntries(SHOP_UIDS.map((uid) => [uid, SHOP_FACETS]));
          const federation = { groupBy: 'brand', groupSize: 1, limit: 1000, facetsByIndex };
          const apart = await sent(queries, federation);
          const uids = [...new Set(queries.map(({ indexUid }) => indexUid))].sort();
          const ofIndex = (uid: string) =>
            groups.map((group) => group.filter((hit) => indexOfHit(hit) === uid));
          const tables = apart['facetsByIndex'] as Record<string, Facets>;
          expect(Object.keys(tables).sort()).toEqual(uids);
          for (const [uid, { distribution, stats }] of Object.entries(tables))
            expect(withoutEmpty({ distribution, stats })).toEqual(
              withoutEmpty(facetsOfGroups(ofIndex(uid))),
            );
          const { facetDistribution, facetStats } = await sent(queries, {
            ...federation,
            mergeFacets: {},
          });
          const merged = { distribution: facetDistribution, stats: facetStats } as Facets;
          expect(withoutEmpty(merged)).toEqual(withoutEmpty(facetsOfGroups(groups)));
        },
      ),
      { numRuns: amount(12, 2000) },
    );
  });

  it('have exact numbers in hybrid searches', async () => {
    const hybrid = { q: 'red lamp', hybrid: { embedder: 'e', semanticRatio: 0.5 }, vector: [1, 0] };
    await fc.assert(
      fc.asyncProperty(threeIndexes(oneBrand), lampQueries, async ({ merged }, more) => {
        const queries = [
          { indexUid: 'a', ...hybrid },
          ...more.map((query) => ({ ...query, ...hybrid })),
        ];
        const { hits } = await merged(queries, { limit: 1000 });
        const numbers = (groups: readonly unknown[][]) =>
          groups.map(([, value, count]) => `${JSON.stringify(value)} ${count}`).sort();
        const answer = await merged(queries, { groupBy: 'brand', limit: 1000 });
        expect(numbers(shownGroups(answer.hits))).toEqual(numbers(expectedGroups(hits, 1)));
        expect(answer['totalDocuments']).toBe(hits.length);
      }),
      { numRuns: amount(8, 1000) },
    );
  });

  const lamps = (first: number, brand: string, rank: number) => [
    { id: first, title: 'lamp', brand, rank },
    { id: first + 1, title: 'lamp of steel', brand, rank: rank + 2 },
  ];
  const shops = multiSearchOver({
    films: { documents: lamps(1, 'Anker', 1), settings: SHOP_SETTINGS },
    books: {
      documents: [...lamps(1, 'anker', 2), { id: 9, title: 'lamp' }],
      settings: SHOP_SETTINGS,
    },
    empty: { documents: [], settings: SHOP_SETTINGS },
    other: { documents: [{ id: 1, title: 'lamp', brand: 'x' }] },
  });
  const ofShops = ['films', 'books', 'empty'].map((indexUid) => ({ indexUid, q: 'lamp' }));

  it('have one value however the indexes spell it, and hits with their own index and query', async () => {
    const answer = await shops.merged(ofShops, {
      groupBy: 'brand',
      facetsByIndex: { films: ['brand'], books: ['brand'], empty: ['brand'] },
      mergeFacets: { maxValuesPerFacet: 10 },
    });
    expect(shownGroups(answer.hits)).toEqual([
      ['films 1 by 0', 'Anker', 4, ['books 1 by 1', 'films 2 by 0']],
      ['books 9 by 1', null, 1, []],
    ]);
    expect(answer).toMatchObject({
      totalGroups: 2,
      totalDocuments: 5,
      facetDistribution: { brand: { Anker: 1, anker: 1 } },
    });
  });

  it('have at most as many hits of an index as it shows', async () => {
    const many = (from: number) =>
      Array.from({ length: 9 }, (_, i) => ({ id: i, title: 'lamp', brand: `b${from + i}` }));
    const { merged } = multiSearchOver({
      a: { documents: many(0), settings: { ...SHOP_SETTINGS, pagination: { maxTotalHits: 2 } } },
      b: { documents: many(1), settings: { ...SHOP_SETTINGS, pagination: { maxTotalHits: 3 } } },
    });
    const queries = ['a', 'b'].map((indexUid) => ({ indexUid, q: 'lamp' }));
    const answer = await merged(queries, { groupBy: 'brand', groupSize: 1 });
    expect(answer.hits.map(keyOf)).toEqual([
      'a 0 by 0',
      'a 1 by 0',
      'b 1 by 1',
      'b 2 by 1',
      'b 3 by 1',
    ]);
    expect(answer).toMatchObject({ totalGroups: 10, totalDocuments: 18 });
  });

  it('name the query whose index cannot group', async () => {
    const queries = [...ofShops, { indexUid: 'other', q: 'lamp' }];
    await expect(shops.merged(queries, { groupBy: 'brand' })).rejects.toMatchObject({
      code: 'invalid_search_group_by',
      message: expect.stringContaining('Inside `.queries[3]`'),
    });
  });

  it('are none without queries', async () => {
    expect((await shops.merged([], { groupBy: 'brand' })).hits).toEqual([]);
  });
});
