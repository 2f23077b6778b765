import { expect, it } from 'vitest';
import { missingProvider } from '../../../../src/api/searches/missing-provider.ts';

it('names the missing provider and those of the index', () => {
  const code = 'invalid_search_embedder';
  const one = missingProvider('Embedder', 'a', { b: {}, c: {} }, code);
  expect(one).toMatchObject({
    code,
    message: 'Embedder `a` not found. This index has the embedders `b`, `c`.',
  });
  expect(missingProvider('Reranker', 'a', {}, code).message).toBe(
    'Reranker `a` not found. This index has no rerankers.',
  );
});
