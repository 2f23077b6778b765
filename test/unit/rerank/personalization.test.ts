/** Hits in the order of a service, and answers as they are wherever that fails. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import { Personalization, type PersonalizedFor } from '../../../src/rerank/personalization.ts';
import { RerankService } from '../../../src/rerank/rerank-service.ts';
import { namedShape } from '../../../src/rerank/service-shape.ts';
import {
  type MadeRerankAnswer,
  type MadeRerankService,
  makeRerankService,
} from '../../support/made-rerank-service.ts';

const API_KEY = 'a-key-that-is-secret-0123456789';
const FOR_ANNA: PersonalizedFor = {
  userContext: 'likes the sea',
  queries: ['film'],
  isPinned: null,
};

let made: MadeRerankService;
let http: OutgoingHttp;
let nowMs = 0;
let warned: string[] = [];
let personalization: Personalization;

beforeEach(async () => {
  made = await makeRerankService();
  http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
  nowMs = 0;
  warned = [];
  personalization = new Personalization({
    service: new RerankService({
      url: made.url,
      apiKey: API_KEY,
      shape: namedShape('made', 'results'),
      timeoutMs: 30_000,
      send: async (request) => {
        nowMs += 7;
        return http.send(made.script?.hangs === true ? { ...request, timeoutMs: 100 } : request);
      },
    }),
    now: () => nowMs,
    log: { warn: (message: string | object) => void warned.push(String(message)) },
  });
});
afterEach(() => {
  http.close();
  made.close();
});

const answerOf = (hits: readonly string[], ms = 3): Buffer =>
  Buffer.from(`{"hits":[${hits.join(',')}],"query":"film","processingTimeMs":${ms},"limit":20}`);
const [SHORT, MIDDLE, LONG] = [
  '{"id":1.0,"t":"a"}',
  '{"10":1e400,"id":12345678901234567890,"t":"bbb"}',
  '{"id":3,"t":"ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}',
] as const;
const apply = async (answer: Buffer, asked = FOR_ANNA): Promise<string> =>
  Buffer.from(await personalization.apply(answer, asked)).toString();
const figures = () => personalization.metrics().map(({ values }) => values[0]?.value);

describe('an answer', () => {
  it('keeps pinned hits at their places, of which the service gets no text', async () => {
    const hits = [SHORT, '{"id":7,"t":"pinned"}', MIDDLE, LONG];
    const isPinned: PersonalizedFor['isPinned'] = (hit) => hit['id'] === 7;
    const ordered = await apply(answerOf(hits), { ...FOR_ANNA, isPinned });
    expect(ordered).toBe(answerOf([LONG, hits[1]!, MIDDLE, SHORT], 10).toString());
    expect(made.requests.at(-1)?.documents).toHaveLength(3);
    const two = answerOf([SHORT, hits[1]!]);
    expect(await apply(two, { ...FOR_ANNA, isPinned })).toBe(two.toString());
  });

  it('has its hits in the order of the service, byte for byte, and tells the time of both', async () => {
    const ordered = await apply(answerOf([SHORT, MIDDLE, LONG]));
    expect(ordered).toBe(answerOf([LONG, MIDDLE, SHORT], 3 + 7).toString());
    expect(figures()).toEqual([1, 0]);
  });

  it('is asked about with user, words, and the fields of documents alone', async () => {
    const added =
      '"_formatted":{"t":"x"},"_matchesPosition":{},"_rankingScore":1,"_rankingScoreDetails":{},"_vectors":{},"_federation":{},"_geoDistance":1';
    await apply(answerOf([`{"t":"a",${added}}`, `{"t":"${'b'.repeat(9000)}"}`]), {
      userContext: 'u'.repeat(10_000),
      queries: ['never seen'],
      isPinned: null,
    });
    await apply(answerOf([SHORT, LONG]));
    const [first, second] = made.requests;
    expect(first?.documents[0]).toBe('{"t":"a"}');
    expect(first?.documents[1]).toHaveLength(8000);
    expect(first?.query).toHaveLength(8000);
    expect(second).toMatchObject({ model: 'made', query: 'User: likes the sea\nQuery: film' });
    expect(made.headers[0]).toMatchObject({ authorization: `Bearer ${API_KEY}` });
  });

  it('of one hit or none sends no request', async () => {
    for (const hits of [[], [LONG]])
      expect(await apply(answerOf(hits))).toBe(answerOf(hits).toString());
    expect(made.requests).toEqual([]);
  });

  it('keeps hits that the service leaves out behind the others, and equal ones in their order', async () => {
    made.script = { body: { results: [{ index: 2, relevance_score: 0 }] } };
    expect(await apply(answerOf([SHORT, MIDDLE, LONG]))).toBe(
      answerOf([LONG, SHORT, MIDDLE], 10).toString(),
    );
    made.script = { body: { results: [1, 0].map((index) => ({ index, relevance_score: 1 })) } };
    expect(await apply(answerOf([SHORT, MIDDLE]))).toBe(answerOf([SHORT, MIDDLE], 10).toString());
  });

  it('of more than a thousand hits has the first thousand ordered', async () => {
    const hits = Array.from({ length: 1002 }, (_, at) => `{"t":"${'x'.repeat(at % 1000)}"}`);
    const { hits: ordered } = JSON.parse(await apply(answerOf(hits))) as {
      hits: readonly { readonly t: string }[];
    };
    expect(made.requests[0]?.documents).toHaveLength(1000);
    expect(ordered.map(({ t }) => t.length).slice(0, 3)).toEqual([999, 998, 997]);
    expect(ordered.slice(-2).map(({ t }) => t.length)).toEqual([0, 1]);
  });
});

describe('a service that fails', () => {
  it.each<[string, MadeRerankAnswer, RegExp]>([
    ['an error', { status: 500, body: 'broken' }, /answers 500: broken/],
    ['too many requests', { status: 429 }, /answers 429/],
    ['no answer', { hangs: true }, /did not answer in time/],
    ['a page', { body: '<html>' }, /is not JSON/],
    ['null', { body: 'null' }, /has no list of `results`/],
    [
      'no index',
      { body: { results: [{ relevance_score: 1 }] } },
      /a result of the service is none/,
    ],
    ['an index beyond', { body: { results: [{ index: 9, relevance_score: 1 }] } }, /"index":9/],
    ['half an index', { body: { results: [{ index: 0.5, relevance_score: 1 }] } }, /"index":0.5/],
    ['no score', { body: { results: [{ index: 0, relevance_score: 'high' }] } }, /"high"/],
    ['a result that is null', { body: { results: [null] } }, /none: \{\}/],
    ['megabytes', { body: 'x'.repeat(1 << 20) }, /more than \d+ bytes/],
    ['the key', { status: 401, body: `no ${API_KEY}` }, /answers 401: no a-keyX+/],
  ])('with %s leaves the order, says so, and is let alone for a while', async (_, script, why) => {
    made.script = script;
    const found = answerOf([SHORT, LONG]);
    expect(await apply(found)).toBe(answerOf([SHORT, LONG], 10).toString());
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatch(why);
    expect(warned[0]).not.toContain(API_KEY);
    made.script = null;
    expect(await apply(found)).toBe(found.toString());
    expect(made.requests).toHaveLength(1);
    expect(figures()).toEqual([2, 2]);
    nowMs += 5000;
    expect(await apply(found)).toBe(answerOf([LONG, SHORT], 10).toString());
  });

  it('at one question alone is asked the next one', async () => {
    made.script = { status: 400, body: 'too long' };
    await apply(answerOf([SHORT, LONG]));
    made.script = null;
    expect(await apply(answerOf([SHORT, LONG]))).toBe(answerOf([LONG, SHORT], 10).toString());
  });

  it('is not asked at an address that is forbidden', async () => {
    const service = new RerankService({
      url: 'http://10.0.0.1/',
      apiKey: API_KEY,
      shape: namedShape('made', 'results'),
      timeoutMs: 300,
      send: http.send,
    });
    await expect(service.scores({ query: 'q', texts: ['a', 'b'] })).rejects.toThrow(
      'no public address',
    );
  });

  it('is asked by 64 searches at once, no more', async () => {
    made.script = { hangs: true };
    const all = Array.from({ length: 70 }, () => apply(answerOf([SHORT, LONG])));
    await Promise.all(all);
    expect(figures()).toEqual([70, 70]);
    expect(made.requests.length).toBeLessThanOrEqual(64);
  });
});
