/** Which kind of search a body asks for, and where its vector comes from. */
import { describe, expect, it } from 'vitest';
import { semanticQueryOf, withQueryVector } from '../../../../src/api/searches/semantic-query.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import type { SearchBody } from '../../../../src/model/schemas/search-schema.ts';
import { DEFAULT_SEARCH_REQUEST, type SemanticQuery } from '../../../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/model/settings.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';

const settings: Settings = {
  ...DEFAULT_SETTINGS,
  embedders: { default: { source: 'userProvided', dimensions: 2 } },
};
const hybrid = { embedder: 'default' };
const kindOf = (body: SearchBody): SemanticQuery | null => semanticQueryOf(body, settings);

describe('semanticQueryOf', () => {
  it('searches by words without hybrid, with a ratio of 0, and without words or vector', () => {
    expect(kindOf({ q: 'a' })).toBeNull();
    expect(kindOf({ q: 'a', hybrid: { ...hybrid, semanticRatio: 0 }, vector: [1] })).toBeNull();
    expect(kindOf({ q: ' ', hybrid: { embedder: 'unknown', semanticRatio: 1 } })).toBeNull();
  });

  it('runs a hybrid search with words, with ratio 0.5 by default', () => {
    expect(kindOf({ q: 'a', hybrid })).toEqual({ embedder: 'default', ratio: 0.5, vector: null });
    expect(kindOf({ q: 'a', hybrid: { ...hybrid, semanticRatio: 0.2 }, vector: [1, 2] })).toEqual({
      embedder: 'default',
      ratio: 0.2,
      vector: Float32Array.of(1, 2),
    });
  });

  it('asks for a least similarity where one is set', () => {
    const asked = { ...hybrid, semanticThreshold: 0.8 };
    expect(kindOf({ q: 'a', hybrid: asked })).toMatchObject({ ratio: 0.5, threshold: 0.8 });
    expect(kindOf({ hybrid: asked, vector: [1, 2] })).toMatchObject({ ratio: 1, threshold: 0.8 });
  });

  it('searches by meaning alone where a vector comes without words', () => {
    expect(kindOf({ hybrid: { ...hybrid, semanticRatio: 0.3 }, vector: [1, 2] })?.ratio).toBe(1);
  });

  it.each([
    ['missing_search_hybrid', { vector: [1, 2] }],
    ['missing_search_hybrid', { q: 'a', media: {} }],
    ['invalid_search_embedder', { q: 'a', hybrid: { embedder: 'other' } }],
    ['invalid_vector_dimensions', { q: 'a', hybrid, vector: [1, 2, 3] }],
    ['invalid_search_vector', { q: 'a', hybrid, vector: [1, -1e39] }],
  ] as const)('refuses with %s', (code, body) => {
    expect(() => kindOf(body as SearchBody)).toThrow(expect.objectContaining({ code }));
  });
});

describe('withQueryVector', () => {
  const asked = (ratio: number) => ({
    ...DEFAULT_SEARCH_REQUEST,
    q: 'a',
    semantic: { embedder: 'default', ratio, vector: null },
  });
  const failing = () => Promise.reject(new ApiError('vector_embedding_error', 'down'));

  it('adds the vector of the words', async () => {
    const context = createFakeApiContext();
    const index = context.publish('films', settings);
    const embedders = { embedQuery: async () => Float32Array.of(3, 4) };
    const { semantic } = await withQueryVector({ ...context, embedders }, index, asked(0.5), {});
    expect(semantic?.vector).toEqual(Float32Array.of(3, 4));
  });

  it('asks for the vector of media too, which no thread needs after that', async () => {
    const context = createFakeApiContext();
    const index = context.publish('films', settings);
    const queries: unknown[] = [];
    const embedQuery = async (_: unknown, __: string, query: unknown) => {
      queries.push(query);
      return Float32Array.of(3, 4);
    };
    const semantic = { embedder: 'default', ratio: 1, vector: null, media: { image: 'x' } };
    const request = { ...DEFAULT_SEARCH_REQUEST, q: ' ', semantic };
    const asked = await withQueryVector(
      { ...context, embedders: { embedQuery } },
      index,
      request,
      {},
    );
    expect(queries).toEqual([{ q: null, media: { image: 'x' } }]);
    expect(asked.semantic).not.toHaveProperty('media');
  });

  it('refuses an invalid filter before it asks the embedder', async () => {
    const context = { ...createFakeApiContext(), embedders: { embedQuery: failing } };
    const index = context.publish('films', settings);
    const features = { containsFilter: false, multimodal: false, foreignKeys: false };
    const filter = { form: 'a = ', features };
    await expect(
      withQueryVector(context, index, { ...asked(1), filter }, {}),
    ).rejects.toMatchObject({ code: 'invalid_search_filter' });
  });

  it('leaves a search by both to its words when the embedder fails, and no other', async () => {
    const context = { ...createFakeApiContext(), embedders: { embedQuery: failing } };
    const index = context.publish('films', settings);
    expect((await withQueryVector(context, index, asked(0.5), {})).semantic?.vector).toBeNull();
    await expect(withQueryVector(context, index, asked(1), {})).rejects.toMatchObject({
      code: 'vector_embedding_error',
    });
  });
});
