/** Pinned and hidden documents in the answers of searches of every kind, in one index and in several. */
import { describe, expect, it } from 'vitest';
import type { Pin } from '../../../src/model/rule-pins.ts';
import type { SearchRule } from '../../../src/model/search-rule.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { type FederatedAnswer, multiSearchOver } from '../../support/multi-search.ts';
import { search, searchIds } from '../../support/search.ts';
import type { Asked } from '../../support/search-request.ts';

const documents = Array.from({ length: 30 }, (_, id) => ({
  id,
  title: id % 2 === 0 ? `fox number ${id}` : `wolf number ${id}`,
  kind: id % 2 === 0 ? 'fox' : 'wolf',
  group: `g${id % 10}`,
  rank: 100 - id,
  _vectors: { e: [Math.cos(id), Math.sin(id)] },
}));
const settings = {
  filterableAttributes: ['kind', 'group', 'rank'],
  sortableAttributes: ['rank'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } } as const,
};
const snapshot = buildSnapshot({ documents, settings, segmentCount: 3 });

const pins = (...places: readonly (readonly [id: string, position: number])[]): readonly Pin[] =>
  places.map(([id, position]) => ({ id, position, precedence: 1 }));

const PINS = pins(['21', 0], ['4', 2], ['3', 2], ['28', 40]);
const near = (ratio: number): Asked => ({
  semantic: { embedder: 'e', ratio, vector: Float32Array.of(1, 0) },
});

/** By definition: the ranked list without pinned documents, then each inserted at its position. */
function expected(asked: Asked, pinned: readonly Pin[]): unknown[] {
  const list = searchIds(snapshot, { ...asked, limit: 1000 });
  const others = list.filter((id) => !pinned.some((pin) => pin.id === String(id)));
  const slots = new Map<number, unknown>();
  for (const { id, position } of pinned) {
    let slot = position;
    while (slots.has(slot)) slot++;
    slots.set(slot, Number(id));
  }
  const all: unknown[] = [];
  for (let place = 0; slots.size > 0 || others.length > 0; place++) {
    const pin = slots.get(place);
    slots.delete(place);
    if (pin !== undefined) all.push(pin);
    else if (others.length > 0) all.push(others.shift());
  }
  return all;
}

const KINDS: readonly (readonly [string, Asked])[] = [
  ['words', { q: 'fox' }],
  ['no words', {}],
  ['a sort', { q: 'number', sort: ['rank:asc'] }],
  ['a score threshold', { q: 'fox 4', rankingScoreThreshold: 0.5 }],
  ['meaning', near(1)],
  ['words and meaning', { q: 'fox', ...near(0.9) }],
];

describe.each(KINDS)('a search by %s', (_, asked) => {
  it('shows pinned documents at their positions, on every page', () => {
    const all = expected(asked, PINS);
    const list = search(snapshot, { ...asked, limit: 1000, pins: PINS });
    expect(list.hits.map(({ id }) => id)).toEqual(all);
    expect(list['estimatedTotalHits']).toBe(all.length);
    for (let offset = 0; offset < all.length + 2; offset += 3) {
      const page = searchIds(snapshot, { ...asked, offset, limit: 3, pins: PINS });
      expect(page).toEqual(all.slice(offset, offset + 3));
    }
    const second = search(snapshot, { ...asked, page: 2, hitsPerPage: 5, pins: PINS });
    expect(second.hits.map(({ id }) => id)).toEqual(all.slice(5, 10));
    expect(second['totalHits']).toBe(all.length);
  });
});

describe('a pinned document', () => {
  it('is shown only if it exists and matches the filter', () => {
    const asked = { q: 'number', filter: 'kind = fox', limit: 2 };
    expect(
      searchIds(snapshot, { ...asked, pins: pins(['1', 0], ['absent', 0], ['8', 1]) }),
    ).toEqual([0, 8]);
  });

  it('is not shown if the query excludes its words', () => {
    const ids = searchIds(snapshot, { q: 'number -wolf', limit: 2, pins: pins(['1', 0]) });
    expect(ids).toEqual([0, 2]);
  });

  it('has its position in the score details, and the score 1', () => {
    const { hits } = search(snapshot, {
      q: 'fox',
      limit: 1,
      showRankingScore: true,
      showRankingScoreDetails: true,
      pins: pins(['5', 0]),
    });
    expect(hits[0]).toMatchObject({
      id: 5,
      _rankingScore: 1,
      _rankingScoreDetails: { pin: { order: 0, position: 0 } },
    });
  });

  it('is highlighted like ranked documents', () => {
    const { hits } = search(snapshot, {
      q: 'numbr wolf',
      limit: 1,
      attributesToHighlight: ['title'],
      pins: pins(['5', 0]),
    });
    expect(hits[0]).toMatchObject({
      _formatted: { title: '<em>wolf</em> <em>number</em> 5' },
    });
  });

  it('represents its distinct value, the first one if several share it', () => {
    const asked = { q: 'number', distinct: 'group', page: 1, hitsPerPage: 20 };
    const { hits, totalHits } = search(snapshot, {
      ...asked,
      pins: pins(['23', 1], ['13', 0], ['29', 0]),
    });
    const ids = hits.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual([29, 23, 0]);
    expect(new Set(hits.map(({ group }) => group)).size).toBe(10);
    expect([ids.length, totalHits]).toEqual([10, 10]);
  });

  it('is counted by facets', () => {
    const { facetDistribution } = search(snapshot, {
      q: 'fox',
      facets: ['kind'],
      pins: pins(['5', 0], ['4', 1]),
    });
    expect(facetDistribution).toEqual({ kind: { fox: 15, wolf: 1 } });
  });

  it('is not a semantic hit', () => {
    const { semanticHitCount } = search(snapshot, { ...near(1), limit: 4, pins: pins(['5', 0]) });
    expect(semanticHitCount).toBe(3);
  });
});

/** The rank of a document is 100 minus its id. */
const HIDDEN = ['4', '21', '0', 'absent'];
const EXCLUDING = 'rank NOT IN [96, 79, 100]';

describe.each([...KINDS, ['distinct values', { q: 'number', distinct: 'group' }] as const])(
  'a search by %s',
  (_, asked) => {
    it('does not find hidden documents, as if its filter excluded them', () => {
      for (const part of [{ limit: 5 }, { page: 2, hitsPerPage: 5 }]) {
        const more = { ...asked, ...part, facets: ['kind', 'rank'] };
        const without = search(snapshot, { ...more, filter: EXCLUDING });
        expect(search(snapshot, { ...more, hidden: HIDDEN })).toEqual(without);
        const pinning = { pins: pins(['23', 1]) };
        expect(search(snapshot, { ...more, ...pinning, hidden: HIDDEN })).toEqual(
          search(snapshot, { ...more, ...pinning, filter: EXCLUDING }),
        );
      }
    });
  },
);

describe('several indexes', () => {
  const rule = (
    uid: string,
    precedence: number,
    ...places: readonly (readonly [indexUid: string, id: string, position: number])[]
  ): SearchRule => ({
    uid,
    lastUpdatedAt: null,
    active: true,
    precedence,
    conditions: { query: { words: 'number' } },
    actions: places.map(([indexUid, id, position]) => ({
      selector: { indexUid, id },
      action: { type: 'pin', position },
    })),
  });
  const indexes = {
    foxes: { documents: documents.filter(({ kind }) => kind === 'fox'), settings },
    wolves: { documents: documents.filter(({ kind }) => kind === 'wolf'), settings },
  };
  const rules = [
    rule('a', 2, ['wolves', '21', 0], ['foxes', '20', 3]),
    rule('b', 1, ['foxes', '10', 0], ['foxes', '99', 1]),
  ];
  const plain = multiSearchOver(indexes);
  const ruled = multiSearchOver(indexes, rules);
  const queries = [
    { indexUid: 'foxes', q: 'number' },
    { indexUid: 'wolves', q: 'number' },
  ];
  const ids = ({ hits }: FederatedAnswer) => hits.map(({ id }) => id);

  it('form one list in which positions count, by precedence', async () => {
    const before = await plain.merged(queries, { limit: 100 });
    const others = ids(before).filter((id) => ![10, 20, 21].includes(Number(id)));
    const all = [10, 21, others[0], 20, ...others.slice(1)];
    const merged = await ruled.merged(queries, { limit: 100 });
    expect(ids(merged)).toEqual(all);
    expect(merged['estimatedTotalHits']).toBe(30);
    for (let offset = 0; offset < 31; offset += 4) {
      expect(ids(await ruled.merged(queries, { offset, limit: 4 }))).toEqual(
        all.slice(offset, offset + 4),
      );
    }
  });

  it('or one of them have pages without duplicates', async () => {
    const [foxes] = queries;
    const twice = [foxes, { ...foxes, q: 'fox number' }];
    const all = ids(await ruled.merged(twice, { limit: 100 }));
    expect([all[0], all[3]]).toEqual([10, 20]);
    expect(new Set(all).size).toBe(15);
    for (let offset = 0; offset < 16; offset += 2) {
      expect(ids(await ruled.merged(twice, { offset, limit: 2 }))).toEqual(
        all.slice(offset, offset + 2),
      );
    }
  });

  it('show one document for each value of a distinct field, pinned ones first', async () => {
    const merged = await ruled.merged(queries, { limit: 100, distinct: 'group' });
    expect(ids(merged).slice(0, 2)).toEqual([10, 21]);
    expect(ids(merged)).not.toContain(20);
    expect(new Set(merged.hits.map(({ group }) => group)).size).toBe(10);
    expect(merged.hits).toHaveLength(10);
  });

  it('lose hidden documents, in totals and facets too', async () => {
    const hiding: SearchRule = {
      ...rule('h', 0),
      actions: [
        { selector: { id: '10' }, action: { type: 'hide' } },
        { selector: { indexUid: 'wolves', id: '3' }, action: { type: 'hide' } },
        { selector: { indexUid: 'wolves', id: '2' }, action: { type: 'hide' } },
      ],
    };
    const hidden = multiSearchOver(indexes, [...rules, hiding]);
    const facetsByIndex = { foxes: ['kind'], wolves: ['kind'] };
    const merged = await hidden.merged(queries, { limit: 100, facetsByIndex });
    expect(ids(merged)[0]).toBe(21);
    expect(ids(merged)).not.toContain(10);
    expect(ids(merged)).not.toContain(3);
    expect(ids(merged)).toContain(2);
    expect(merged['estimatedTotalHits']).toBe(28);
    expect(merged['facetsByIndex']).toMatchObject({
      foxes: { distribution: { kind: { fox: 14 } } },
      wolves: { distribution: { kind: { wolf: 14 } } },
    });
  });

  it('answer separately by the rules of each', async () => {
    const { results } = await ruled.apart(queries);
    expect(results.map(({ hits }) => hits[0]?.['id'])).toEqual([10, 21]);
  });
});
