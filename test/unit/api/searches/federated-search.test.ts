/** What a federated search asks embedders and query threads for. */
import { expect, it } from 'vitest';
import { searchFederated } from '../../../../src/api/searches/federated-search.ts';
import { FULL_ACCESS } from '../../../../src/auth/access.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import type { MultiSearchQuery } from '../../../../src/model/schemas/multi-search-schema.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';
import { Gate } from '../../../support/gate.ts';

it('vectors of its queries side by side; the first without one is the last that is asked', async () => {
  const gate = new Gate();
  const asked: unknown[] = [];
  const embedQuery = async (_: unknown, __: string, { q }: { q: unknown }) => {
    if (asked.push(q) === 4) gate.release();
    await gate.pass();
    if (q === 'bad') throw new ApiError('vector_embedding_error', 'down');
    return Float32Array.of(asked.indexOf(q));
  };
  const context = Object.assign(createFakeApiContext(), { embedders: { embedQuery } });
  context.publish('films', { embedders: { e: { source: 'userProvided', dimensions: 1 } } });
  context.replies = [
    () => ({ ok: false, error: { code: 'internal', message: 'nobody searches here' } }),
  ];
  const searched = searchFederated(context, {
    queries: ['a', 'b', 'bad', 'c'].map((q) => ({
      ...{ indexUid: 'films', q },
      hybrid: { embedder: 'e', semanticRatio: 1 },
    })),
    federation: {},
    ...{ hasMetadata: false, isForPeer: false, access: FULL_ACCESS, foreignAccess: null },
    caller: { isAborted: false, requestUid: 'r', keyUid: null },
    arrivedAtMs: 0,
  });
  await expect(searched).rejects.toThrow('nobody searches here');
  expect(asked).toEqual(['a', 'b', 'bad', 'c']);
  expect(context.queries[0]?.work).toMatchObject({
    kind: 'federated',
    search: {
      queries: [
        { position: 0, request: { q: 'a', semantic: { vector: Float32Array.of(0) } } },
        { position: 1, request: { q: 'b', semantic: { vector: Float32Array.of(1) } } },
      ],
    },
  });
});

it('refuses an invalid filter of a later query before all else', async () => {
  const context = createFakeApiContext();
  const code = (...queries: object[]) =>
    searchFederated(context, { ...grouped(queries), federation: {} }).then(
      () => null,
      (error: unknown) => (error instanceof ApiError ? error.message : error),
    );
  const [paged, missing] = [{ indexUid: 'films', limit: 1 }, { indexUid: 'none' }];
  expect(await code(paged, missing)).toContain('`limit` is not allowed');
  expect(await code(missing)).toContain('`none` not found');
  const invalid = { indexUid: 'films', filter: 'a =' };
  expect(await code(paged, invalid)).toContain('Inside `.queries[1]`: The filter has invalid');
  expect(await code(missing, invalid)).toContain('Inside `.queries[1]`: The filter has invalid');
});

it('lets the event loop turn between many queries, and ends with the request', async () => {
  const context = createFakeApiContext();
  context.publish('films');
  let nowMs = 0;
  // Each look at the clock takes longer than a slice.
  Object.assign(context.clock, { monotonic: () => (nowMs += 20) });
  // With a limit the queries are refused, and their filters checked before that.
  for (const limit of [{}, { limit: 1 }]) {
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('the client has left')));
    const query = { indexUid: 'films', filter: 'a = 1', ...limit };
    const searched = searchFederated(context, {
      ...grouped([query, query]),
      federation: {},
      caller: { isAborted: false, requestUid: 'r', keyUid: null, signal: stop.signal },
    });
    await expect(searched).rejects.toThrow('the client has left');
  }
});

it('has 404 for a missing index of a query with the feature `foreignKeys`, 400 for one of facets', async () => {
  const context = createFakeApiContext();
  const failureOf = (indexUid: string | null, facetsByIndex: Readonly<Record<string, null>>) =>
    searchFederated(context, {
      ...grouped(indexUid === null ? [] : [{ indexUid }]),
      federation: { facetsByIndex },
    }).catch((error: unknown) => error);
  const missing = (status: number) => ({ code: 'index_not_found', status });
  expect(await failureOf('none', {})).toMatchObject(missing(400));
  expect(await failureOf(null, { none: null })).toMatchObject(missing(400));
  context.features = { ...NO_FEATURES, foreignKeys: true };
  expect(await failureOf('none', {})).toMatchObject(missing(404));
  expect(await failureOf(null, { none: null })).toMatchObject(missing(400));
});

const grouped = (queries: readonly object[]) => ({
  queries: queries as MultiSearchQuery[],
  federation: { groupBy: 'brand', limit: 3, offset: 2 },
  ...{ hasMetadata: false, isForPeer: false, access: FULL_ACCESS, foreignAccess: null },
  caller: { isAborted: false, requestUid: 'r', keyUid: null },
  arrivedAtMs: 0,
});
const part = {
  ...{ queries: [], hits: [], candidateCount: 1, groupedCount: 2, facets: null },
  ...{ groupFacts: null, precedingGroups: [] },
};

it('all indexes together for groups, again together if files are gone', async () => {
  const context = createFakeApiContext();
  for (const uid of ['b', 'a', 'c']) context.publish(uid, { filterableAttributes: ['brand'] });
  context.replies = [
    () => {
      context.publish('b', { filterableAttributes: ['brand'] }, 2);
      const error = { code: 'internal', message: 'the files are gone' } as const;
      return { ok: false, error, retryWithNewest: true };
    },
    () => ({ ok: true, body: new Uint8Array(0), parts: [part, part, part] }),
  ];
  const queries = ['b', 'a', 'c', 'b'].map((indexUid) => ({ indexUid, q: indexUid }));
  const { parts: answer } = await searchFederated(context, grouped(queries));
  expect(JSON.parse(Buffer.concat(answer).toString())).toMatchObject({
    hits: [],
    totalGroups: 3,
    totalDocuments: 6,
  });
  const asked = context.queries.map(({ snapshotKey, work, further }) => {
    const searches = [work, ...(further ?? [])].map((each) => 'search' in each && each.search);
    return { keys: [snapshotKey, ...(further ?? []).map((index) => index.snapshotKey)], searches };
  });
  const window = { offset: 2, limit: 3 };
  const positions = (...all: number[]) => ({
    window,
    queries: all.map((position) => ({ position })),
  });
  expect(asked[0]?.searches).toMatchObject([positions(1), positions(0, 3), positions(2)]);
  const keyOf = (uid: string) => context.indexes.get(uid)?.key;
  expect(asked[1]?.keys).toEqual([keyOf('a'), keyOf('b'), keyOf('c')]);
  expect(asked[0]?.keys[1]).not.toBe(keyOf('b'));
  expect(asked[1]?.searches).toEqual(asked[0]?.searches);
});

it('makes no signal for a search that asks no remote instance and ends in one slice', async () => {
  const context = createFakeApiContext();
  context.publish('a', { filterableAttributes: ['brand'] });
  context.replies = [() => ({ ok: true, body: new Uint8Array(0), parts: [part] })];
  const caller = {
    ...{ isAborted: false, requestUid: 'r', keyUid: null },
    get signal(): AbortSignal {
      throw new Error('a signal was made');
    },
  };
  const call = { ...grouped([{ indexUid: 'a' }]), caller };
  const { parts: answer } = await searchFederated(context, call);
  expect(JSON.parse(Buffer.concat(answer).toString())).toMatchObject({ totalGroups: 1 });
});
