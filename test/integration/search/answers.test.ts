/** Scores, windows, fields of hits (relevance.md 4.1, 4.2, 4.3, 6.1, 6.2). */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import {
  indexDocuments,
  indexTexts,
  search,
  searchDetails,
  searchIds,
  searchScores,
} from '../../support/search.ts';

describe('ranking scores', () => {
  it('are those of the worked examples', () => {
    const index = indexDocuments([
      { id: 'desk', name: 'desk lamp' },
      { id: 'shade', name: 'lamp shade' },
    ]);
    const scores = searchScores(index, { q: 'lamp' });
    expect(scores.get('desk')).toBeCloseTo(122 / 132, 12);
    expect(scores.get('shade')).toBeCloseTo(130 / 132, 12);
    expect([...scores.keys()]).toEqual(['shade', 'desk']);
  });

  it('are 1 for a placeholder and with no rule that contributes', () => {
    const index = indexTexts({ one: 'x lamp' }, { rankingRules: ['sort'] });
    expect(searchScores(index, { q: '' }).get('one')).toBe(1);
    expect(searchScores(index, { q: 'lamp' }).get('one')).toBe(1);
  });

  it('are exactly 1/6 when one word of six matches and all else is perfect', () => {
    const index = indexTexts({ one: 'red' });
    expect(searchScores(index, { q: 'red bb cc dd ee ff ' }).get('one')).toBeCloseTo(1 / 6, 12);
  });

  it('stay at or below the share of matching words', () => {
    const scores = searchScores(indexTexts({ two: 'x red blue' }), { q: 'red blue sky ' });
    expect(scores.get('two')).toBeLessThan(2 / 3);
    expect(scores.get('two')).toBeGreaterThan(1 / 3);
  });

  it('come with details by rule in the order of application', () => {
    const details = searchDetails(indexTexts({ one: 'desk lamp' }), { q: 'lamp' }).get('one');
    expect(JSON.stringify(details)).toBe(
      JSON.stringify({
        words: { order: 0, matchingWords: 1, maxMatchingWords: 1, score: 1 },
        typo: { order: 1, typoCount: 0, maxTypoCount: 1, score: 1 },
        proximity: { order: 2, score: 1 },
        attributeRank: { order: 3, score: 1 },
        wordPosition: { order: 4, score: 10 / 11 },
        exactness: {
          order: 5,
          matchType: 'noExactMatch',
          matchingWords: 1,
          maxMatchingWords: 1,
          score: 1 / 3,
        },
      }),
    );
  });

  it('are shown only when asked for', () => {
    const index = indexTexts({ one: 'lamp' });
    expect(search(index, { q: 'lamp' }).hits).toEqual([{ id: 'one', text: 'lamp' }]);
    expect(
      Object.keys(
        search(index, { q: 'lamp', showRankingScore: true, showRankingScoreDetails: true })
          .hits[0] ?? {},
      ),
    ).toEqual(['id', 'text', '_rankingScore', '_rankingScoreDetails']);
  });

  it('name the distance of the first document of the bucket to the millimetre', () => {
    const index = indexDocuments([{ id: 'a', _geo: { lat: 9.97734, lng: 76.41047 } }], {
      sortableAttributes: ['_geo'],
    });
    const sort = ['_geoPoint(10.56, 92.99):asc'];
    const [hit] = search(index, { sort, showRankingScoreDetails: true }).hits;
    expect(hit?._rankingScoreDetails?.[sort[0] as string]).toEqual({
      order: 0,
      value: { lat: 9.97734, lng: 76.41047 },
      distance: 1814976.089,
    });
    expect(hit?.['_geoDistance']).toBe(1814976);
  });

  it('do not depend on the window', () => {
    const index = indexTexts({ a: 'lamp', b: 'x lamp', c: 'lamp x', d: 'lamps', e: 'x x lamp' });
    const whole = [...searchScores(index, { q: 'lamp' })];
    for (let offset = 0; offset < 5; offset++) {
      expect([...searchScores(index, { q: 'lamp', offset, limit: 2 })]).toEqual(
        whole.slice(offset, offset + 2),
      );
      expect(searchIds(index, { q: 'lamp', offset, limit: 2 })).toEqual(
        whole.slice(offset, offset + 2).map(([id]) => id),
      );
    }
  });
});

describe('the score threshold', () => {
  const index = indexTexts({ good: 'red sky', fair: 'x red sky', poor: 'red' });

  it('keeps a score equal to it and drops those below, from the totals too', () => {
    const fair = searchScores(index, { q: 'red sky ' }).get('fair') ?? 0;
    const answer = search(index, { q: 'red sky ', rankingScoreThreshold: fair });
    expect(answer.hits.map(({ id }) => id)).toEqual(['good', 'fair']);
    expect(answer['estimatedTotalHits']).toBe(2);
  });

  it('keeps all at 0 and may keep nothing at 1', () => {
    expect(search(index, { q: 'red sky ', rankingScoreThreshold: 0 })['estimatedTotalHits']).toBe(
      3,
    );
    const partly = search(indexTexts({ poor: 'red' }), { q: 'red sky ', rankingScoreThreshold: 1 });
    expect(partly).toMatchObject({ hits: [], estimatedTotalHits: 0 });
  });

  it('counts documents that were not reached', () => {
    expect(
      search(index, { q: 'red sky ', rankingScoreThreshold: 0.9, limit: 1 })['estimatedTotalHits'],
    ).toBe(3);
  });

  it('drops documents that lie before the window too', () => {
    const asked = { q: 'red sky ', rankingScoreThreshold: 0.999, offset: 2 };
    expect(
      search(indexTexts({ fair: 'x red sky', poor: 'red', other: 'red' }), asked),
    ).toMatchObject({
      hits: [],
      estimatedTotalHits: 0,
    });
  });

  it('ends when a page reaches `maxTotalHits`, with totals of all that was not ranked', () => {
    const limited = indexTexts(
      { a: 'red sky', b: 'red sky', c: 'red', d: 'red' },
      { pagination: { maxTotalHits: 2 } },
    );
    const total = (page: number, hitsPerPage: number) =>
      search(limited, { q: 'red sky ', rankingScoreThreshold: 0.9, page, hitsPerPage })[
        'totalHits'
      ];
    expect([total(0, 1), total(1, 1), total(2, 1), total(1, 2), total(1, 20)]).toEqual([
      2, 2, 4, 4, 4,
    ]);
  });

  it('gives exact totals with pages', () => {
    expect(
      search(index, { q: 'red sky ', rankingScoreThreshold: 0.9, hitsPerPage: 1 }),
    ).toMatchObject({
      totalHits: 2,
      totalPages: 2,
    });
    const second = search(index, {
      q: 'red sky ',
      rankingScoreThreshold: 0.9,
      hitsPerPage: 1,
      page: 2,
    });
    expect(second.hits.map(({ id }) => id)).toEqual(['fair']);
  });

  it('gives exact totals with pages also when one page holds fewer than pass', () => {
    const few = indexTexts(
      { good: 'red sky', fair: 'x red sky', poor: 'red', other: 'red' },
      { pagination: { maxTotalHits: 2 } },
    );
    const answer = search(few, { q: 'red sky ', rankingScoreThreshold: 0.9, hitsPerPage: 1 });
    expect(answer.hits.map(({ id }) => id)).toEqual(['good']);
    expect(answer).toMatchObject({ totalHits: 2, totalPages: 2 });
  });

  it('leaves a placeholder search alone', () => {
    expect(searchIds(index, { q: '', rankingScoreThreshold: 1 })).toHaveLength(3);
  });
});

describe('score details of a sort', () => {
  it('hide the values of a field that is not displayed by its own name, though a parent may be (6.2)', () => {
    const index = indexDocuments([{ id: 'one', name: 'lamp', meta: { year: 1990 } }], {
      sortableAttributes: ['meta'],
      displayedAttributes: ['id', 'meta'],
    });
    const details = searchDetails(index, { q: 'lamp', sort: ['meta.year:asc'] }).get('one');
    expect(Object.keys(details ?? {})).toContain('<hidden-rule-4>');
    expect(details).not.toHaveProperty('meta.year:asc');
  });
});

describe('windows', () => {
  const texts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}`, 'lamp']));
  const index = indexTexts(texts, { pagination: { maxTotalHits: 12 } });

  it.each(['', 'lamp'])('are 20 hits from the start by default (query %j)', (q) => {
    const answer = search(indexTexts(texts), { q });
    expect(answer.hits.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => `d${i}`));
    expect(answer).toMatchObject({ query: q, limit: 20, offset: 0, estimatedTotalHits: 30 });
    expect(answer).not.toHaveProperty('page');
  });

  it('keep the best of the documents that share a distinct value, also when they begin behind it', () => {
    const doubles = indexDocuments(
      [
        { id: 'worse', name: 'desk lamp', kind: 'x' },
        { id: 'better', name: 'lamp', kind: 'x' },
      ],
      { distinctAttribute: 'kind', filterableAttributes: ['id'] },
    );
    for (const offset of [0, 5])
      expect(search(doubles, { q: 'lamp', offset, facets: ['id'] })).toMatchObject({
        estimatedTotalHits: 1,
        facetDistribution: { id: { better: 1 } },
      });
  });

  it.each(['', 'lamp'])(
    'are cut at maxTotalHits, while totals and echoes are not (query %j)',
    (q) => {
      const answer = search(index, { q, offset: 10, limit: 50 });
      expect(answer.hits.map(({ id }) => id)).toEqual(['d10', 'd11']);
      expect(answer).toMatchObject({ offset: 10, limit: 50, estimatedTotalHits: 30 });
      expect(search(index, { q, offset: 1000 })).toMatchObject({
        hits: [],
        offset: 1000,
        estimatedTotalHits: 30,
      });
    },
  );

  it('that end at maxTotalHits have totals, pages and offsets that end there, too', () => {
    const asked = { q: 'lamp', totalMax: 12 };
    expect(search(index, { ...asked, offset: 1000 })).toMatchObject({
      hits: [],
      offset: 12,
      estimatedTotalHits: 12,
    });
    expect(search(index, { ...asked, hitsPerPage: 5 })).toMatchObject({
      totalHits: 12,
      totalPages: 3,
    });
    expect(search(index, { ...asked, totalMax: 50 })).toMatchObject({ estimatedTotalHits: 30 });
  });

  it.each(['', 'lamp'])('by page have the other shape (query %j)', (q) => {
    const answer = search(index, { q, page: 3, hitsPerPage: 5 });
    expect(answer.hits.map(({ id }) => id)).toEqual(['d10', 'd11']);
    expect(answer).toMatchObject({ page: 3, hitsPerPage: 5, totalPages: 6, totalHits: 30 });
    expect(answer).not.toHaveProperty('estimatedTotalHits');
    expect(answer).not.toHaveProperty('limit');
  });

  it('switch shape for either member, with defaults for the other', () => {
    expect(search(index, { q: 'lamp', page: 1 })).toMatchObject({
      page: 1,
      hitsPerPage: 20,
      totalPages: 2,
    });
    expect(search(index, { q: 'lamp', hitsPerPage: 4 })).toMatchObject({
      page: 1,
      hitsPerPage: 4,
      totalPages: 8,
    });
    expect(search(index, { q: 'lamp', hitsPerPage: 4, limit: 1, offset: 2 }).hits).toHaveLength(4);
  });

  it('may be empty: page 0 and 0 hits a page', () => {
    expect(search(index, { q: 'lamp', page: 0 })).toMatchObject({
      hits: [],
      page: 0,
      totalPages: 2,
      totalHits: 30,
    });
    expect(search(index, { q: 'lamp', hitsPerPage: 0 })).toMatchObject({
      hits: [],
      hitsPerPage: 0,
      totalPages: 0,
      totalHits: 30,
    });
    expect(search(index, { q: 'lamp', limit: 0 })).toMatchObject({
      hits: [],
      estimatedTotalHits: 30,
    });
  });
});

describe('a search out of time', () => {
  const over = () => Deadline.after(0, () => 0);
  const index = indexTexts({ poor: 'red', none: 'blue', good: 'red sky', excluded: 'red sea' });

  it('returns what matches in internal order with a single skipped detail', () => {
    const answer = search(
      index,
      { q: 'red sky -sea ', showRankingScoreDetails: true, showRankingScore: true },
      over(),
    );
    expect(answer.hits.map(({ id }) => id)).toEqual(['poor', 'good']);
    for (const hit of answer.hits) {
      expect(hit._rankingScoreDetails).toEqual({ skipped: { order: 0 } });
      expect(hit._rankingScore).toBe(0);
    }
    expect(answer['estimatedTotalHits']).toBe(2);
  });

  it('keeps the buckets it has made and skips the rest at their rule', () => {
    for (let ticks = 1; ticks < 12; ticks++) {
      let now = 0;
      const answer = search(
        index,
        { q: 'red sky ', showRankingScoreDetails: true },
        Deadline.after(ticks, () => now++),
      );
      expect(answer.hits).toHaveLength(3);
      expect(answer['estimatedTotalHits']).toBe(3);
      for (const { _rankingScoreDetails: details = {} } of answer.hits) {
        const names = Object.keys(details);
        if (names.includes('skipped'))
          expect(details['skipped']).toEqual({ order: names.length - 1 });
      }
    }
  });
});

describe('fields of a hit', () => {
  const document = {
    id: 1,
    title: 'lamp',
    meta: { a: 1, b: 2 },
    list: [{ x: 1 }, { y: 1 }, null, [], 5],
  };
  const fields = (displayedAttributes: string[], attributesToRetrieve: string[] | null) =>
    search(indexDocuments([document], { displayedAttributes }), { attributesToRetrieve }).hits[0];

  it('are all by default and with *', () => {
    expect(fields(['*'], null)).toEqual(document);
    expect(fields(['*'], ['*'])).toEqual(document);
    expect(fields(['*'], ['title', '*'])).toEqual(document);
  });

  it('are those asked for, nested ones and inside arrays', () => {
    expect(fields(['*'], ['meta.a', 'title'])).toEqual({ title: 'lamp', meta: { a: 1 } });
    expect(fields(['*'], ['list.x'])).toEqual({ list: [{ x: 1 }, {}, null, [], 5] });
    expect(fields(['*'], ['unknown', 'ti*'])).toEqual({});
    expect(fields(['*'], [])).toEqual({});
  });

  it('are bounded by the displayed attributes, path by path', () => {
    expect(fields(['id', 'meta'], null)).toEqual({ id: 1, meta: { a: 1, b: 2 } });
    expect(fields(['meta'], ['meta.a'])).toEqual({});
    expect(fields(['meta', 'meta.a'], ['meta.a'])).toEqual({ meta: { a: 1 } });
    expect(fields(['id'], ['title'])).toEqual({});
    expect(fields([], null)).toEqual({});
  });

  it('take scores on, also when none is left', () => {
    const index = indexDocuments([document]);
    expect(search(index, { q: '', attributesToRetrieve: [], showRankingScore: true }).hits).toEqual(
      [{ _rankingScore: 1 }],
    );
  });
});
