/** Facet search: facts of the reference, and equality with a reference implementation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFacetSearchRequest } from '../../../src/api/routes/facet-search-routes.ts';
import { Deadline } from '../../../src/core/deadline.ts';
import { limits } from '../../../src/core/limits.ts';
import { validate } from '../../../src/http/validator.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { prepareRules } from '../../../src/model/rule-pins.ts';
import { FacetSearchBody } from '../../../src/model/schemas/facet-search-schema.ts';
import type { SearchRule } from '../../../src/model/search-rule.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';
import { searchFacet, writeFacetSearchAnswer } from '../../../src/search/facet-search.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type PlacedDocument,
} from '../../support/build-snapshot.ts';
import { amount } from '../../support/run-length.ts';

const TYPOS = DEFAULT_SETTINGS.typoTolerance;

const conditions = (settings: Settings) => ({
  settings,
  binding: null,
  features: NO_FEATURES,
  rules: null,
  nowMs: 0,
});

function find(snapshot: IndexSnapshot, body: FacetSearchBody): [string, number][] {
  const request = toFacetSearchRequest(body, conditions(snapshot.manifest.settings));
  return searchFacet(snapshot, request, Deadline.never()).map(({ value, count }) => [value, count]);
}

const authors = [
  'Jane Austen',
  'Jane Austen',
  'Janet Evanovich',
  'Émile Zola',
  'emile zola',
  'Walter Scott',
  'Zoë',
  1984,
  true,
];
const documents = authors.map((author, id) => ({
  id,
  author,
  text: id % 2 === 0 ? 'even' : 'odd',
  group: `g${id % 3}`,
}));
const snapshotWith = (settings: Partial<Settings> = {}): IndexSnapshot =>
  buildSnapshot({
    documents,
    settings: { filterableAttributes: ['author', 'group'], ...settings },
  });
const values = (snapshot: IndexSnapshot, facetQuery: string | null): string[] =>
  find(snapshot, { facetName: 'author', facetQuery }).map(([value]) => value);

it('only the beginning of a very long text counts', () => {
  const marks = '\u0301'.repeat(limits.queryLengthExaminedMax - 1);
  const snapshot = snapshotWith();
  expect(values(snapshot, `${marks}w`)).toEqual(['Walter Scott']);
  expect(values(snapshot, `${marks}wx`)).toEqual(['Walter Scott']);
});

describe('facet search', () => {
  const snapshot = snapshotWith();

  it('counts no document that a rule hides, and knows no pins', () => {
    const hiding: SearchRule = {
      uid: 'a',
      lastUpdatedAt: null,
      active: true,
      conditions: {},
      actions: [
        { selector: { id: '0' }, action: { type: 'hide' } },
        { selector: { id: '5' }, action: { type: 'pin', position: 0 } },
      ],
    };
    const count = (rules: readonly SearchRule[]) => {
      const body = { facetName: 'author', facetQuery: 'jane a' };
      const given = { ...conditions(snapshot.manifest.settings), rules: prepareRules(rules) };
      const request = toFacetSearchRequest(body, given);
      return searchFacet(snapshot, request, Deadline.never());
    };
    expect(count([])).toEqual([{ value: 'Jane Austen', count: 2 }]);
    expect(count([hiding])).toEqual([{ value: 'Jane Austen', count: 1 }]);
  });

  it('lists all strings and booleans in order of value without a query, never numbers', () => {
    const all = [
      ['Jane Austen', 2],
      ['Janet Evanovich', 1],
      ['true', 1],
      ['Walter Scott', 1],
      ['emile zola', 1],
      ['Zoë', 1],
      ['Émile Zola', 1],
    ];
    for (const facetQuery of [null, '']) {
      expect(find(snapshot, { facetName: 'author', facetQuery }).sort()).toEqual([...all].sort());
    }
    expect(values(snapshot, null)).toEqual([
      'emile zola',
      'Émile Zola',
      'Jane Austen',
      'Janet Evanovich',
      'true',
      'Walter Scott',
      'Zoë',
    ]);
    expect(values(snapshot, '19')).toEqual([]);
  });

  it('lists all values in order of their normalised forms for an empty query, up to the limit', () => {
    const made = buildSnapshot({
      documents: ['Zoë', 'zoe', 'Éa', 'Eb', 'eC', 'f', 'Zz', 'Ça', 'cb'].map((f, id) => ({
        id,
        f,
        even: id % 2 === 0,
      })),
      settings: {
        filterableAttributes: ['f', 'even'],
        faceting: { ...DEFAULT_SETTINGS.faceting, maxValuesPerFacet: 4 },
      },
      segmentCount: 3,
    });
    const first = (facetQuery: string | null, filter: string | null = null) =>
      find(made, { facetName: 'f', facetQuery, filter }).map(([value]) => value);
    expect(first('')).toEqual(['Ça', 'cb', 'Éa', 'Eb']);
    expect(first('', 'even = true')).toEqual(['cb', 'Éa', 'eC', 'Zoë']);
    expect(first('', 'even = false')).toEqual(['Ça', 'Eb', 'f', 'zoe']);
    expect(first(null)).toEqual(['cb', 'Ça', 'Eb', 'eC']);
  });

  it('matches the beginning of the whole value and no word inside it', () => {
    expect(values(snapshot, 'jane a')).toEqual(['Jane Austen']);
    expect(values(snapshot, 'JANE')).toEqual(['Jane Austen', 'Janet Evanovich']);
    expect(values(snapshot, 'austen')).toEqual([]);
  });

  it('ignores accents in query and values, and keeps values apart that differ by them', () => {
    for (const query of ['émile', 'emile', 'EMILE Z'])
      expect(values(snapshot, query)).toEqual(['emile zola', 'Émile Zola']);
    expect(values(snapshot, 'zoe')).toEqual(['Zoë']);
  });

  it('allows typos by the length of the query in bytes, also in the first letter', () => {
    expect(values(snapshot, 'wlater')).toEqual(['Walter Scott']);
    expect(values(snapshot, 'qalter')).toEqual(['Walter Scott']);
    expect(values(snapshot, 'qaltar')).toEqual([]);
    expect(values(snapshot, 'qaltar scott')).toEqual(['Walter Scott']);
    expect(values(snapshot, 'wlat')).toEqual([]);
  });

  it('allows no typo when that is off for the index or the attribute, and only the whole value for a protected word', () => {
    const off = [{ enabled: false }, { disableOnAttributes: ['author'] }];
    for (const change of off) {
      const strict = snapshotWith({ typoTolerance: { ...TYPOS, ...change } });
      expect(values(strict, 'wlater')).toEqual([]);
      expect(values(strict, 'walter')).toEqual(['Walter Scott']);
    }
    const protecting = snapshotWith({
      typoTolerance: { ...TYPOS, disableOnWords: ['walter', 'true'] },
    });
    expect(values(protecting, 'walter')).toEqual([]);
    expect(values(protecting, 'true')).toEqual(['true']);
    expect(values(protecting, 'walte')).toEqual(['Walter Scott']);
  });

  it('orders by count when the facet or the star says so, and stops at the limit', () => {
    const faceting = {
      maxValuesPerFacet: 2,
      sortFacetValuesBy: { '*': 'alpha', author: 'count' },
    } as const;
    const counting = snapshotWith({ faceting });
    expect(find(counting, { facetName: 'author' })).toEqual([
      ['Jane Austen', 2],
      ['Zoë', 1],
    ]);
    expect(find(counting, { facetName: 'author', facetQuery: 'jane' })).toEqual([
      ['Jane Austen', 2],
      ['Janet Evanovich', 1],
    ]);
    expect(find(counting, { facetName: 'group' }).map(([value]) => value)).toEqual(['g0', 'g1']);
  });

  it('orders as the request says rather than the settings', () => {
    const indexWith = (order: 'alpha' | 'count') =>
      snapshotWith({ faceting: { maxValuesPerFacet: 1, sortFacetValuesBy: { '*': order } } });
    const first = (index: IndexSnapshot, sortFacetValuesBy: 'alpha' | 'count' | null) =>
      find(index, { facetName: 'group', q: 'odd', sortFacetValuesBy });
    expect(first(indexWith('alpha'), null)).toEqual([['g0', 1]]);
    expect(first(indexWith('alpha'), 'count')).toEqual([['g1', 2]]);
    expect(first(indexWith('count'), 'alpha')).toEqual([['g0', 1]]);
  });

  it('puts equal counts in descending order of their spelling, upper case and accents as they are', () => {
    const counting = snapshotWith({
      faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'count' } },
    });
    expect(values(counting, null)).toEqual([
      'Jane Austen',
      'Émile Zola',
      'true',
      'emile zola',
      'Zoë',
      'Walter Scott',
      'Janet Evanovich',
    ]);
  });

  it('keeps the greatest of equal counts at the limit, of few documents too', () => {
    const made = buildSnapshot({
      documents: Array.from({ length: 60 }, (_, id) => ({
        id,
        f: `v${10 + ((id * 7) % 60)}`,
        part: ((id * 7) % 60) % 9 < 3,
      })),
      settings: {
        filterableAttributes: ['f', 'part'],
        faceting: { maxValuesPerFacet: 3, sortFacetValuesBy: { '*': 'count' } },
      },
    });
    for (const facetQuery of [null, '']) {
      const found = find(made, { facetName: 'f', facetQuery, filter: 'part = true' });
      expect(found.map(([value]) => value)).toEqual(['v66', 'v65', 'v64']);
    }
  });

  it('counts the documents of the search and leaves values out that none of them has', () => {
    expect(find(snapshot, { facetName: 'author', facetQuery: 'ja', q: 'odd' })).toEqual([
      ['Jane Austen', 1],
    ]);
    expect(find(snapshot, { facetName: 'author', q: 'nowhere' })).toEqual([]);
  });

  it('narrows by filter and keeps one document per value of the distinct attribute', () => {
    expect(
      find(snapshot, { facetName: 'author', facetQuery: 'jane', filter: 'group = g2' }),
    ).toEqual([['Janet Evanovich', 1]]);
    const distinct = snapshotWith({ distinctAttribute: 'group' });
    expect(find(distinct, { facetName: 'author', exhaustiveFacetCount: true })).toEqual([
      ['Jane Austen', 2],
      ['Janet Evanovich', 1],
    ]);
  });

  it('counts all documents that pass the filter of a vector search, whatever their scores', () => {
    const distinct = snapshotWith({
      distinctAttribute: 'group',
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
    });
    const asked = {
      facetName: 'author',
      facetQuery: 'jan',
      q: 'odd',
      vector: [1, 0],
      rankingScoreThreshold: 1,
    };
    const counts = (hybrid: object) =>
      find(distinct, { ...asked, hybrid: { embedder: 'e', ...hybrid } });
    for (const semanticRatio of [0.5, 1])
      expect(counts({ semanticRatio })).toEqual([
        ['Jane Austen', 2],
        ['Janet Evanovich', 1],
      ]);
    expect(counts({ semanticRatio: 0 })).toEqual([['Jane Austen', 1]]);
  });

  it('spells a value as the lowest document of the index does, though another is counted', () => {
    const segments: PlacedDocument[][] = [
      [
        { docId: 0, document: { id: 0, f: 'Red' }, isDead: true },
        { docId: 1, document: { id: 1, f: 'RED', t: 'x' }, isDead: false },
      ],
      [
        { docId: 0, document: { id: 0, f: 'rEd' }, isDead: false },
        { docId: 2, document: { id: 2, f: 'reddish' }, isDead: false },
      ],
    ];
    const replaced = buildPlacedSnapshot({ segments, settings: { filterableAttributes: ['f'] } });
    expect(find(replaced, { facetName: 'f', facetQuery: 'red' })).toEqual([
      ['rEd', 2],
      ['reddish', 1],
    ]);
    expect(find(replaced, { facetName: 'f', facetQuery: 'red', q: 'x' })).toEqual([['rEd', 1]]);
  });

  it('uses the locales of the rule that covers the facet', () => {
    const swedish = buildSnapshot({
      documents: [
        { id: 1, f: 'Ångström' },
        { id: 2, f: 'Angst' },
      ],
      settings: {
        filterableAttributes: ['f'],
        localizedAttributes: [{ attributePatterns: ['f'], locales: ['swe'] }],
      },
    });
    expect(find(swedish, { facetName: 'f', facetQuery: 'ang' })).toEqual([['Angst', 1]]);
    expect(find(swedish, { facetName: 'f', facetQuery: 'ång' })).toEqual([['Ångström', 1]]);
  });

  it.each(['*', 'a*', '*thor', 'auth'])(
    'searches a field that only a rule for `%s` names',
    (name) => {
      const features = { facetSearch: true, filter: { equality: true, comparison: false } };
      const rule = { attributePatterns: ['group', name], features };
      for (const filterableAttributes of [[rule], ['text', rule]]) {
        const search = () =>
          find(snapshotWith({ filterableAttributes }), { facetName: 'author', facetQuery: 'zo' });
        if (name === 'auth')
          expect(search).toThrow(
            expect.objectContaining({ code: 'invalid_facet_search_facet_name' }),
          );
        else expect(search()).toEqual([['Zoë', 1]]);
      }
    },
  );

  it('states why a facet cannot be searched', () => {
    const code = (settings: Partial<Settings>, facetName: string, filter?: string): unknown => {
      try {
        return find(snapshotWith(settings), { facetName, filter });
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code({ facetSearch: false }, 'author')).toBe('facet_search_disabled');
    expect(code({ facetSearch: false }, 'nothing')).toBe('facet_search_disabled');
    expect(code({ facetSearch: false }, 'author', 'author =')).toBe('invalid_search_filter');
    expect(code({}, 'text')).toBe('invalid_facet_search_facet_name');
    const filterOnly = {
      attributePatterns: ['author'],
      features: { facetSearch: false, filter: { equality: true, comparison: true } },
    };
    expect(code({ filterableAttributes: [filterOnly] }, 'author')).toBe(
      'invalid_facet_search_facet_name',
    );
    expect(() =>
      find(snapshotWith({ filterableAttributes: [filterOnly] }), { facetName: 'author' }),
    ).toThrow(/rule 0 /);
    expect(code({ filterableAttributes: ['ghost'] }, 'ghost')).toEqual([]);
  });

  it('needs no filter on the facet', () => {
    const features = { facetSearch: true, filter: { equality: false, comparison: false } };
    const filterableAttributes = [{ attributePatterns: ['author'], features }];
    expect(
      find(snapshotWith({ filterableAttributes }), { facetName: 'author', facetQuery: 'zo' }),
    ).toEqual([['Zoë', 1]]);
  });

  it('writes null for an absent query', () => {
    const request = toFacetSearchRequest({ facetName: 'author' }, conditions(DEFAULT_SETTINGS));
    const text = new TextDecoder().decode(
      writeFacetSearchAnswer(request, [{ value: '1', count: 2 }], 3),
    );
    expect(text).toBe(
      '{"facetHits":[{"value":"1","count":2}],"facetQuery":null,"processingTimeMs":3}',
    );
  });
});

describe('the body of a facet search', () => {
  it.each([
    [{}, 'missing_facet_search_facet_name'],
    [{ facetName: 1 }, 'invalid_facet_search_facet_name'],
    [{ foo: 1, facetName: 1 }, 'invalid_facet_search_facet_name'],
    [{ facetName: 'a', facetQuery: 1 }, 'invalid_facet_search_query'],
    [
      { facetName: 'a', exhaustiveFacetCount: 'yes' },
      'invalid_facet_search_exhaustive_facet_count',
    ],
    [{ facetName: 'a', q: 1 }, 'invalid_search_q'],
    [{ facetName: 'a', matchingStrategy: 'some' }, 'invalid_search_matching_strategy'],
    [{ facetName: 'a', rankingScoreThreshold: 2 }, 'invalid_search_ranking_score_threshold'],
  ])('%j is refused with %s', (body, code) => {
    expect(() => validate(FacetSearchBody, body)).toThrow(expect.objectContaining({ code }));
  });

  it('may have unknown members', () => {
    expect(() =>
      validate(FacetSearchBody, { facetName: 'a', foo: 1, limit: 'x', facetQuery: null }),
    ).not.toThrow();
  });
});

describe('facet search against a reference implementation', () => {
  const word = fc
    .array(fc.constantFrom('a', 'b', 'é', 'c ', 'ж', '東'), { minLength: 1, maxLength: 9 })
    .map((parts) => parts.join('').trim() || 'a');

  it('finds the values with a prefix close enough to the query, in any segments', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 40 }),
        word,
        fc.constantFrom(1, 3),
        (words, facetQuery, segmentCount) => {
          const made = buildSnapshot({
            documents: words.map((f, id) => ({ id, f })),
            settings: {
              filterableAttributes: ['f'],
              typoTolerance: { ...TYPOS, minWordSizeForTypos: { oneTypo: 3, twoTypos: 6 } },
            },
            segmentCount,
          });
          const normal = (text: string): string[] => [...made.analyzer.normalizeWhole(text, null)];
          const query = normal(facetQuery);
          const bytes = Buffer.byteLength(query.join(''));
          const typosMax = bytes < 3 ? 0 : bytes < 6 ? 1 : 2;
          const expected = new Set(
            words.filter((text) => prefixDistance(query, normal(text)) <= typosMax),
          );
          expect(
            new Set(find(made, { facetName: 'f', facetQuery }).map(([value]) => value)),
          ).toEqual(expected);
        },
      ),
      { numRuns: amount(15, 600) },
    );
  });
});

/**
 * Least distance between `query` and any beginning of `text`, swaps of neighbours counting once.
 */
function prefixDistance(query: readonly string[], text: readonly string[]): number {
  const rows: number[][] = [query.map((_, i) => i).concat(query.length)];
  for (let t = 1; t <= text.length; t++) {
    const row = [t];
    for (let q = 1; q <= query.length; q++) {
      const above = rows[t - 1]!;
      let best = Math.min(
        above[q]! + 1,
        row[q - 1]! + 1,
        above[q - 1]! + (text[t - 1] === query[q - 1] ? 0 : 1),
      );
      if (t > 1 && q > 1 && text[t - 1] === query[q - 2] && text[t - 2] === query[q - 1])
        best = Math.min(best, rows[t - 2]![q - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return Math.min(...rows.map((row) => row[query.length]!));
}
