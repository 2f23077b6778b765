/** Query vectors: opened by settings, requested once, typed failures. */
import { afterEach, expect, it } from 'vitest';
import { SearchEmbedders } from '../../../src/embedding/search-embedders.ts';
import { fasterClock, madeEnvironment, restSettings } from '../../support/made-embedder.ts';
import { type MadeProvider, makeProvider } from '../../support/made-provider.ts';

const TEA = { q: 'tea', media: null };
const NEEDED = { isOptional: false };

let provider: MadeProvider;
afterEach(() => provider.close());

it('a search is sent to the provider of its embedder once', async () => {
  provider = await makeProvider();
  const embedders = new SearchEmbedders(madeEnvironment(provider), 10);
  const settings = restSettings(provider.url);
  const composite = {
    source: 'composite',
    searchEmbedder: settings,
    indexingEmbedder: settings,
  } as const;
  for (let n = 0; n < 3; n += 1)
    expect([...(await embedders.embedQuery('e', settings, TEA, NEEDED))]).toEqual([3, 116]);
  await embedders.embedQuery('c', composite, TEA, NEEDED);
  expect(provider.requests).toEqual([['tea'], ['tea']]);
});

it.each([
  ['an embedder that is not there', undefined],
  ['one that makes no vectors', { source: 'userProvided', dimensions: 2 } as const],
  ['a provider that is not there', restSettings('http://127.0.0.1:1')],
  ['a provider on an address that is not allowed', restSettings('http://10.0.0.1')],
  ['settings that come to no embedder', restSettings('http://x.test', { request: {} })],
])('%s fails with the embedder named', async (_, settings) => {
  provider = await makeProvider();
  const embedders = new SearchEmbedders(madeEnvironment(provider, fasterClock(10)), 10);
  await expect(embedders.embedQuery('e', settings, TEA, NEEDED)).rejects.toMatchObject({
    code: 'vector_embedding_error',
    message: expect.stringContaining('The embedder `e`') as string,
  });
});

it('a search whose provider hangs says so', async () => {
  provider = await makeProvider(() => ({ hangs: true }));
  const environment = madeEnvironment(provider, undefined, { timeoutMs: 20 });
  const embedders = new SearchEmbedders(environment, 10);
  const asked = embedders.embedQuery('e', restSettings(provider.url), TEA, NEEDED);
  await expect(asked).rejects.toThrow(/`e`.* did not answer in time\./);
});
