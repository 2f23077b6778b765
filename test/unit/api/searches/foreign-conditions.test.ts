/** Requests for the ids that take the place of `_foreign`, and their limits. */
import { describe, expect, it } from 'vitest';
import { ForeignConditions } from '../../../../src/api/searches/foreign-conditions.ts';
import { ForeignDocuments } from '../../../../src/api/searches/foreign-documents.ts';
import { FULL_ACCESS } from '../../../../src/auth/access.ts';
import { limits } from '../../../../src/core/limits.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { RemoteSearches } from '../../../../src/network/remote-searches.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';

const CODE = 'invalid_search_filter';

/** Conditions of a request to one remote, which has these ids. */
function setUp(ids: readonly string[], signal?: AbortSignal) {
  const context = createFakeApiContext();
  context.features = { ...NO_FEATURES, foreignKeys: true };
  const remote = { url: 'http://far.example', searchApiKey: null, writeApiKey: null };
  context.network = { ...context.network, remotes: { far: remote } };
  const asked: unknown[] = [];
  const results = ids.map((id) => ({ id }));
  const send = async ({ body }: { readonly body?: Uint8Array }) => {
    asked.push(JSON.parse(Buffer.from(body ?? []).toString()));
    if (signal) await new Promise((_, fail) => signal.addEventListener('abort', fail));
    return {
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ results, total: ids.length })),
    };
  };
  const remoteSearches = new RemoteSearches(send as never, 1000);
  const keys = [{ fieldName: 'by', foreignIndexUid: 'people' }];
  context.publish('people');
  const index = context.publish('films', { foreignKeys: keys });
  const documents = ForeignDocuments.of(Object.assign(context, { remoteSearches }), {
    access: { ...FULL_ACCESS, searchFilter: (uid) => (uid === 'people' ? ['owner = a'] : null) },
    caller: { isAborted: false, requestUid: 'r', keyUid: null, ...(signal && { signal }) },
    instances: ['far', 'far'],
  });
  if (documents === null) throw new Error('foreign keys are off');
  const conditions = new ForeignConditions(documents);
  const replaced = (filter: string) => conditions.replaced(filter, index, CODE);
  return { replaced, asked };
}

describe('a condition on another index', () => {
  it('is asked once of each instance, with the filter of the caller', async () => {
    const { replaced, asked } = setUp(['1', 'b_-']);
    const filter = '_foreign(by, team = x) OR NOT _foreign(by, team = x)';
    expect(await replaced(filter)).toBe('"by" IN ["1","b_-"] OR NOT "by" IN ["1","b_-"]');
    expect(await replaced('_foreign(by, team = x)')).toBe('"by" IN ["1","b_-"]');
    expect(asked).toEqual([
      { filter: ['owner = a', 'team = x'], fields: ['id'], limit: limits.foreignDocumentsMax + 1 },
    ]);
    expect(await setUp([]).replaced('_foreign(by, team = x)')).toBe('"by" IN []');
  });

  it('selects a limited number of documents', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i));
    const { foreignDocumentsMax: max } = limits;
    expect(await setUp(ids(max)).replaced('_foreign(by, a = 1)')).toContain(`"${max - 1}"]`);
    await expect(setUp(ids(max + 1)).replaced('_foreign(by, a = 1)')).rejects.toMatchObject({
      code: CODE,
      message: expect.stringContaining(`more than ${max} documents of the index \`people\``),
    });
  });

  it('is one of a limited number, in a filter of limited length', async () => {
    const filters = (count: number) =>
      Array.from({ length: count }, (_, i) => `_foreign(by, a = ${i})`).join(' OR ');
    const { networkForeignConditionsMax: max, networkForeignFilterLengthMax: length } = limits;
    expect(await setUp([]).replaced(filters(max))).toContain('"by" IN []');
    await expect(setUp([]).replaced(filters(max + 1))).rejects.toThrow(`more than ${max}`);
    const long = `a = "${'a'.repeat(length)}"`;
    expect(await setUp([]).replaced(long)).toBe(long);
    await expect(setUp([]).replaced(`${long} OR ${filters(1)}`)).rejects.toThrow('characters');
  });

  it('adds a limited number of bytes to the filters of a request', async () => {
    const { replaced } = setUp(
      Array.from({ length: 1000 }, (_, i) => String(i).padStart(511, '0')),
    );
    const count = Math.floor(limits.networkForeignIdBytesMax / (1000 * 511));
    for (let i = 0; i < count; i++) await replaced('_foreign(by, a = 1)');
    await expect(replaced('_foreign(by, a = 1)')).rejects.toThrow('too many documents');
  });

  it('ends with the request', async () => {
    const stop = new AbortController();
    const { replaced, asked } = setUp(['1'], stop.signal);
    const condition = replaced('_foreign(by, a = 1)');
    await expect.poll(() => asked.length).toBe(1);
    stop.abort(new Error('the client has left'));
    await expect(condition).rejects.toThrow('the client has left');
  });
});
