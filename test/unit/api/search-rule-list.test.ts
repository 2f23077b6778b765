/** The list of search rules on a front, whose event loop answers searches too. */
import { expect, it } from 'vitest';
import { searchRuleRoutes } from '../../../src/api/routes/search-rules-routes.ts';
import type { SearchRule } from '../../../src/model/search-rule.ts';
import { createFakeApiContext } from '../../support/fake-api-context.ts';

const route = searchRuleRoutes.find(({ id }) => id === 'searchRules.list')!;
type Request = Parameters<typeof route.handler>[1];

function contextWith(words: readonly string[]) {
  const context = createFakeApiContext();
  for (const [i, each] of words.entries()) {
    const conditions = { query: { words: each } };
    const rule = { uid: `r${i}`, active: true, actions: [], conditions } as unknown as SearchRule;
    context.searchRules.publish(rule);
  }
  return context;
}

const request = (query: string | undefined, signal?: AbortSignal) =>
  ({ body: { filter: query === undefined ? {} : { query } }, caller: { signal } }) as Request;

it('finds rules by the first word of the query, without excluded words', async () => {
  const context = contextWith(['red shoes', 'red hats', 'blue hats']);
  const uidsOf = async (query?: string) => {
    const { json } = (await route.handler(context, request(query))) as {
      readonly json: { readonly results: readonly SearchRule[] };
    };
    return json.results.map(({ uid }) => uid);
  };
  expect(await uidsOf()).toEqual(['r0', 'r1', 'r2']);
  expect(await uidsOf('red none')).toEqual(['r0', 'r1']);
  expect(await uidsOf('red -hats')).toEqual(['r0']);
  expect(await uidsOf('-hats')).toEqual(['r0']);
});

it('lets the event loop turn between rules, and ends with the request', async () => {
  const context = contextWith(['red', 'blue']);
  let nowMs = 0;
  // Each look at the clock takes longer than a slice.
  Object.assign(context.clock, { monotonic: () => (nowMs += 20) });
  const stop = new AbortController();
  setImmediate(() => stop.abort(new Error('the client has left')));
  await expect(route.handler(context, request('red', stop.signal))).rejects.toThrow('has left');
});
