/** Conversion of Meilisearch settings and keys. */
import { describe, expect, it } from 'vitest';
import { mapKey, mapMeilisearchIndex } from '../../../src/migration/from-meilisearch.ts';

const map = (settings: object, keys: Record<string, string> = {}) =>
  mapMeilisearchIndex(
    { uid: 'films', primaryKey: 'id', settings: settings as Record<string, unknown> },
    keys,
  );

describe('settings of Meilisearch', () => {
  it('are the same, except for old names and unknown settings', () => {
    const { settings, notes } = map({
      stopWords: ['the'],
      proximityPrecision: 'attributeScale',
      dictionary: [],
      distinctAttribute: null,
      ofTomorrow: 1,
    });
    expect(settings).toEqual({ stopWords: ['the'], proximityPrecision: 'byAttribute' });
    expect(notes.map(({ name }) => name)).toEqual(['ofTomorrow']);
  });

  it('keep an empty list where it is not the default', () => {
    const { settings } = map({
      displayedAttributes: [],
      searchableAttributes: ['*'],
      synonyms: {},
    });
    expect(settings).toEqual({ displayedAttributes: [] });
  });

  it('omit rerankers whose secrets are masked', () => {
    const own = { source: 'rest', url: 'http://models' };
    const rerankers = { paid: { source: 'cohere', apiKey: 'abXXXX...' }, own };
    const { settings, notes } = map({ rerankers });
    expect(settings['rerankers']).toEqual({ own });
    expect(notes.map(({ name }) => name)).toEqual(['reranker paid']);
  });

  it('omit embedders whose secrets are masked, unless the key is given', () => {
    const paid = { source: 'openAi', apiKey: 'sk-abXXXXXX...' };
    const rest = { source: 'rest', url: 'http://x', headers: { 'x-api-key': 'XXX...' } };
    const embedders = { paid, rest, own: { source: 'userProvided', dimensions: 2 } };
    const without = map({ embedders });
    expect(Object.keys(without.settings['embedders'] as object)).toEqual(['own']);
    expect(without.notes.map(({ name }) => name)).toEqual(['embedder paid', 'embedder rest']);
    const given = map({ embedders }, { paid: 'sk-whole' });
    expect(given.settings['embedders']).toMatchObject({ paid: { apiKey: 'sk-whole' } });
  });
});

describe('a key of Meilisearch', () => {
  const key = { uid: 'u', name: 'shop', key: 'secret', actions: ['search', 'fly'], indexes: ['a'] };

  it('is created under its uid, without its value and unknown actions', () => {
    const { draft, notes } = mapKey(key, 0);
    expect(draft).toEqual({
      uid: 'u',
      name: 'shop',
      description: null,
      actions: ['search'],
      indexes: ['a'],
      expiresAt: null,
    });
    expect(notes).toEqual([{ name: 'key shop', message: expect.stringContaining('fly') }]);
  });

  it('keeps its rate limit', () =>
    expect(mapKey({ ...key, requestsPerSecond: 5 }, 0).draft).toMatchObject({
      requestsPerSecond: 5,
    }));

  it('is omitted if it has expired or has no known action', () => {
    const old = { ...key, expiresAt: '2020-01-01T00:00:00Z' };
    expect(mapKey(old, Date.parse('2026-01-01')).draft).toBeNull();
    expect(mapKey({ ...key, actions: ['fly'] }, 0).draft).toBeNull();
  });
});
