import { expect, it } from 'vitest';
import { requireProvider } from '../../../../src/api/searches/require-provider.ts';

const code = 'invalid_search_embedder';

it('finds a provider by its own name', () => {
  expect(requireProvider('Embedder', { a: 1 }, 'a', code)).toBe(1);
  expect(() => requireProvider('Embedder', { a: 1 }, 'toString', code)).toThrow('not found');
});

it('names the missing provider and those of the index', () => {
  const message = 'Embedder `a` not found. This index has the embedders `b`, `c`.';
  expect(() => requireProvider('Embedder', { b: 1, c: 2 }, 'a', code)).toThrow(
    expect.objectContaining({ code, message }),
  );
  expect(() => requireProvider('Reranker', {}, 'a', code)).toThrow(
    'Reranker `a` not found. This index has no rerankers.',
  );
});
