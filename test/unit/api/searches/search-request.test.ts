/** Search bodies and query strings become complete requests. */
import { describe, expect, it } from 'vitest';
import { bodyOfQueryString, toSearchRequest } from '../../../../src/api/searches/search-request.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/settings.ts';

const PLAIN = {
  settings: DEFAULT_SETTINGS,
  binding: null,
  features: NO_FEATURES,
  rules: null,
  nowMs: 0,
};

describe('toSearchRequest', () => {
  it('fills every default in', () => {
    expect(toSearchRequest({}, PLAIN)).toEqual(DEFAULT_SEARCH_REQUEST);
  });

  it('takes the strategy of the settings where the request names none', () => {
    const settings = { ...DEFAULT_SETTINGS, matchingStrategy: 'any' as const };
    const conditions = { ...PLAIN, settings };
    expect(toSearchRequest({}, conditions).matchingStrategy).toBe('any');
    expect(toSearchRequest({ matchingStrategy: 'all' }, conditions).matchingStrategy).toBe('all');
  });

  it('takes null for absent where the default is null', () => {
    const nulls = {
      q: null,
      page: null,
      hitsPerPage: null,
      filter: null,
      sort: null,
      facets: null,
      distinct: null,
      locales: null,
      hybrid: null,
      vector: null,
      media: null,
      personalize: null,
      useNetwork: null,
      attributesToRetrieve: null,
      rankingScoreThreshold: null,
    };
    expect(toSearchRequest(nulls, PLAIN)).toEqual(DEFAULT_SEARCH_REQUEST);
  });

  it('reports an invalid filter before an unknown embedder, and that before an invalid sort', () => {
    const hybrid = { embedder: 'none' };
    const code = (body: object) => {
      try {
        toSearchRequest({ q: 'a', ...body }, PLAIN);
      } catch (error) {
        return error instanceof ApiError ? error.code : error;
      }
      return null;
    };
    expect(code({ filter: 'a =', hybrid, sort: ['b'] })).toBe('invalid_search_filter');
    expect(code({ filter: 'a =', sort: ['b'] })).toBe('invalid_search_filter');
    expect(code({ filter: 'a = 1', hybrid, sort: ['b'] })).toBe('invalid_search_embedder');
    expect(code({ filter: 'a = 1', sort: ['b'] })).toBe('invalid_search_sort');
  });

  it('keeps what is given', () => {
    const given = {
      q: ' x ',
      offset: 1,
      limit: 0,
      page: 0,
      hitsPerPage: 3,
      attributesToRetrieve: [],
      attributesToSearchOn: ['title'],
      matchingStrategy: 'all',
      rankingScoreThreshold: 0,
      filter: [['a = 1'], 'b'],
      sort: ['a:asc'],
      cropLength: 0,
      cropMarker: '',
    } as const;
    const request = toSearchRequest(
      {
        ...given,
        attributesToRetrieve: [],
        attributesToSearchOn: ['title'],
        filter: given.filter,
        sort: ['a:asc'],
      },
      PLAIN,
    );
    expect(request).toEqual({
      ...DEFAULT_SEARCH_REQUEST,
      ...given,
      filter: {
        form: given.filter,
        features: { containsFilter: false, multimodal: false, foreignKeys: false },
      },
      sort: [{ kind: 'field', path: 'a', direction: 'asc' }],
    });
  });

  it('joins the filter that binds the caller and that of the body, each in its own form', () => {
    const filterOf = (filter: unknown, binding: unknown) =>
      toSearchRequest({ filter }, { ...PLAIN, binding }).filter?.form ?? null;
    expect(filterOf('a = 1 OR b = 1', 'c = 1 OR d = 1')).toEqual([
      'c = 1 OR d = 1',
      'a = 1 OR b = 1',
    ]);
    expect(filterOf([['a = 1', 'b = 1'], 'c = 1'], ['d = 1', ['e = 1', 'f = 1']])).toEqual([
      'd = 1',
      ['e = 1', 'f = 1'],
      ['a = 1', 'b = 1'],
      'c = 1',
    ]);
    expect(filterOf(null, 'c = 1')).toBe('c = 1');
    expect(filterOf('a = 1', null)).toBe('a = 1');
    for (const binding of [5, { a: 1 }, [[['a = 1']]], [5], false]) {
      expect(() => filterOf('a = 1', binding)).toThrow(
        expect.objectContaining({ code: 'invalid_search_filter' }),
      );
    }
  });

  it('tells with the filter which operators it may use', () => {
    const features = { ...NO_FEATURES, containsFilter: true };
    expect(toSearchRequest({ filter: 'a CONTAINS b' }, { ...PLAIN, features }).filter).toEqual({
      form: 'a CONTAINS b',
      features: { containsFilter: true, multimodal: false, foreignKeys: false },
    });
  });

  it('refuses a sort criterion without a direction', () => {
    expect(() => toSearchRequest({ sort: ['a:asc', 'b'] }, PLAIN)).toThrow(
      expect.objectContaining({ code: 'invalid_search_sort' }),
    );
  });

  it('takes a list of attributes to retrieve that names * for all', () => {
    const request = toSearchRequest({ attributesToRetrieve: ['title', '*'] }, PLAIN);
    expect(request.attributesToRetrieve).toBeNull();
  });

  it('leaves a list of attributes to search on that names * whole, so that its names are checked', () => {
    const attributesToSearchOn = ['*', 'unknown'];
    expect(toSearchRequest({ attributesToSearchOn }, PLAIN)).toMatchObject({
      attributesToSearchOn,
    });
  });

  it('keeps languages in their three-letter form, and none for an empty list', () => {
    expect(toSearchRequest({ locales: ['fr', 'jpn'] }, PLAIN).locales).toEqual(['fra', 'jpn']);
    expect(toSearchRequest({ locales: [] }, PLAIN).locales).toBeNull();
  });
});

describe('bodyOfQueryString', () => {
  it('puts the flat parameters of GET into objects', () => {
    expect(
      bodyOfQueryString({
        q: 'a',
        hybridEmbedder: 'e',
        hybridSemanticRatio: 0.3,
        personalizeUserContext: 'c',
      }),
    ).toEqual({
      q: 'a',
      hybrid: { embedder: 'e', semanticRatio: 0.3 },
      personalize: { userContext: 'c' },
    });
    expect(bodyOfQueryString({ hybridEmbedder: 'e' })).toEqual({ hybrid: { embedder: 'e' } });
    expect(bodyOfQueryString({ hybridEmbedder: 'e', hybridSemanticThreshold: 0.8 })).toEqual({
      hybrid: { embedder: 'e', semanticThreshold: 0.8 },
    });
    for (const name of ['hybridSemanticRatio', 'hybridSemanticThreshold'])
      expect(() => bodyOfQueryString({ [name]: 0.5 })).toThrow(`\`${name}\` also needs`);
  });

  it('takes media if the feature is on, and no vector with them', () => {
    const settings = {
      ...DEFAULT_SETTINGS,
      embedders: { e: { source: 'userProvided', dimensions: 1 } },
    } as const;
    const features = { ...NO_FEATURES, multimodal: true };
    const body = { hybrid: { embedder: 'e' }, media: { image: 'x' } };
    expect(toSearchRequest(body, { ...PLAIN, settings, features }).semantic).toEqual({
      embedder: 'e',
      ratio: 1,
      vector: null,
      media: { image: 'x' },
    });
    expect(() => toSearchRequest(body, { ...PLAIN, settings })).toThrow('is off');
    expect(() =>
      toSearchRequest({ ...body, vector: [1] }, { ...PLAIN, settings, features }),
    ).toThrow('exclude each other');
  });
});
