/** Search bodies and query strings become complete requests. */
import { describe, expect, it } from 'vitest';
import { bodyOfQueryString, toSearchRequest } from '../../../src/api/search-request.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';

const semantic = { ...DEFAULT_SETTINGS, embedders: { default: { source: 'userProvided' } } };

describe('toSearchRequest', () => {
  it('fills every default in', () => {
    expect(toSearchRequest({}, DEFAULT_SETTINGS, null)).toEqual(DEFAULT_SEARCH_REQUEST);
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
    expect(toSearchRequest(nulls, DEFAULT_SETTINGS, null)).toEqual(DEFAULT_SEARCH_REQUEST);
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
      { ...given, attributesToRetrieve: [], attributesToSearchOn: ['title'], filter: given.filter, sort: ['a:asc'] },
      DEFAULT_SETTINGS,
      null,
    );
    expect(request).toEqual({ ...DEFAULT_SEARCH_REQUEST, ...given });
  });

  it('joins the filter that binds the caller and that of the body, each in its own form', () => {
    const filterOf = (filter: unknown, binding: unknown) =>
      toSearchRequest({ filter }, DEFAULT_SETTINGS, binding).filter;
    expect(filterOf('a = 1 OR b = 1', 'c = 1 OR d = 1')).toEqual(['c = 1 OR d = 1', 'a = 1 OR b = 1']);
    expect(filterOf([['a = 1', 'b = 1'], 'c = 1'], ['d = 1', ['e = 1', 'f = 1']])).toEqual([
      'd = 1',
      ['e = 1', 'f = 1'],
      ['a = 1', 'b = 1'],
      'c = 1',
    ]);
    expect(filterOf(null, 'c = 1')).toBe('c = 1');
    expect(filterOf('a = 1', null)).toBe('a = 1');
    for (const binding of [5, { a: 1 }, [[['a = 1']]], [5], false]) {
      expect(() => filterOf('a = 1', binding)).toThrow(expect.objectContaining({ code: 'invalid_search_filter' }));
    }
  });

  it('takes a list that names * for all attributes', () => {
    const request = toSearchRequest(
      { attributesToRetrieve: ['title', '*'], attributesToSearchOn: ['*'] },
      DEFAULT_SETTINGS,
      null,
    );
    expect([request.attributesToRetrieve, request.attributesToSearchOn]).toEqual([null, null]);
  });

  it('keeps languages in their three-letter form, and none for an empty list', () => {
    expect(toSearchRequest({ locales: ['fr', 'jpn'] }, DEFAULT_SETTINGS, null).locales).toEqual(['fra', 'jpn']);
    expect(toSearchRequest({ locales: [] }, DEFAULT_SETTINGS, null).locales).toBeNull();
  });

  it('answers hybrid requests by keywords unless only vectors could answer', () => {
    const hybrid = { embedder: 'default' };
    expect(toSearchRequest({ q: 'a', hybrid }, semantic, null).q).toBe('a');
    expect(toSearchRequest({ q: 'a', hybrid: { embedder: 'unknown', semanticRatio: 0 } }, semantic, null).q).toBe('a');
    expect(toSearchRequest({ q: ' ', hybrid: { embedder: 'unknown', semanticRatio: 1 } }, semantic, null).q).toBe(' ');
    expect(() => toSearchRequest({ q: 'a', hybrid: { ...hybrid, semanticRatio: 1 } }, semantic, null)).toThrow(
      expect.objectContaining({ code: 'vector_embedding_error' }),
    );
    expect(() => toSearchRequest({ hybrid, vector: [1] }, semantic, null)).toThrow(
      expect.objectContaining({ code: 'vector_embedding_error' }),
    );
    expect(() => toSearchRequest({ q: 'a', hybrid: { embedder: '__proto__' } }, semantic, null)).toThrow(
      expect.objectContaining({ code: 'invalid_search_embedder' }),
    );
  });
});

describe('bodyOfQueryString', () => {
  it('puts the flat parameters of GET into objects', () => {
    expect(
      bodyOfQueryString({ q: 'a', hybridEmbedder: 'e', hybridSemanticRatio: 0.3, personalizeUserContext: 'c' }),
    ).toEqual({
      q: 'a',
      hybrid: { embedder: 'e', semanticRatio: 0.3 },
      personalize: { userContext: 'c' },
    });
    expect(bodyOfQueryString({ hybridEmbedder: 'e' })).toEqual({ hybrid: { embedder: 'e' } });
  });
});
