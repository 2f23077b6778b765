/**
 * Several searches in one request, apart and merged (relevance.md 7.6, api.md 9).
 */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { type FederatedAnswer, multiSearchOver } from '../../support/multi-search.ts';

const films = {
  documents: [
    { id: 1, title: 'red harbour', genre: 'drama', year: 1990, maker: 'Sol' },
    { id: 2, title: 'blue harbour lights', genre: 'comedy', year: 1980, maker: 'Luna' },
    { id: 3, title: 'the red line', genre: 'drama', year: 2000, maker: 'Sol' },
    { id: 4, title: 'green valley', genre: 'war', year: 1970, maker: 'Terra' },
  ],
  settings: {
    filterableAttributes: ['genre', 'year', 'maker'],
    sortableAttributes: ['year', 'title'],
  },
};
const books = {
  documents: [
    { id: 1, title: 'red harbour', genre: 'Drama', year: 1985, maker: 'sol' },
    { id: 7, title: 'harbour', genre: 'essay', year: 2010, maker: 'Mars' },
  ],
  settings: {
    filterableAttributes: ['genre', 'year', 'maker'],
    sortableAttributes: ['year'],
  },
};
const both = multiSearchOver({ films, books });

const places = ({ hits }: FederatedAnswer): string[] =>
  hits.map(
    ({ id, _federation: { indexUid, queriesPosition } }) =>
      `${indexUid} ${id} by ${queriesPosition}`,
  );

const failure = async (run: Promise<unknown>): Promise<ApiError> => {
  const error = await run.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
};

describe('searches answered apart', () => {
  it('come in the order of the queries, each as its own search answer with the index in front', async () => {
    const { results } = await both.apart([
      { indexUid: 'books', q: 'harbour', limit: 1, attributesToRetrieve: ['id'] },
      { indexUid: 'films', q: 'red', attributesToRetrieve: ['id'], page: 1, hitsPerPage: 1 },
    ]);
    expect(results.map(({ processingTimeMs, requestUid, ...rest }) => rest)).toEqual([
      {
        indexUid: 'books',
        hits: [{ id: 7 }],
        query: 'harbour',
        limit: 1,
        offset: 0,
        estimatedTotalHits: 2,
      },
      {
        indexUid: 'films',
        hits: [{ id: 1 }],
        query: 'red',
        hitsPerPage: 1,
        page: 1,
        totalPages: 2,
        totalHits: 2,
      },
    ]);
    expect(Object.keys(results[0] ?? {})[0]).toBe('indexUid');
  });

  it('may be none', async () => {
    expect(await both.send({ queries: [] })).toBe('{"results":[]}');
  });

  it('take null for an absent window', async () => {
    const { results } = await both.apart([
      { indexUid: 'films', limit: null, offset: null, federationOptions: null },
    ]);
    expect(results[0]).toMatchObject({ limit: 20, offset: 0, estimatedTotalHits: 4 });
  });

  it('fail together with the error of the first query that fails, which names its place', async () => {
    const error = await failure(
      both.apart([
        { indexUid: 'films' },
        { indexUid: 'films', filter: 'title = 1' },
        { indexUid: 'films', sort: ['maker:asc'] },
        { indexUid: 'absent' },
      ]),
    );
    expect(error).toMatchObject({ code: 'invalid_search_filter', status: 400 });
    expect(error.message).toMatch(/^Inside `\.queries\[1\]`: /);
    const absent = await failure(both.apart([{ indexUid: 'films' }, { indexUid: 'absent' }]));
    expect(absent).toMatchObject({ code: 'index_not_found', status: 400 });
    expect(absent.message).toContain('Inside `.queries[1]`');
  });
});

describe('a federated search', () => {
  it('merges the hits of all indexes by weighted score and says where each comes from', async () => {
    const answer = await both.merged([
      { indexUid: 'films', q: 'harbour', showRankingScore: true, attributesToRetrieve: ['id'] },
      {
        indexUid: 'books',
        q: 'harbour',
        showRankingScore: true,
        federationOptions: { weight: 0.5 },
      },
    ]);
    expect(places(answer)).toEqual([
      'films 1 by 0',
      'films 2 by 0',
      'books 7 by 1',
      'books 1 by 1',
    ]);
    const [first, , third] = answer.hits;
    expect(first?._federation.weightedRankingScore).toBe(first?.['_rankingScore']);
    expect(third?._federation.weightedRankingScore).toBe(Number(third?.['_rankingScore']) * 0.5);
    expect(Object.keys(first ?? {})).toEqual(['id', '_federation', '_rankingScore']);
    expect(Object.keys(answer)).toEqual([
      'hits',
      'processingTimeMs',
      'limit',
      'offset',
      'estimatedTotalHits',
      'requestUid',
    ]);
    expect(answer).toMatchObject({ limit: 20, offset: 0, estimatedTotalHits: 4 });
  });

  it('shows a document of one index once, by its best query, but the same id of another index too', async () => {
    const answer = await both.merged([
      { indexUid: 'films', q: 'red' },
      { indexUid: 'films', q: 'red harbour', federationOptions: { weight: 2 } },
      { indexUid: 'books', q: 'red harbour' },
    ]);
    expect(places(answer)).toEqual(['films 1 by 1', 'books 1 by 2', 'films 3 by 0']);
    expect(answer['estimatedTotalHits']).toBe(3);
  });

  it('shows equals in the order of their queries', async () => {
    const answer = await both.merged([
      { indexUid: 'films', filter: 'year = 1990' },
      { indexUid: 'books' },
    ]);
    expect(places(answer)).toEqual(['films 1 by 0', 'books 1 by 1', 'books 7 by 1']);
    const turned = await both.merged([
      { indexUid: 'books' },
      { indexUid: 'films', filter: 'year = 1990' },
    ]);
    expect(places(turned)).toEqual(['books 1 by 0', 'books 7 by 0', 'films 1 by 1']);
  });

  it('puts hits of weight 0 last and refuses a negative weight', async () => {
    const answer = await both.merged([
      { indexUid: 'films', q: 'red', federationOptions: { weight: 0 } },
      { indexUid: 'books', q: 'red' },
    ]);
    expect(places(answer)).toEqual(['books 1 by 1', 'films 1 by 0', 'films 3 by 0']);
    const options = { weight: -1 };
    await expect(
      both.merged([{ indexUid: 'films', federationOptions: options }]),
    ).rejects.toMatchObject({
      code: 'invalid_multi_search_weight',
    });
  });

  it('cuts windows and pages out of the merged list, whatever the number of indexes', async () => {
    const queries = [{ indexUid: 'films' }, { indexUid: 'books' }];
    const whole = places(await both.merged(queries));
    expect(whole).toHaveLength(6);
    const window = await both.merged(queries, { offset: 3, limit: 2 });
    expect(places(window)).toEqual(whole.slice(3, 5));
    expect(window).toMatchObject({ offset: 3, limit: 2, estimatedTotalHits: 6 });
    const page = await both.merged(queries, { page: 2, hitsPerPage: 4 });
    expect(places(page)).toEqual(whole.slice(4));
    expect(page).toMatchObject({ page: 2, hitsPerPage: 4, totalPages: 2, totalHits: 6 });
    expect(await both.merged(queries, { page: 0 })).toMatchObject({
      hits: [],
      page: 0,
      hitsPerPage: 20,
      totalHits: 6,
    });
    const alone = [{ indexUid: 'films' }];
    const all = places(await both.merged(alone));
    expect(places(await both.merged(alone, { offset: 1, limit: 2 }))).toEqual(all.slice(1, 3));
  });

  it('shows of an index as many hits as its `maxTotalHits`, whatever the number of queries', async () => {
    const capped = { ...films, settings: { ...films.settings, pagination: { maxTotalHits: 2 } } };
    const answer = await multiSearchOver({ capped, books }).merged(
      [
        { indexUid: 'capped', filter: 'genre = drama' },
        { indexUid: 'capped', filter: 'genre != drama' },
        { indexUid: 'books' },
      ],
      {},
    );
    expect(places(answer)).toEqual([
      'capped 1 by 0',
      'capped 3 by 0',
      'books 1 by 2',
      'books 7 by 2',
    ]);
    expect(answer['estimatedTotalHits']).toBe(6);
  });

  it('merges sorts in the same direction by value, also of different fields', async () => {
    const answer = await both.merged([
      { indexUid: 'films', sort: ['year:desc'] },
      { indexUid: 'books', sort: ['year:desc'] },
    ]);
    expect(answer.hits.map((hit) => hit['year'])).toEqual([2010, 2000, 1990, 1985, 1980, 1970]);
    const fields = await both.merged([
      { indexUid: 'films', sort: ['title:asc'] },
      { indexUid: 'books', sort: ['year:asc'] },
    ]);
    expect(places(fields).slice(0, 2)).toEqual(['books 1 by 1', 'books 7 by 1']);
  });

  it('refuses rankings that cannot be compared and names both', async () => {
    const wrong = [
      [{ sort: ['year:desc'] }, { sort: ['year:asc'] }],
      [{ sort: ['year:desc'] }, { q: 'red' }],
    ];
    for (const [first, second] of wrong) {
      const error = await failure(
        both.merged([
          { indexUid: 'films', ...first },
          { indexUid: 'films', ...second },
        ]),
      );
      expect(error.code).toBe('invalid_multi_search_query_ranking_rules');
      expect(error.message).toContain('queries[0]');
      expect(error.message).toContain('queries[1]');
      expect(error.message).toContain('a descending sort');
    }
    const across = both.merged([
      { indexUid: 'books', sort: ['year:asc'] },
      { indexUid: 'films', sort: ['year:desc'] },
    ]);
    expect((await failure(across)).code).toBe('invalid_multi_search_query_ranking_rules');
    await both.merged([
      { indexUid: 'films', q: 'red', sort: ['year:asc'] },
      { indexUid: 'films', q: 'blue' },
    ]);
  });

  it('gives the error of a query with its place, and none for a missing index', async () => {
    const error = await failure(
      both.merged([{ indexUid: 'films' }, { indexUid: 'books', sort: ['title:asc'] }]),
    );
    expect(error.code).toBe('invalid_search_sort');
    expect(error.message).toMatch(/^Inside `\.queries\[1\]`: /);
    const absent = await failure(both.merged([{ indexUid: 'films' }, { indexUid: 'absent' }]));
    expect(absent).toMatchObject({ code: 'index_not_found', status: 400 });
    expect(absent.message).not.toContain('queries');
  });

  it('keeps one hit for each value of a distinct field over all indexes, and counts so', async () => {
    const answer = await both.merged([{ indexUid: 'films' }, { indexUid: 'books' }], {
      distinct: 'maker',
    });
    expect(answer.hits.map((hit) => hit['maker'])).toEqual(['Sol', 'Luna', 'Terra', 'Mars']);
    expect(answer['estimatedTotalHits']).toBe(4);
    const notFilterable = both.merged([{ indexUid: 'films' }], { distinct: 'title' });
    expect((await failure(notFilterable)).code).toBe('invalid_search_distinct');
  });

  it('keeps to the `maxTotalHits` of an index with a distinct field, too', async () => {
    const capped = { ...films, settings: { ...films.settings, pagination: { maxTotalHits: 2 } } };
    const queries = [
      { indexUid: 'capped', filter: 'genre = drama' },
      { indexUid: 'capped', filter: 'genre != drama' },
    ];
    const alone = await multiSearchOver({ capped }).merged(queries, { distinct: 'maker' });
    expect(places(alone)).toEqual(['capped 1 by 0', 'capped 2 by 1']);
    const withOther = await multiSearchOver({ capped, books }).merged(
      [...queries, { indexUid: 'books' }],
      { distinct: 'maker' },
    );
    expect(places(withOther)).toEqual(['capped 1 by 0', 'capped 2 by 1', 'books 7 by 2']);
  });

  it('counts in facets what is left by a distinct field over all queries of an index', async () => {
    const queries = [{ indexUid: 'films', q: 'red line' }, { indexUid: 'films' }];
    const asked = { distinct: 'maker', facetsByIndex: { films: ['maker', 'genre'] } };
    for (const [page, sol, total] of [
      [{}, 1, 3],
      [{ hitsPerPage: 20 }, 1, 3],
      // The second hit of Sol comes after the page, so that no hit has excluded it.
      [{ hitsPerPage: 1 }, 2, 4],
    ] as const) {
      const answer = await both.merged(queries, { ...asked, ...page });
      expect(answer['facetsByIndex']).toMatchObject({
        films: {
          distribution: { maker: { Luna: 1, Sol: sol, Terra: 1 }, genre: { comedy: 1, war: 1 } },
        },
      });
      expect(answer['totalHits'] ?? answer['estimatedTotalHits']).toBe(total);
    }
  });

  it('counts in facets what is left by a distinct field over all indexes', async () => {
    const queries = [{ indexUid: 'films' }, { indexUid: 'books' }];
    const asked = { distinct: 'maker', facetsByIndex: { films: ['maker'], books: ['maker'] } };
    const separate = await both.merged(queries, asked);
    const merged = await both.merged(queries, { ...asked, mergeFacets: {} });
    const distributionOf = (maker: object) => expect.objectContaining({ distribution: { maker } });
    expect(separate['facetsByIndex']).toEqual({
      books: distributionOf({ Mars: 1 }),
      films: distributionOf({ Luna: 1, Sol: 1, Terra: 1 }),
    });
    expect(merged['facetDistribution']).toEqual({ maker: { Luna: 1, Mars: 1, Sol: 1, Terra: 1 } });
    const short = await both.merged(queries, { ...asked, limit: 1 });
    expect(short.hits).toEqual(separate.hits.slice(0, 1));
    const second = await both.merged(queries, { ...asked, offset: 1, limit: 1 });
    expect(second.hits).toEqual(separate.hits.slice(1, 2));
  });

  it('does so for a distinct field inside objects', async () => {
    const nested = ({ documents, settings }: typeof films) => ({
      documents: documents.map(({ maker, genre, ...document }) => ({
        ...document,
        by: [{ maker, place: { genre } }],
      })),
      settings: { ...settings, filterableAttributes: ['by', 'year'] },
    });
    const over = multiSearchOver({ films: nested(films), books: nested(books) });
    const queries = [{ indexUid: 'films', q: 'red line' }, { indexUid: 'films' }];
    const answer = await over.merged(queries, {
      distinct: 'by.maker',
      facetsByIndex: { films: ['by'] },
    });
    expect(answer['estimatedTotalHits']).toBe(3);
    expect(answer['facetsByIndex']).toMatchObject({
      films: {
        distribution: {
          'by.maker': { Luna: 1, Sol: 1, Terra: 1 },
          'by.place.genre': { comedy: 1, war: 1 },
        },
      },
    });
    const all = await over.merged([{ indexUid: 'films' }, { indexUid: 'books' }], {
      distinct: 'by.maker',
      facetsByIndex: { films: ['by.maker'], books: ['by.maker'] },
    });
    expect(all['estimatedTotalHits']).toBe(4);
    const flat = await both.merged([{ indexUid: 'films' }, { indexUid: 'books' }], {
      distinct: 'maker',
      facetsByIndex: { films: ['maker'], books: ['maker'] },
    });
    const counts = (given: unknown) =>
      Object.values(given as Record<string, { distribution: object }>).map(({ distribution }) =>
        Object.values(distribution),
      );
    expect(counts(all['facetsByIndex'])).toEqual(counts(flat['facetsByIndex']));
  });

  it('counts the documents of several queries once and never shows less on later pages', async () => {
    const queries = [
      { indexUid: 'films', q: 'red' },
      { indexUid: 'films', q: 'harbour' },
    ];
    for (const offset of [0, 1, 2, 3, 50]) {
      expect((await both.merged(queries, { offset, limit: 1 }))['estimatedTotalHits']).toBe(3);
    }
  });

  it('is the same however an index is cut into segments', async () => {
    const cut = multiSearchOver({
      films: { ...films, segmentCount: 3 },
      books: { ...books, segmentCount: 2 },
    });
    const queries = [
      { indexUid: 'films', q: 'red', showRankingScoreDetails: true },
      { indexUid: 'books', q: 'harbour', attributesToHighlight: ['title'] },
    ];
    const federation = { facetsByIndex: { films: ['genre'], books: ['year'] } };
    expect((await cut.merged(queries, federation)).hits).toEqual(
      (await both.merged(queries, federation)).hits,
    );
  });
});

describe('facets of a federated search', () => {
  const queries = [
    { indexUid: 'films', q: 'harbour' },
    { indexUid: 'films', q: 'line' },
    { indexUid: 'books' },
  ];

  it('count for each index the documents of all its queries together', async () => {
    const answer = await both.merged(queries, {
      facetsByIndex: { films: ['genre', 'year'], books: null },
    });
    expect(answer['facetsByIndex']).toEqual({
      films: {
        distribution: { genre: { comedy: 1, drama: 2 }, year: { 1980: 1, 1990: 1, 2000: 1 } },
        stats: { year: { min: 1980, max: 2000 } },
      },
    });
    expect(answer).not.toHaveProperty('facetDistribution');
  });

  it('are merged by field and spelling when asked for', async () => {
    const facetsByIndex = { films: ['genre', 'year'], books: ['year', 'genre'] };
    const answer = await both.merged(queries, {
      facetsByIndex,
      mergeFacets: { maxValuesPerFacet: 3 },
    });
    expect(answer).not.toHaveProperty('facetsByIndex');
    expect(answer['facetDistribution']).toEqual({
      genre: { Drama: 1, comedy: 1, drama: 2 },
      year: { 1980: 1, 1985: 1, 1990: 1 },
    });
    expect(answer['facetStats']).toEqual({ year: { min: 1980, max: 2010 } });
  });

  it('cannot be merged when two indexes order a facet differently', async () => {
    const byCount = {
      ...books,
      settings: {
        ...books.settings,
        faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { genre: 'count' as const } },
      },
    };
    const mixed = multiSearchOver({ films, books: byCount });
    const facetsByIndex = { films: ['genre'], books: ['genre'] };
    const error = await failure(mixed.merged(queries, { facetsByIndex, mergeFacets: {} }));
    expect(error.code).toBe('invalid_multi_search_facet_order');
    expect(error.message).toContain('`films`');
    expect(error.message).toContain('`books`');
    await mixed.merged(queries, { facetsByIndex });
    const ofFilms = mixed.merged([{ indexUid: 'films' }], { facetsByIndex, mergeFacets: {} });
    expect((await failure(ofFilms)).code).toBe('invalid_multi_search_facet_order');
  });

  it('are checked after the queries of their index, those of other indexes last', async () => {
    const facetsByIndex = { books: ['title'] };
    const wrong = { indexUid: 'films', distinct: 'title' };
    const codeOf = async (queries: readonly object[]) =>
      (await failure(both.merged(queries, { facetsByIndex }))).code;
    expect(await codeOf([{ indexUid: 'films' }, { indexUid: 'books', distinct: 'title' }])).toBe(
      'invalid_search_distinct',
    );
    expect(await codeOf([{ indexUid: 'books' }, wrong])).toBe('invalid_search_facets');
    expect(await codeOf([wrong])).toBe('invalid_search_distinct');
    const missing = { absent: ['genre'], ...facetsByIndex };
    const error = await failure(both.merged([wrong], { facetsByIndex: missing }));
    expect(error.code).toBe('invalid_search_distinct');
  });

  it('of an index that no query searches are checked but not shown', async () => {
    const queries = [{ indexUid: 'films' }];
    const answer = await both.merged(queries, { facetsByIndex: { books: ['genre'] } });
    expect(answer).not.toHaveProperty('facetsByIndex');
    const refused = both.merged(queries, { facetsByIndex: { books: ['title'] } });
    expect((await failure(refused)).code).toBe('invalid_search_facets');
  });

  it('must be filterable', async () => {
    const error = await failure(both.merged(queries, { facetsByIndex: { films: ['title'] } }));
    expect(error.code).toBe('invalid_search_facets');
    expect(error.message).toContain('federation.facetsByIndex.films');
  });
});
