/** A search without `rerank` must not pay for what a reranker needs. */
import { expect, it } from 'vitest';
import { withRerankedHits } from '../../../../src/api/searches/reranked-search.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/settings.ts';

it('leaves the answer as it is, and makes no signal, without `rerank`', async () => {
  const rerankers = {
    scores: () => Promise.reject(new Error('a reranker was called')),
  };
  const caller = {
    get signal(): AbortSignal {
      throw new Error('a signal was made');
    },
  };
  const context = { rerankers, clock: { monotonic: () => 0, now: () => 0 } };
  const answer = Buffer.from('{}');
  type Context = Parameters<typeof withRerankedHits>[0];
  const found = await withRerankedHits(
    context as unknown as Context,
    { settings: DEFAULT_SETTINGS, request: DEFAULT_SEARCH_REQUEST, answer },
    caller,
  );
  expect(found).toBe(answer);
});
