/**
 * Goal: a search that is asked again is answered from memory, word for word but for its time and
 * uid, and never with what another state of the index, another request or a search that was cut
 * short would have said.
 */
import { describe, expect, it } from 'vitest';
import { ResponseCache, responseKey } from '../../../../src/api/contract/response-cache.ts';
import { searchRoutes } from '../../../../src/api/routes/search-routes.ts';
import { FULL_ACCESS } from '../../../../src/auth/access.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { createFakeApiContext, type FakeApiContext } from '../../../support/fake-api-context.ts';

const TEXT = '{"hits":[{"q":"\\"processingTimeMs\\":1"}],"processingTimeMs":12,"requestUid":"abc"}';
const timeStart = TEXT.indexOf(':12,') + 1;
const uidStart = TEXT.indexOf('abc');
const PLACES = { timeStart, timeEnd: timeStart + 2, uidStart, uidEnd: uidStart + 3 };
const body = Buffer.from(TEXT);
const text = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString();

/** A context whose query threads answer with `TEXT`. */
function setUp(places: typeof PLACES | undefined = PLACES): FakeApiContext {
  const context = createFakeApiContext();
  context.publish('films');
  context.replies = [() => ({ ok: true, body, ...(places && { places }) })];
  return context;
}

async function search(context: FakeApiContext, asked: object): Promise<string> {
  const answer = await searchRoutes[0]?.handler(context, {
    params: { indexUid: 'films' },
    query: {},
    headers: { userId: '' },
    body: asked,
    access: FULL_ACCESS,
    rawQuery: '',
    receivedAtMs: context.clock.monotonic(),
    caller: { isAborted: false, requestUid: 'r', keyUid: null },
  } as never);
  return answer && 'bytes' in answer ? text(Buffer.concat([answer.bytes].flat())) : '';
}

describe('cached answers', () => {
  it('have the time and uid of the request that they answer, of any length', () => {
    const answers = new ResponseCache(100_000);
    answers.set('x', body, PLACES, 1);
    expect(text(answers.get('x', { processingTimeMs: 0, requestUid: 'longer' }))).toBe(
      TEXT.replace(':12,', ':0,').replace('abc', 'longer'),
    );
    expect(text(answers.get('x', { processingTimeMs: 1234, requestUid: '' }))).toBe(
      TEXT.replace(':12,', ':1234,').replace('abc', ''),
    );
    expect(answers.get('y', { processingTimeMs: 0, requestUid: '' })).toBeNull();
    const [hits, misses] = answers.metrics();
    expect([hits, misses]).toMatchObject([{ values: [{ value: 2 }] }, { values: [{ value: 1 }] }]);
  });

  it('take no more memory than they may, and none when that is 0', () => {
    const none = new ResponseCache(0);
    none.set('x', body, PLACES, 1);
    expect(none.get('x', { processingTimeMs: 0, requestUid: '' })).toBeNull();
    const few = new ResponseCache(64 << 10);
    for (let i = 0; i < 1000; i++) few.set(`${i}`, body, PLACES, 1);
    const names = Array.from({ length: 1000 }, (_, i) => `${i}`);
    const kept = names.filter((name) => few.get(name, { processingTimeMs: 0, requestUid: '' }));
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length * body.length).toBeLessThan(64 << 10);
  });

  it('have no name for a search that tells where its time went, or by meaning', () => {
    const named = (more: object) => responseKey('7:1', { ...DEFAULT_SEARCH_REQUEST, ...more });
    expect(named({})).not.toBeNull();
    expect(named({ showPerformanceDetails: true })).toBeNull();
    expect(named({ semantic: { vector: [1] } as never })).toBeNull();
    expect(named({ q: 'a' })).not.toBe(named({ q: 'b' }));
  });
});

describe('a search that is asked again', () => {
  it('asks no thread, until the index has another generation', async () => {
    const context = setUp();
    const first = await search(context, { q: 'red' });
    const again = await search(context, { q: 'red' });
    expect(context.queries).toHaveLength(1);
    expect(first).toBe(TEXT);
    expect(again.slice(0, timeStart)).toBe(first.slice(0, timeStart));
    expect(again).not.toContain('"abc"');
    await search(context, { q: 'red', limit: 3 });
    expect(context.queries).toHaveLength(2);
    context.publish('films', {}, 2);
    await search(context, { q: 'red' });
    expect(context.queries).toHaveLength(3);
  });

  it('asks a thread when its answer was cut short by the time limit', async () => {
    const context = setUp(undefined);
    context.replies = [() => ({ ok: true, body })];
    await search(context, { q: 'red' });
    await search(context, { q: 'red' });
    expect(context.queries).toHaveLength(2);
  });
});
