/** Limits of one request to servers whose limits are small: bytes of its answer, queries, time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const QUERIES_MAX = 10_000;
const WORDS = Array.from({ length: 300 }, (_, i) => `word${i.toString(36)}`);
const wordAt = (place: number): string => WORDS[place % WORDS.length] as string;
let small: TestServer;
let quick: TestServer;

async function serverWith(limits: Readonly<Record<string, string>>): Promise<TestServer> {
  const flags = ['--answer-cache-size', '0', ...Object.entries(limits).flat()];
  const server = await TestServer.start({ flags });
  const documents = Array.from({ length: 2000 }, (_, id) => ({
    id,
    text: Array.from({ length: 20 }, (_, i) => wordAt(id * 7 + i * i * 13)).join(' '),
  }));
  await server.client.index('texts').addDocuments(documents).waitTask();
  return server;
}

beforeAll(async () => {
  [small, quick] = await Promise.all([
    serverWith({ '--max-response-size': '64KiB' }),
    serverWith({
      '--search-timeout-seconds': '1',
      '--max-multi-search-queries': String(QUERIES_MAX),
    }),
  ]);
});
afterAll(cleanUp);

const queriesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    indexUid: 'texts',
    q: `${wordAt(i)} ${wordAt(i * 7)} ${wordAt(i * 11)} wrod${i}`,
  }));

describe('an answer larger than the option allows', () => {
  const all = { limit: 1000 };
  const tags = { highlightPreTag: '<'.repeat(1000), attributesToHighlight: ['*'] };
  it.each([
    ['a search', '/indexes/texts/search', all],
    ['long tags', '/indexes/texts/search', { ...tags, q: 'word1', limit: 200 }],
    ['documents', '/indexes/texts/documents/fetch', all],
    ['a multi-search', '/multi-search', { queries: queriesOf(60) }],
    ['a federated search', '/multi-search', { queries: queriesOf(5), federation: all }],
  ])('is refused: %s', async (_, path, body) => {
    const answer = await small.call('POST', path, sendJson(body));
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ code: 'response_too_large', type: 'invalid_request' }),
    ]);
  });

  it('leaves answers that fit as they are', async () => {
    const answer = await small.call('POST', '/indexes/texts/search', sendJson({ limit: 20 }));
    expect(answer.status).toBe(200);
  });
});

it.each([undefined, {}])('refuses more queries than the option allows', async (federation) => {
  const body = { queries: queriesOf(QUERIES_MAX + 1), federation };
  const answer = await quick.call('POST', '/multi-search', sendJson(body));
  expect([answer.status, answer.json]).toEqual([
    400,
    expect.objectContaining({ code: 'bad_request' }),
  ]);
});

it.each([undefined, {}])('ends a multi-search at the time limit', async (federation) => {
  const body = { queries: queriesOf(QUERIES_MAX), federation };
  const answer = await quick.call('POST', '/multi-search', sendJson(body));
  expect(answer.status).toBe(503);
  // On a busy machine its last query may have waited for a thread as long.
  expect(answer.json).toMatchObject({
    code: expect.stringMatching(/^(search_timeout|too_many_search_requests)$/),
    type: 'system',
  });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});
