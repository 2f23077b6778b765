/** Vectors on disk and in memory: no content is embedded twice, and both stores are bounded. */

import { LRUCache } from 'lru-cache';
import { afterEach, describe, expect, it } from 'vitest';
import { CachedEmbedder } from '../../../../src/embedding/cache/cached-embedder.ts';
import { EmbeddingStore } from '../../../../src/embedding/cache/embedding-store.ts';
import { QueryVectorCache } from '../../../../src/embedding/cache/query-vector-cache.ts';
import {
  type DocumentEmbedder,
  type Embedder,
  EmbeddingError,
} from '../../../../src/embedding/embedder.ts';
import { vectorsOf } from '../../../support/embedded-vectors.ts';
import { Gate } from '../../../support/gate.ts';
import { madeEmbedder } from '../../../support/made-embedder.ts';
import { type MadeProvider, madeVector, makeProvider } from '../../../support/made-provider.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const never = (): AbortSignal => new AbortController().signal;
const vectorOf = (n: number): Float32Array => Float32Array.of(n, n + 1, n + 2);
const numbered = (...numbers: readonly number[]): Map<string, Float32Array> =>
  new Map(numbers.map((n) => [`key-${n}`, vectorOf(n)]));

const providers: MadeProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.close();
});

async function sizeOf(store: MemoryStore): Promise<number> {
  let bytes = 0;
  for await (const { key, value } of store.iterate({})) bytes += key.length + value.length;
  return bytes;
}

describe('the store of vectors', () => {
  it('gives back what was put, also when it is opened again', async () => {
    const store = new MemoryStore();
    const first = await EmbeddingStore.open(store, 'v/', 1e6);
    await first.putMany(numbered(1, 2));
    const again = await EmbeddingStore.open(store, 'v/', 1e6);
    expect(await again.getMany(['key-2', 'key-9', 'key-1'])).toEqual([
      vectorOf(2),
      null,
      vectorOf(1),
    ]);
  });

  it('stays within its bound, keeps what is used and forgets what is not', async () => {
    const store = new MemoryStore();
    const vectors = await EmbeddingStore.open(store, 'v/', 5000);
    for (let n = 0; n < 1000; n += 1) {
      await vectors.putMany(numbered(n));
      await vectors.getMany(['key-0']);
      if (n % 100 === 99) expect(await sizeOf(store)).toBeLessThan(5300);
    }
    const [used, forgotten, young] = await vectors.getMany(['key-0', 'key-1', 'key-999']);
    expect([used, forgotten, young]).toEqual([vectorOf(0), null, vectorOf(999)]);
  });

  it('counts on after it was opened again, so that its bound holds over restarts', async () => {
    const store = new MemoryStore();
    for (let n = 0; n < 300; n += 1) {
      const vectors = await EmbeddingStore.open(store, 'v/', 3000);
      await vectors.putMany(numbered(n));
    }
    expect(await sizeOf(store)).toBeLessThan(3300);
  });

  it('forgets the vectors that a failed write left', async () => {
    const store = new MemoryStore();
    const write = store.write.bind(store);
    let failures = 1;
    store.write = async (operations) => {
      if (failures > 0 && operations.some(({ kind }) => kind === 'delete')) {
        failures -= 1;
        throw new Error('no space left');
      }
      await write(operations);
    };
    const vectors = await EmbeddingStore.open(store, 'v/', 1000);
    for (let n = 0; n < 70; n += 1)
      await vectors.putMany(numbered(n)).catch(() => vectors.putMany(numbered(n)));
    expect(failures).toBe(0);
    expect(await sizeOf(store)).toBeLessThan(1300);
  });

  it('leaves the keys of others alone', async () => {
    const store = new MemoryStore();
    const [a, b] = await Promise.all(
      ['a/', 'b/'].map((prefix) => EmbeddingStore.open(store, prefix, 1000)),
    );
    await a?.putMany(numbered(1));
    for (let n = 2; n < 100; n += 1) await b?.putMany(numbered(n));
    expect(await a?.getMany(['key-1'])).toEqual([vectorOf(1)]);
  });
});

describe('an embedder with a store', () => {
  const withStore = async (provider: MadeProvider, store: MemoryStore): Promise<DocumentEmbedder> =>
    new CachedEmbedder(
      madeEmbedder(provider),
      await EmbeddingStore.open(store, 'v/', 1e6),
      new LRUCache({ max: 1 }),
    );

  it('asks for each text once, within a call and over restarts', async () => {
    const provider = await makeProvider();
    providers.push(provider);
    const store = new MemoryStore();
    const inputs = ['a', 'b', 'a', 'c', 'b'];
    for (let n = 0; n < 3; n += 1) {
      const told: number[] = [];
      const vectors = await vectorsOf(await withStore(provider, store), inputs, {
        signal: never(),
        onEmbedded: ({ at }) => void told.push(...at),
      });
      expect(vectors.map((vector) => [...vector])).toEqual(inputs.map(madeVector));
      expect(told.sort()).toEqual([0, 1, 2, 3, 4]);
    }
    expect(provider.requests).toEqual([['a', 'b', 'c']]);
  });

  it('keeps what was paid for when the call fails, and names the input by its place', async () => {
    const texts = Array.from({ length: 100 }, (_, n) => `text ${n}`);
    let isBad = true;
    const provider = await makeProvider((batch) =>
      isBad && batch.includes('text 99') ? { status: 400 } : undefined,
    );
    providers.push(provider);
    const store = new MemoryStore();
    const inputs = ['text 0', ...texts];
    const failing = (await withStore(provider, store)).embedDocuments(inputs, { signal: never() });
    await expect(failing).rejects.toMatchObject({ inputAt: 100 });
    isBad = false;
    await (await withStore(provider, store)).embedDocuments(inputs, { signal: never() });
    expect([...provider.paid.values()]).toEqual(texts.map(() => 1));
  });
});

describe('vectors of searches', () => {
  class Counting implements Embedder {
    readonly fingerprint = 'f';
    asked: unknown[] = [];
    dimensions = () => Promise.resolve(1);
    embedDocuments = () => Promise.reject(new EmbeddingError('no'));
    embedQuery: Embedder['embedQuery'] = async ({ q }) => {
      this.asked.push(q);
      await Promise.resolve();
      if (q === 'bad') throw new EmbeddingError('bad');
      return Float32Array.of(String(q).length);
    };
  }
  const text = (q: string) => ({ q, media: null });
  const needed = (signal = never()) => ({ signal, isOptional: false });

  it('are asked for once while they are kept, and at the same time', async () => {
    const embedder = new Counting();
    const cache = new QueryVectorCache(2);
    const ask = (q: string) => cache.embed('e', embedder, text(q), needed());
    const both = await Promise.all([ask('a'), ask('a')]);
    expect(both.map(([number]) => number)).toEqual([1, 1]);
    await ask('bb');
    await ask('a');
    await ask('ccc');
    await ask('a');
    expect(embedder.asked).toEqual(['a', 'bb', 'ccc']);
    await ask('bb');
    expect(embedder.asked).toEqual(['a', 'bb', 'ccc', 'bb']);
  });

  it('are keyed by embedder, text and media', async () => {
    const embedder = new Counting();
    const cache = new QueryVectorCache(10);
    await cache.embed('e', embedder, text('a'), needed());
    await cache.embed('f', embedder, text('a'), needed());
    await cache.embed('e', embedder, { q: 'a', media: { x: 1 } }, needed());
    expect(embedder.asked.length).toBe(3);
  });

  it('that failed are asked for again', async () => {
    const embedder = new Counting();
    const cache = new QueryVectorCache(10);
    for (let n = 0; n < 2; n += 1)
      await expect(cache.embed('e', embedder, text('bad'), needed())).rejects.toThrow('bad');
    expect(embedder.asked.length).toBe(2);
  });

  it('go on for other searches when one search is aborted', async () => {
    const embedder = new Counting();
    const cache = new QueryVectorCache(10);
    const controller = new AbortController();
    const gone = cache.embed('e', embedder, text('a'), needed(controller.signal));
    const stays = cache.embed('e', embedder, text('a'), needed());
    controller.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect([...(await stays)]).toEqual([1]);
  });

  it('are no longer requested when all their searches have ended, which a timeout does not count as', async () => {
    const cache = new QueryVectorCache(10);
    const silent = new Counting();
    const signals: AbortSignal[] = [];
    silent.embedQuery = (_, signal) =>
      new Promise((__, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const ends = [new AbortController(), new AbortController(), new AbortController()] as const;
    const [first, second, third] = ends.map(({ signal }, i) =>
      cache.embed('e', silent, text(i < 2 ? 'a' : 'b'), { ...needed(), requestEnd: signal }),
    ) as [Promise<unknown>, Promise<unknown>, Promise<unknown>];
    const impatient = new AbortController();
    const late = cache.embed('e', silent, text('b'), needed(impatient.signal));
    ends[0].abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    ends[1].abort(new Error('left too'));
    await expect(second).rejects.toThrow('left too');
    impatient.abort(new DOMException('too long', 'TimeoutError'));
    await expect(late).rejects.toThrow('too long');
    ends[2].abort(new Error('gone'));
    await expect(third).rejects.toThrow('gone');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('are requested again by a search that comes while the request of ended searches stops', async () => {
    const cache = new QueryVectorCache(10);
    const embedder = new Counting();
    const stopped: (() => void)[] = [];
    const answer = embedder.embedQuery;
    embedder.embedQuery = (_, signal) =>
      new Promise((__, reject) => {
        stopped.push(() => reject(signal.reason as Error));
      });
    const end = new AbortController();
    const gone = cache.embed('e', embedder, text('a'), { ...needed(), requestEnd: end.signal });
    end.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    embedder.embedQuery = answer;
    const next = cache.embed('e', embedder, text('a'), needed());
    for (const stop of stopped) stop();
    expect([...(await next)]).toEqual([1]);
  });

  it('do not delay searches that can run without them while their embedder is unresponsive', async () => {
    const hanging = new Counting();
    const gate = new Gate();
    const answer = hanging.embedQuery;
    hanging.embedQuery = async (...call) => {
      const answered = answer(...call);
      await gate.pass();
      return answered;
    };
    const cache = new QueryVectorCache(0);
    const ask = (q: string, isOptional: boolean, signal = never()) =>
      cache.embed('e', hanging, text(q), { signal, isOptional });
    const patience = new AbortController();
    const first = ask('a', true, patience.signal);
    patience.abort(new DOMException('too long', 'TimeoutError'));
    await expect(first).rejects.toThrow('too long');
    for (const q of ['b', 'c', 'd'])
      await expect(ask(q, true)).rejects.toThrow('has not answered lately');
    const needed = ask('e', false);
    expect(hanging.asked).toEqual(['a', 'b', 'e']);
    gate.release();
    expect([...(await needed)]).toEqual([1]);
    expect([...(await ask('ff', true))]).toEqual([2]);
  });

  it('are refused while a thousand others are under way, those of the same text excepted', async () => {
    const hanging = new Counting();
    const gate = new Gate();
    hanging.embedQuery = async () => {
      await gate.pass();
      return Float32Array.of(1);
    };
    const cache = new QueryVectorCache(0);
    const ask = (q: string) => cache.embed('e', hanging, text(q), needed());
    const asked = Array.from({ length: 1000 }, (_, n) => ask(`${n}`));
    await expect(ask('one more')).rejects.toThrow('1000 other searches wait');
    asked.push(ask('7'));
    gate.release();
    expect((await Promise.all(asked)).length).toBe(1001);
    expect([...(await ask('one more'))]).toEqual([1]);
  });
});
