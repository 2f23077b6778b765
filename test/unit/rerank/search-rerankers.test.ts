/** Scores from services of each kind: cached, repeated where it helps, and bounded in time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import type { RerankerSettings } from '../../../src/model/reranker-settings.ts';
import type { ScorePairs } from '../../../src/model/score-pairs.ts';
import { RerankError } from '../../../src/rerank/rerank-service.ts';
import { SearchRerankers } from '../../../src/rerank/search-rerankers.ts';
import { restShape } from '../../../src/rerank/service-shape.ts';
import {
  type MadeRerankAnswer,
  type MadeRerankService,
  makeRerankService,
} from '../../support/made-rerank-service.ts';
import { until } from '../../support/until.ts';

const MANY = '{{..}}';

let made: MadeRerankService;
let http: OutgoingHttp;
let warned: string[];
/** Answers of the next requests; then by length. */
let scripts: MadeRerankAnswer[];
/** The local models. */
let scorePairs: ScorePairs;

beforeEach(async () => {
  made = await makeRerankService();
  http = new OutgoingHttp(new AddressPolicy(['127.0.0.1']));
  warned = [];
  scripts = [];
  scorePairs = async (_model, _query, texts) => Float64Array.from(texts, ({ length }) => length);
});
afterEach(() => {
  http.close();
  made.close();
});

const makeRerankers = (cacheBytes = 1 << 20): SearchRerankers =>
  new SearchRerankers({
    send: (request) => {
      made.script = scripts.shift() ?? null;
      return http.send(request);
    },
    scorePairs: (...call) => scorePairs(...call),
    now: () => performance.now(),
    log: { warn: (message: string | object) => void warned.push(String(message)) },
    cacheBytes,
  });

const settings = (more: Partial<RerankerSettings> = {}): RerankerSettings => ({
  source: 'cohere',
  url: made.url,
  model: 'made',
  documentTemplate: '',
  documentTemplateMaxBytes: 1,
  timeoutMs: 30_000,
  ...more,
});

const about = (...texts: string[]) => ({ query: 'q', texts });

describe('scores', () => {
  it('come from the cache for the same model, query and text, whatever the key', async () => {
    const rerankers = makeRerankers();
    const first = await rerankers.scores(settings(), about('a', 'bb'));
    expect([...first]).toEqual([1e-6, 2e-6]);
    expect([...(await rerankers.scores(settings({ apiKey: 'k' }), about('bb', 'ccc')))]).toEqual([
      2e-6, 3e-6,
    ]);
    expect(made.requests.map(({ documents }) => documents)).toEqual([['a', 'bb'], ['ccc']]);
    await rerankers.scores(settings({ model: 'other' }), about('a'));
    await rerankers.scores(settings(), { ...about('a'), query: 'q2' });
    expect(made.requests).toHaveLength(4);
  });

  it('are cached within the bytes of the cache', async () => {
    const rerankers = makeRerankers(4096);
    const texts = Array.from({ length: 200 }, (_, n) => `text ${n}`);
    await rerankers.scores(settings(), about(...texts));
    const bytes = rerankers.metrics().find(({ name }) => name === 'gannet_rerank_cache_bytes');
    expect(bytes?.values[0]?.value).toBeGreaterThan(0);
    expect(bytes?.values[0]?.value).toBeLessThanOrEqual(4096);
  });

  it('are negative infinity for texts that the service leaves out', async () => {
    scripts = [{ body: { results: [{ index: 1, relevance_score: 0.5 }] } }];
    const scores = await makeRerankers().scores(settings(), about('a', 'b'));
    expect([...scores]).toEqual([Number.NEGATIVE_INFINITY, 0.5]);
  });
});

describe('a request that fails', () => {
  it.each([429, 503, 500])('with %i is repeated', async (status) => {
    scripts = [{ status }, { status }];
    expect(await makeRerankers().scores(settings(), about('a'))).toHaveLength(1);
    expect(made.requests).toHaveLength(3);
    expect(warned).toEqual([]);
  });

  it.each([400, 401, 403, 404])('with %i is not repeated', async (status) => {
    scripts = [{ status }];
    await expect(makeRerankers().scores(settings(), about('a'))).rejects.toThrow(RerankError);
    expect(made.requests).toHaveLength(1);
    expect(warned).toHaveLength(1);
  });

  it('is not repeated beyond the time limit, and the service rests afterwards', async () => {
    scripts = [{ status: 503 }];
    const rerankers = makeRerankers();
    const hasty = settings({ timeoutMs: 50 });
    await expect(rerankers.scores(hasty, about('a'))).rejects.toThrow('answers 503');
    await expect(rerankers.scores(hasty, about('a'))).rejects.toThrow('a moment ago');
    expect(made.requests).toHaveLength(1);
    await rerankers.scores(settings(), about('a'));
  });

  it('ends with the request of the caller', async () => {
    scripts = [{ hangs: true }];
    const leaving = new AbortController();
    const asked = makeRerankers().scores(settings(), { ...about('a'), signal: leaving.signal });
    await until('the request', () => made.requests.length === 1);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    expect(warned).toEqual([]);
  });

  it('because the stored examples do not go together says so', async () => {
    const unfit = settings({ source: 'rest', request: {}, response: {} });
    await expect(makeRerankers().scores(unfit, about('a'))).rejects.toThrow('do not fit');
  });
});

describe('a model in this server', () => {
  const local = (more: Partial<RerankerSettings> = {}): RerankerSettings => ({
    source: 'huggingFace',
    model: 'made/cross',
    documentTemplate: '',
    documentTemplateMaxBytes: 1,
    timeoutMs: 30_000,
    ...more,
  });

  it('scores texts once for each revision', async () => {
    const rerankers = makeRerankers();
    const asked: (readonly string[])[] = [];
    const { model } = local();
    scorePairs = async (reranker, query, texts) => {
      expect([reranker.model, query]).toEqual([model, 'q']);
      asked.push(texts);
      return Float64Array.from(texts, ({ length }) => length);
    };
    expect([...(await rerankers.scores(local(), about('a', 'bb')))]).toEqual([1, 2]);
    expect([...(await rerankers.scores(local(), about('bb', 'ccc')))]).toEqual([2, 3]);
    await rerankers.scores(local({ revision: 'v2' }), about('a'));
    expect(asked).toEqual([['a', 'bb'], ['ccc'], ['a']]);
    expect(made.requests).toEqual([]);
  });

  it('that does not answer in time is not waited for, and rests afterwards', async () => {
    scorePairs = () => new Promise(() => undefined);
    const rerankers = makeRerankers();
    const slow = rerankers.scores(local({ timeoutMs: 30 }), about('a'));
    await expect(slow).rejects.toThrow('the model did not answer in time');
    await expect(rerankers.scores(local({ timeoutMs: 30 }), about('a'))).rejects.toThrow(
      'a moment ago',
    );
    expect(warned).toHaveLength(1);
  });

  it('that fails says why', async () => {
    scorePairs = () => Promise.reject(new Error('the folder is not there'));
    const failed = makeRerankers().scores(local(), about('a'));
    await expect(failed).rejects.toBeInstanceOf(RerankError);
    await expect(failed).rejects.toThrow('the folder is not there');
  });

  it('ends with the request of the caller', async () => {
    let ended: AbortSignal | null = null;
    scorePairs = (_model, _query, _texts, signal) => {
      ended = signal;
      return new Promise(() => undefined);
    };
    const leaving = new AbortController();
    const asked = makeRerankers().scores(local(), { ...about('a'), signal: leaving.signal });
    await until('the model', () => ended !== null);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    expect(ended).toMatchObject({ aborted: true });
    expect(warned).toEqual([]);
  });
});

describe('a service by example', () => {
  it('has its scores by index, or in the order of the texts', () => {
    const request = { query: '{{query}}', texts: ['{{text}}', MANY] };
    const byIndex = restShape(request, [{ index: '{{index}}', score: '{{score}}' }, MANY]);
    expect(byIndex.request('Q', ['a', 'b'])).toEqual({ query: 'Q', texts: ['a', 'b'] });
    expect(byIndex.read([{ index: 1, score: 0.5 }])).toEqual([{ index: 1, score: 0.5 }]);
    const inOrder = restShape(request, { scores: ['{{score}}', MANY] });
    expect(inOrder.read({ scores: [0.1, 0.2] })).toEqual([
      { index: 0, score: 0.1 },
      { index: 1, score: 0.2 },
    ]);
    expect(() => inOrder.read({})).toThrow('has nothing at `scores`');
  });

  it.each([
    [{ texts: ['{{text}}', MANY] }, ['{{score}}', MANY], '`request` lacks'],
    [{ q: '{{query}}', text: '{{text}}' }, ['{{score}}', MANY], 'must both have'],
    [{ q: '{{query}}', t: ['{{text}}', MANY] }, '{{score}}', 'must both have'],
    [{ q: '{{query}}', t: ['{{text}}', MANY] }, [{ i: '{{index}}' }, MANY], '`response` repeats'],
  ])('is refused: %j and %j', (request, response, problem) => {
    expect(() => restShape(request, response)).toThrow(problem);
  });
});
