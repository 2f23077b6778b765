/** Embedders over HTTP against a synthetic provider: batches, refusals, faults, quotas. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmbeddedInputs, EmbeddingError } from '../../../../src/embedding/embedder.ts';
import { openEmbedder } from '../../../../src/embedding/open-embedder.ts';
import { LANES_MAX } from '../../../../src/embedding/providers/rate-limit-state.ts';
import type { EmbedderSettings } from '../../../../src/model/embedders/embedder-settings.ts';
import { vectorsOf } from '../../../support/embedded-vectors.ts';
import {
  fasterClock,
  madeEmbedder,
  madeEnvironment,
  restSettings,
  SteppedClock,
} from '../../../support/made-embedder.ts';
import {
  type MadeAnswer,
  type MadeProvider,
  type MadeScript,
  madeQuota,
  madeVector,
  makeProvider,
} from '../../../support/made-provider.ts';
import { until } from '../../../support/until.ts';

const providers: MadeProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.close();
});
async function provide(script?: MadeScript): Promise<MadeProvider> {
  const provider = await makeProvider(script);
  providers.push(provider);
  return provider;
}

const never = (): AbortSignal => new AbortController().signal;
const texts = (count: number, prefix = 'text'): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at}`);
const plain = (vectors: readonly Float32Array[]): number[][] => vectors.map((v) => [...v]);

const failure = async (promise: Promise<unknown>): Promise<EmbeddingError> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof EmbeddingError) return error;
  throw new Error(`no EmbeddingError: ${String(error)}`);
};

describe('documents', () => {
  it('come back as vectors in their order, batch by batch, each reported once', async () => {
    const provider = await provide();
    const told: EmbeddedInputs[] = [];
    const inputs = texts(100);
    const vectors = await vectorsOf(madeEmbedder(provider), inputs, {
      signal: never(),
      onEmbedded: (embedded) => void told.push(embedded),
    });
    expect(plain(vectors)).toEqual(inputs.map(madeVector));
    expect(provider.requests.map(({ length }) => length).sort()).toEqual([32, 32, 32, 4]);
    const places = told.flatMap(({ at }) => at).sort((a, b) => a - b);
    expect(places).toEqual(inputs.map((_, at) => at));
    for (const { at, vectors: own } of told)
      expect(plain(own)).toEqual(at.map((n) => madeVector(inputs[n] ?? '')));
  });

  it('of none ask for nothing', async () => {
    const provider = await provide();
    expect(await vectorsOf(madeEmbedder(provider), [], { signal: never() })).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  it('are asked for with the key and the headers of the settings', async () => {
    const provider = await provide();
    const headers = { 'X-Team': 'search', Authorization: 'Basic x' };
    await madeEmbedder(provider, { apiKey: 'k' }).embedDocuments(['a'], { signal: never() });
    await madeEmbedder(provider, { apiKey: 'k', headers }).embedDocuments(['a'], {
      signal: never(),
    });
    expect(provider.headers).toMatchObject([
      { authorization: 'Bearer k', 'content-type': 'application/json' },
      { authorization: 'Basic x', 'x-team': 'search' },
    ]);
  });
});

/** Transient faults: the first requests meet them. */
const passing: readonly [string, MadeAnswer][] = [
  ['429 with retry-after', { status: 429, headers: { 'retry-after': '1' } }],
  ['429 without', { status: 429 }],
  [
    '429 with a reset of the quota',
    {
      status: 429,
      headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1s' },
    },
  ],
  ['503 with retry-after', { status: 503, headers: { 'retry-after': '1' } }],
  ['500', { status: 500 }],
  ['502 with a page', { status: 502, body: '<html>' }],
  [
    '429 with a date',
    { status: 429, headers: { 'retry-after': new Date(Date.now() + 5000).toUTCString() } },
  ],
  ['200 with a page', { body: '<html>Sorry</html>' }],
  ['NaN among the numbers', { body: '{"data": [{"embedding": [1, NaN]}]}' }],
  ['half JSON', { body: '{"data": [{"embedding": [1,' }],
  ['an answer byte by byte', { body: 'x'.repeat(100_000), drips: true }],
  ['an answer that breaks off', { body: 'x'.repeat(100), breaks: true }],
  ['no answer', { hangs: true }],
];

/** Only the first requests are aborted when they are not answered soon. */
function impatientAtFirst({ send }: MadeProvider, count: number): MadeProvider['send'] {
  let sent = 0;
  return (request) => send({ ...request, timeoutMs: sent++ < count ? 100 : request.timeoutMs });
}

describe('a provider that fails for a while', () => {
  it.each(passing)('with %s is asked again', async (_, answer) => {
    const provider = await provide((_texts, at) => (at < 3 ? answer : undefined));
    const embedder = openEmbedder(
      restSettings(provider.url),
      madeEnvironment({ send: impatientAtFirst(provider, 3) }, new SteppedClock()),
    );
    const inputs = texts(70);
    const vectors = await vectorsOf(embedder, inputs, { signal: never() });
    expect(plain(vectors)).toEqual(inputs.map(madeVector));
    expect([...provider.paid.values()].every((count) => count === 1)).toBe(true);
  });

  it.each(passing.filter(([name]) => !/429|503/.test(name)))(
    'and keeps answering %s fails the call after the time limit, without naming an input',
    async (_, answer) => {
      const provider = await provide(() => answer);
      const environment = madeEnvironment(provider, new SteppedClock(), {
        timeoutMs: 50,
        retryMsMax: 3000,
      });
      const embedder = openEmbedder(restSettings(provider.url), environment);
      const error = await failure(embedder.embedDocuments(texts(3), { signal: never() }));
      expect(error.inputAt).toBeNull();
      expect(provider.requests.length).toBeGreaterThan(1);
    },
  );

  it('gets the same idempotency key for repeated requests, until two have failed', async () => {
    const answers: (MadeAnswer | undefined)[] = [
      { status: 500 },
      { status: 429 },
      { body: '{"data": []', breaks: true },
      { status: 409, body: 'still at it' },
      { status: 500 },
    ];
    const provider = await provide((_texts, at) => answers[at]);
    const ask = (cause: string | undefined) =>
      openEmbedder(
        restSettings(provider.url),
        madeEnvironment(provider, new SteppedClock()),
      ).embedDocuments(['a'], { signal: never(), ...(cause !== undefined && { cause }) });
    for (const cause of ['task 1', 'task 1', 'task 2', undefined]) await ask(cause);
    const keys = provider.headers.map((headers) => headers['idempotency-key']);
    const [first, another, ofAnother] = [keys[0], keys[5], keys[7]];
    expect(keys).toEqual([
      ...[first, first, first, first, first],
      ...[another, first, ofAnother, undefined],
    ]);
    expect(new Set(keys).size).toBe(4);
  });

  it('gets no further batch of a call whose documents may go without vectors', async () => {
    const provider = await provide(() => ({ status: 500 }));
    const embedder = openEmbedder(
      restSettings(provider.url),
      madeEnvironment(provider, new SteppedClock()),
    );
    const inputs = texts(20 * 32);
    const skipped: number[] = [];
    const vectors = await vectorsOf(embedder, inputs, {
      signal: never(),
      isLastTry: true,
      onSkipped: ({ at }) => void skipped.push(...at),
    });
    expect(vectors.every(({ length }) => length === 0)).toBe(true);
    expect(skipped.sort((a, b) => a - b)).toEqual([...inputs.keys()]);
    expect(provider.requests.length).toBeLessThanOrEqual(LANES_MAX);
  });

  it('and refuses for an hour fails the call', async () => {
    const provider = await provide(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const environment = madeEnvironment(provider, new SteppedClock());
    const embedder = openEmbedder(restSettings(provider.url), environment);
    const error = await failure(embedder.embedDocuments(['a'], { signal: never() }));
    expect(error.message).toMatch('429');
    expect(provider.requests.length).toBeGreaterThan(3);
    expect(provider.requests.length).toBeLessThan(20);
  });

  it('is not waited for by a search', async () => {
    const provider = await provide(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const embedder = openEmbedder(
      restSettings(provider.url),
      madeEnvironment(provider, fasterClock(1)),
    );
    await failure(embedder.embedQuery({ q: 'a', media: null }, never()));
    await failure(embedder.embedQuery({ q: 'a', media: null }, never()));
    expect(provider.requests.length).toBe(1);
  });

  it('is left at once when the caller says stop', async () => {
    const provider = await provide(() => ({ status: 429, headers: { 'retry-after': '60' } }));
    const embedder = openEmbedder(
      restSettings(provider.url),
      madeEnvironment(provider, fasterClock(1)),
    );
    const controller = new AbortController();
    const embedding = embedder.embedDocuments(texts(100), { signal: controller.signal });
    void until('it is refused', () => provider.requests.length > 0).then(() =>
      controller.abort(new Error('canceled')),
    );
    await expect(embedding).rejects.toThrow('canceled');
  });
});

describe('a provider that answers nonsense', () => {
  /** Becomes 64 MB. */
  const BOMB = gzipSync(Buffer.alloc(64 << 20));
  const list = (...embeddings: unknown[]) => ({
    body: { data: embeddings.map((embedding) => ({ embedding })) },
  });
  it.each<[string, MadeAnswer, number | null]>([
    ['fewer vectors than inputs', list([1, 2]), null],
    ['more vectors than inputs', list([1, 2], [1, 2], [1, 2], [1, 2]), null],
    ['other dimensions for one', list([1, 2], [1, 2, 3], [1, 2]), 1],
    ['an empty vector', list([1, 2], [1, 2], []), 2],
    ['no vector', list([1, 2], 'x', [1, 2]), 1],
    ['null among the numbers', list([1, 2], [1, 2], [1, null]), 2],
    ['a number beyond 32 bits', list([1, 1e39], [1, 2], [1, 2]), 0],
    ['text among the numbers', list([1, 2], ['1', 2], [1, 2]), 1],
    ['another shape', { body: { embeddings: [] } }, null],
    ['ten megabytes of it', { body: { data: 'x'.repeat(10 << 20) } }, null],
    ['what was compressed unasked', { body: BOMB, headers: { 'content-encoding': 'gzip' } }, null],
    ['a way to another page', { status: 302, headers: { location: '/login' } }, null],
    [
      'a way to a forbidden address',
      { status: 307, headers: { location: 'http://10.0.0.1/' } },
      null,
    ],
    ['a list of something else', { body: { data: [1, 2, 3] } }, null],
    ['an object where a list should be', { body: { data: {} } }, null],
    ['401', { status: 401, body: { error: 'bad key sk-0123456789' } }, null],
    ['a header that it repeats', { status: 403, body: 'not for Token hs-0123456789' }, null],
    ['404', { status: 404 }, null],
    [
      'an account without money',
      { status: 429, body: { error: { code: 'insufficient_quota' } } },
      null,
    ],
  ])('as %s fails at once', async (_, answer, inputAt) => {
    const provider = await provide(() => answer);
    const headers = { 'X-Api-Key': 'Token hs-0123456789' };
    const embedder = madeEmbedder(provider, { apiKey: 'sk-0123456789', headers });
    const error = await failure(embedder.embedDocuments(texts(3), { signal: never() }));
    expect(error.inputAt).toBe(inputAt);
    expect(error.message).toMatch(
      /^((The provider at )?http:\/\/127\.0\.0\.1:\d+ |`10\.0\.0\.1` )/,
    );
    expect(error.message).not.toMatch('0123456789');
    expect(error.message.length).toBeLessThan(500);
    expect(provider.requests.length).toBe(1);
  });

  it('as dimensions other than those of the settings fails with the input', async () => {
    const embedder = madeEmbedder(await provide(), { dimensions: 3 });
    const error = await failure(embedder.embedDocuments(texts(2), { signal: never() }));
    expect(error).toMatchObject({ inputAt: 0 });
    expect(error.message).toMatch('2 dimensions, expected 3');
  });
});

describe('an input that the provider does not take', () => {
  it.each([400, 413, 422])('is found by halves and named: %i', async (status) => {
    const provider = await provide((batch) => (batch.includes('text 37') ? { status } : undefined));
    const error = await failure(
      madeEmbedder(provider).embedDocuments(texts(64), { signal: never() }),
    );
    expect(error.inputAt).toBe(37);
    expect(provider.requests.length).toBeLessThan(12);
  });

  it('is not blamed where the provider takes nothing: one other text tells', async () => {
    const provider = await provide(() => ({ status: 400, body: 'no such model' }));
    const skipped: number[] = [];
    const embedder = madeEmbedder(provider);
    const error = await failure(embedder.embedDocuments(texts(32), { signal: never() }));
    expect(error.inputAt).toBeNull();
    expect(error.message).toMatch(/answers 400: no such model.*refuses the text `test` as well/);
    const [halves, samples] = [Math.log2(32) + 1, 1];
    expect(provider.requests.length).toBe(halves + samples);
    await embedder.embedDocuments(texts(3200), {
      signal: never(),
      onSkipped: ({ at }) => void skipped.push(...at),
    });
    expect(skipped).toHaveLength(3200);
    expect(provider.requests.length).toBeLessThan(2 * 32 * LANES_MAX);
  });

  it('is blamed where the provider takes another text, which is asked once', async () => {
    const provider = await provide(([text]) => (text === 'test' ? undefined : { status: 422 }));
    const skipped: number[] = [];
    await madeEmbedder(provider).embedDocuments(texts(64), {
      signal: never(),
      onSkipped: ({ at }) => void skipped.push(...at),
    });
    expect(skipped).toHaveLength(64);
    expect([...provider.paid]).toEqual([['test', 1]]);
  });

  it('costs the others nothing when only the size of the batch was wrong', async () => {
    const provider = await provide((batch) => (batch.length > 10 ? { status: 413 } : undefined));
    const inputs = texts(64);
    const vectors = await vectorsOf(madeEmbedder(provider), inputs, { signal: never() });
    expect(plain(vectors)).toEqual(inputs.map(madeVector));
    expect(Math.max(...provider.paid.values())).toBe(1);
  });
});

describe('a provider with a quota', () => {
  it.each<[string, (ms: number) => Record<string, string>]>([
    ['says when it is over', (ms) => ({ 'retry-after': String(Math.ceil(ms / 1000)) })],
    ['keeps that to itself', () => ({})],
  ])(
    'that %s gets 300 requests at its state, some fail, and no text is paid twice',
    async (_, headersOf) => {
      const clock = new SteppedClock();
      const refusal = madeQuota(100, 60_000, clock.now);
      const provider = await provide((_texts, at) => {
        const ms = refusal();
        if (ms !== null) return { status: 429, headers: headersOf(ms) };
        return at % 100 === 50 ? { status: 500 } : undefined;
      });
      const settings = restSettings(provider.url, {
        request: { input: ['{{text}}'] },
        response: { data: [{ embedding: '{{embedding}}' }] },
      });
      const embedder = openEmbedder(settings, madeEnvironment(provider, clock));
      const startMs = clock.now();
      const vectors = await vectorsOf(embedder, texts(300), { signal: never() });
      expect(vectors.length).toBe(300);
      expect([...provider.paid.values()]).toEqual(Array.from({ length: 300 }, () => 1));
      // The quota alone takes three windows; the first one has already begun.
      expect((clock.now() - startMs) / 60_000).toBeLessThan(4.5);
    },
  );

  it('that tells what is left is never asked for more', async () => {
    const clock = new SteppedClock();
    const refusal = madeQuota(20, 60_000, clock.now);
    let left = 20;
    let refused = 0;
    const provider = await provide(() => {
      const ms = refusal();
      left = ms === null ? left - 1 : 20;
      if (ms !== null) refused += 1;
      return ms === null ? undefined : { status: 429 };
    });
    const send: MadeProvider['send'] = async (request) => {
      const answer = await provider.send(request);
      const resetS = (60_000 - (clock.now() % 60_000)) / 1000;
      if (left <= 0) left += 20;
      const headers = {
        'x-ratelimit-remaining-requests': String(left % 20),
        'x-ratelimit-reset-requests': `${resetS.toFixed(3)}s`,
      };
      return { ...answer, headers: { ...answer.headers, ...headers } };
    };
    const embedder = openEmbedder(restSettings(provider.url), madeEnvironment({ send }, clock));
    await embedder.embedDocuments(texts(50 * 32), { signal: never() });
    expect(refused).toBeLessThanOrEqual(2);
  });
});

describe('dimensions', () => {
  it('of fragments are asked for with a search by text, then with documents of sample text', async () => {
    const isPicture = (text: string): boolean => text.startsWith('picture');
    const provider = await provide((texts) =>
      texts.some(isPicture) ? { status: 422 } : undefined,
    );
    const fragments = (more: Partial<EmbedderSettings>) =>
      madeEmbedder(provider, { request: { input: ['{{fragment}}', '{{..}}'] }, ...more });
    const words = { words: { value: 'q {{q}}' }, picture: { value: '{{media.picture}}' } };
    const documents = {
      poster: { value: 'picture {{doc.poster.url}}' },
      text: { value: 'doc {{doc.title}}' },
    };
    const both = fragments({ searchFragments: words, indexingFragments: documents });
    expect(await both.dimensions(never())).toBe(2);
    expect(provider.requests).toEqual([['q test']]);
    expect(await fragments({ indexingFragments: documents }).dimensions(never())).toBe(2);
    expect(provider.requests.slice(1)).toEqual([['picture test'], ['doc test']]);
    const pictures = fragments({ indexingFragments: { poster: documents.poster } });
    expect((await failure(pictures.dimensions(never()))).message).toMatch(
      '`dimensions` must be set',
    );
  });

  it('are those of settings or model, else asked for once', async () => {
    const provider = await provide();
    expect(await madeEmbedder(provider, { dimensions: 7 }).dimensions(never())).toBe(7);
    const openAi = { source: 'openAi', model: 'text-embedding-3-large' } as const;
    const environment = madeEnvironment(provider);
    expect(await openEmbedder(openAi, environment).dimensions(never())).toBe(3072);
    expect(provider.requests).toEqual([]);
    const asking = madeEmbedder(provider);
    expect(await asking.dimensions(never())).toBe(2);
    expect(await asking.dimensions(never())).toBe(2);
    expect(provider.requests.length).toBe(1);
  });

  it('of the two of a composite embedder must be the same', async () => {
    const provider = await provide();
    const composite = (search: number, indexing: number) =>
      openEmbedder(
        {
          source: 'composite',
          searchEmbedder: restSettings(provider.url, { dimensions: search }),
          indexingEmbedder: restSettings(provider.url, { dimensions: indexing }),
        },
        madeEnvironment(provider),
      );
    expect(await composite(2, 2).dimensions(never())).toBe(2);
    expect((await failure(composite(2, 3).dimensions(never()))).message).toMatch('3 dimensions');
  });
});

const OPENAI_URL = 'https://api.openai.com/v1/embeddings';

it('OpenAI is asked by its API, for fewer dimensions only where the model can', async () => {
  const provider = await provide();
  const bodies: unknown[] = [];
  const send: MadeProvider['send'] = (request) => {
    bodies.push(JSON.parse(Buffer.from(request.body ?? []).toString()));
    return provider.send({ ...request, url: provider.url });
  };
  const environment = madeEnvironment({ send }, fasterClock(50), {
    defaults: { openAiApiKey: 'from-environment', openAiUrl: OPENAI_URL, ollamaUrl: '' },
  });
  const openAi = { source: 'openAi', model: 'text-embedding-3-small', dimensions: 2 } as const;
  await openEmbedder(openAi, environment).embedDocuments(['a', 'b'], { signal: never() });
  const ada = { ...openAi, model: 'text-embedding-ada-002', apiKey: 'own' } as const;
  await openEmbedder(ada, environment).embedQuery({ q: 'c', media: null }, never());
  expect(bodies).toEqual([
    { model: 'text-embedding-3-small', dimensions: 2, input: ['a', 'b'] },
    { model: 'text-embedding-ada-002', input: ['c'] },
  ]);
  expect(provider.headers.map(({ authorization }) => authorization)).toEqual([
    'Bearer from-environment',
    'Bearer own',
  ]);
});

it.each([
  ['https://attacker.example/v1/embeddings', undefined],
  ['https://api.openai.com.attacker.example/v1/embeddings', undefined],
  ['https://api.openai.com@attacker.example/v1/embeddings', undefined],
  ['http://api.openai.com/v1/embeddings', undefined],
  ['https://gateway.example/attacker', undefined],
  ['https://gateway.example/openai', 'Bearer of-the-operator'],
  ['https://GATEWAY.example:443/openai', 'Bearer of-the-operator'],
])('the key of the operator with the URL %s of the settings: %s', async (url, authorization) => {
  const seen: (string | undefined)[] = [];
  const send: MadeProvider['send'] = (request) => {
    seen.push(request.headers['authorization']);
    return Promise.resolve({ status: 401, headers: {}, body: Buffer.from('') });
  };
  const openAiUrl = 'https://gateway.example/openai';
  const environment = madeEnvironment({ send }, fasterClock(50), {
    defaults: { openAiApiKey: 'of-the-operator', openAiUrl, ollamaUrl: '' },
  });
  const openAi = { source: 'openAi', model: 'text-embedding-3-small', url } as const;
  const embedder = openEmbedder(openAi, environment);
  const { message } = await failure(embedder.embedQuery({ q: 'a', media: null }, never()));
  expect(seen).toEqual([authorization]);
  expect(/sends no key/.test(message)).toBe(authorization === undefined);
});

it.each([
  ['/api/embeddings', { model: 'm', prompt: 'a' }, { embedding: [1, 2] }],
  ['/api/embed', { model: 'm', input: ['a'] }, { embeddings: [[1, 2]] }],
])('Ollama is asked by its route %s', async (path, body, answer) => {
  const seen: unknown[] = [];
  const send: MadeProvider['send'] = (request) => {
    seen.push(request.url, JSON.parse(Buffer.from(request.body ?? []).toString()));
    return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) });
  };
  const url = `http://localhost:11434${path}`;
  const environment = madeEnvironment({ send }, fasterClock(50), {
    defaults: { openAiApiKey: null, openAiUrl: OPENAI_URL, ollamaUrl: url },
  });
  const embedder = openEmbedder({ source: 'ollama', model: 'm' }, environment);
  const [vector] = await vectorsOf(embedder, ['a'], { signal: never() });
  expect([...(vector ?? [])]).toEqual([1, 2]);
  expect(seen).toEqual([url, body]);
});

it('an embedder that is userProvided says where vectors come from', async () => {
  const provider = await provide();
  const embedder = openEmbedder(
    { source: 'userProvided', dimensions: 2 },
    madeEnvironment(provider),
  );
  const options = { signal: never() };
  expect((await failure(embedder.embedDocuments(['a'], options))).message).toMatch('`_vectors`');
  expect(
    (await failure(embedder.embedQuery({ q: 'a', media: null }, options.signal))).message,
  ).toMatch('`vector`');
});
