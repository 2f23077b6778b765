/** Tasks with embedded documents: waiting, aborts and error messages. */
import { afterEach, describe, expect, it } from 'vitest';
import { inProcessPool } from '../../../load-tests/bench/in-process-pool.ts';
import { documentEmbedders } from '../../../src/embedding/cache/cached-embedder.ts';
import { EmbeddingStore } from '../../../src/embedding/cache/embedding-store.ts';
import { openEmbedder } from '../../../src/embedding/open-embedder.ts';
import { IndexWriter } from '../../../src/indexing/index-writer.ts';
import type { TaskDraft } from '../../../src/model/task.ts';
import type { OpenIndexWriter } from '../../../src/tasks/processing/index-writers.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { madeEnvironment, restSettings } from '../../support/made-embedder.ts';
import { type MadeProvider, type MadeScript, makeProvider } from '../../support/made-provider.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const providers: MadeProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.close();
});

/** Texts are sent one by one, so that some can be answered. */
const ONE_BY_ONE = {
  request: { input: ['{{text}}'] },
  response: { data: [{ embedding: '{{embedding}}' }] },
};

interface MadeOptions {
  readonly retryMsMax?: number;
  readonly vectorBytesMax?: number;
}

async function made(script?: MadeScript, { retryMsMax = 100, ...limits }: MadeOptions = {}) {
  const provider = await makeProvider(script);
  providers.push(provider);
  const store = await EmbeddingStore.open(new MemoryStore(), 'v/', 1e6);
  const environment = madeEnvironment(provider, undefined, { retryMsMax, timeoutMs: 60_000 });
  const embedderOf = documentEmbedders((settings) => openEmbedder(settings, environment), store);
  const pool = inProcessPool();
  const openWriter: OpenIndexWriter = (manifest, folder) =>
    new IndexWriter({
      manifest,
      ...folder,
      pool,
      embedderOf,
      memoryBudgetBytes: 64 << 20,
      ...limits,
    });
  const e = restSettings(provider.url, { documentTemplate: '{{doc.t}}', ...ONE_BY_ONE });
  const settings = drafts.settings('films', { embedders: { e } } as never);
  return { provider, openWriter, settings };
}

async function started(...options: Parameters<typeof openHarness>): Promise<Harness> {
  const harness = await openHarness(...options);
  harness.service.start();
  return harness;
}

/** Conditions hold soon, but for a machine that is busy. */

const films = (count: number) => Array.from({ length: count }, (_, id) => ({ id, t: `t${id}` }));
const isHeld = (text: string | undefined) => Number(text?.slice(1)) >= 3;

describe('tasks with embedders', () => {
  it('learn dimensions once, and count requests to providers in their batches', async () => {
    const { provider, openWriter, settings } = await made();
    const harness = await started({ openWriter });
    const [declared] = await harness.run(settings);
    expect(declared).toMatchObject({ status: 'succeeded' });
    expect(harness.manifest('films')?.settings.embedders['e']?.dimensions).toBe(2);
    await harness.run(settings);
    expect(provider.requests).toEqual([['test']]);
    const [added] = await harness.run(drafts.add('films', films(2)));
    const batch = await harness.service.handlers.getBatch({ uid: added?.batchUid as number });
    expect(batch?.stats.embedderRequests).toEqual({ total: 2, failed: 0 });
    await harness.service.drain();
  });

  it('fail with the reason where a provider does not know the key', async () => {
    const { openWriter, settings } = await made(() => ({ status: 401, body: 'who?' }));
    const harness = await started({ openWriter });
    const [declared] = await harness.run(settings);
    expect(declared).toMatchObject({
      status: 'failed',
      error: { code: 'vector_embedding_error', message: expect.stringContaining('who?') },
    });
    await harness.service.drain();
  });

  it('of settings that fail do not fail others that came with them', async () => {
    const { openWriter } = await made();
    const harness = await openHarness({ openWriter });
    const own = { embedders: { own: { source: 'userProvided', dimensions: 2 } } } as const;
    const uids = await harness.send(
      drafts.add('films', films(1)),
      drafts.settings('films', { stopWords: ['the'] }),
      drafts.settings('films', own as never),
      drafts.settings('films', { synonyms: { a: ['b'] } }),
    );
    harness.service.start();
    const [, ...changes] = await harness.wait(uids);
    expect(changes.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(changes[1]?.error).toMatchObject({ code: 'vector_embedding_error' });
    const { settings } = harness.manifest('films') ?? {};
    expect(settings).toMatchObject({ embedders: {}, stopWords: ['the'], synonyms: { a: ['b'] } });
    await harness.service.drain();
  });

  it('of settings whose provider is down keep others waiting once', async () => {
    const down: MadeScript = () => ({ status: 500 });
    const { provider, openWriter, settings } = await made(down, { retryMsMax: 5000 });
    const harness = await openHarness({ openWriter });
    const uids = await harness.send(
      drafts.add('films', films(1)),
      ...['the', 'a', 'an'].map((word) => drafts.settings('films', { stopWords: [word] })),
      settings,
    );
    harness.service.start();
    const [, ...changes] = await harness.wait(uids);
    expect(changes.map(({ status }) => status)).toEqual([
      ...['succeeded', 'succeeded', 'succeeded', 'failed'],
    ]);
    // Five times at first, then once for each part that is tried again.
    expect(provider.requests.length).toBeLessThan(9);
    await harness.service.drain();
  });

  it('fail alone where one document is to blame, which the error names', async () => {
    const { provider, openWriter, settings } = await made(([text]) =>
      text === 't13' ? { status: 422, body: 'not this' } : undefined,
    );
    const harness = await openHarness({ openWriter });
    const uids = await harness.send(
      settings,
      ...films(20).map((film) => drafts.add('films', [film])),
    );
    harness.service.start();
    const [, ...added] = await harness.wait(uids);
    expect(added.flatMap(({ status }, id) => (status === 'succeeded' ? [] : [id]))).toEqual([13]);
    expect(added[13]?.error).toMatchObject({
      code: 'vector_embedding_error',
      message: expect.stringContaining('Document `13`'),
    });
    const { test: _, ...paid } = Object.fromEntries(provider.paid);
    expect(new Set(Object.values(paid))).toEqual(new Set([1]));
    await harness.service.drain();
  });

  it('fail alone where an embedder that is down is needed, not by others of their batch', async () => {
    let isDown = false;
    const { provider, openWriter } = await made(([text]) =>
      isDown && text?.startsWith('b ') ? { status: 401, body: 'who?' } : undefined,
    );
    const [a, b] = [{ documentTemplate: '{{doc.t}}' }, { documentTemplate: 'b {{doc.t}}' }].map(
      (template) => restSettings(provider.url, { ...template, ...ONE_BY_ONE }),
    );
    const dataDir = temporaryFolder();
    const before = await started({ openWriter, dataDir });
    await before.run(drafts.settings('films', { embedders: { a, b } } as never));
    await before.run(drafts.add('films', films(2)));
    await before.service.drain();
    isDown = true;
    const harness = await openHarness({ openWriter, dataDir });
    const own = { embeddings: [1, 2], regenerate: false };
    const cases: readonly (readonly [TaskDraft, status: string])[] = [
      [drafts.add('films', [{ id: 2, t: 'new' }]), 'failed'],
      [drafts.remove('films', ['0']), 'succeeded'],
      [drafts.add('films', [{ id: 3, t: 'own', _vectors: { b: own } }]), 'succeeded'],
      [drafts.add('films', [{ id: 2, x: 1 }], { method: 'update' }), 'failed'],
      [drafts.add('films', [{ id: 4, t: 't1' }]), 'succeeded'],
      [drafts.add('films', [{ id: 1, t: 't1 again' }]), 'failed'],
      [drafts.add('films', [{ id: 5, t: 'gone' }]), 'succeeded'],
      [drafts.remove('films', ['5']), 'succeeded'],
    ];
    const uids = await harness.send(...cases.map(([draft]) => draft));
    harness.service.start();
    const ended = await harness.wait(uids);
    expect(ended.map(({ status }) => status)).toEqual(cases.map(([, status]) => status));
    expect(new Set(ended.map(({ batchUid }) => batchUid)).size).toBe(1);
    for (const { status, error } of ended)
      if (status === 'failed')
        expect(error).toMatchObject({
          code: 'vector_embedding_error',
          message: expect.stringMatching(/^the embedder `b` gave no vectors: .*who\?/),
        });
    const { segments = [] } = harness.manifest('films') ?? {};
    expect(
      segments.reduce((sum, { documentCount, deadCount }) => sum + documentCount - deadCount, 0),
    ).toBe(3);
    isDown = false;
    expect(await harness.run(cases[0]?.[0] as TaskDraft)).toMatchObject([{ status: 'succeeded' }]);
    const paid = [...provider.paid].filter(([text]) => text !== 'test').map(([, times]) => times);
    expect(new Set(paid)).toEqual(new Set([1]));
    await harness.service.drain();
  });

  it('wait while the server stops, and go on from what was paid for at its next start', async () => {
    let isHolding = true;
    const { provider, openWriter, settings } = await made(([text]) =>
      isHolding && isHeld(text) ? { hangs: true } : undefined,
    );
    const dataDir = temporaryFolder();
    const first = await started({ openWriter, dataDir });
    await first.run(settings);
    const [uid = -1] = await first.send(drafts.add('films', films(6)));
    await expect.poll(() => provider.paid.size).toBe(4);
    await expect
      .poll(async () => {
        const { results } = await first.service.handlers.listBatches({
          limit: 1,
          from: null,
          reverse: false,
        });
        return results[0]?.progress?.steps[1]?.finished;
      })
      .toBe(3);
    await first.service.drain();
    isHolding = false;
    const second = await started({ openWriter, dataDir });
    expect(await second.wait([uid])).toMatchObject([{ status: 'succeeded' }]);
    expect([...provider.paid.values()]).toEqual([1, 1, 1, 1, 1, 1, 1]);
    await second.service.drain();
  });

  it('end soon when they are canceled', async () => {
    const { provider, openWriter, settings } = await made(([text]) =>
      isHeld(text) ? { hangs: true } : undefined,
    );
    const harness = await started({ openWriter });
    await harness.run(settings);
    const [uid = -1] = await harness.send(drafts.add('films', films(6)));
    await expect.poll(() => provider.paid.size).toBe(4);
    await harness.run(drafts.cancel({ uids: [uid] }));
    expect(await harness.wait([uid])).toMatchObject([{ status: 'canceled' }]);
    await harness.service.drain();
  });
});

describe('while a batch waits for a provider', () => {
  /** Declared and holding: four texts of six are answered. */
  async function waiting(script?: MadeScript, options?: MadeOptions) {
    let isHolding = true;
    const hold: MadeScript = ([text]) => (isHeld(text) ? { hangs: true } : undefined);
    const { provider, openWriter, settings } = await made(
      (texts, at) => (isHolding ? (script ?? hold)(texts, at) : undefined),
      options,
    );
    const harness = await started({ openWriter });
    await harness.run(settings);
    const release = () => {
      isHolding = false;
    };
    return { provider, harness, release };
  }

  const statusOf = async ({ service }: Harness, uid: number) =>
    (await service.handlers.getTask({ uid }))?.status;

  it('tasks of other indexes run, and those of its index wait', async () => {
    const { provider, harness, release } = await waiting();
    const [uid = -1] = await harness.send(drafts.add('films', films(6)));
    await expect.poll(() => provider.paid.size).toBe(4);
    const [later = -1] = await harness.send(drafts.add('films', [{ id: 9, t: 't0' }]));
    const [other] = await harness.run(drafts.create('other'));
    expect(other).toMatchObject({ status: 'succeeded' });
    expect(await statusOf(harness, uid)).toBe('processing');
    expect(await statusOf(harness, later)).toBe('enqueued');
    const shown = await harness.service.handlers.getTask({ uid });
    const batchUid = shown?.batchUid as number;
    const batch = await harness.service.handlers.getBatch({ uid: batchUid });
    expect(batch?.progress?.steps[0]?.currentStep).toBe('embedding documents');
    expect(other?.batchUid).toBeGreaterThan(batchUid);
    release();
    await harness.run(drafts.cancel({ uids: [uid] }));
    expect(await harness.wait([uid, later])).toMatchObject([
      { status: 'canceled' },
      { status: 'succeeded' },
    ]);
    await harness.service.drain();
  });

  it.each<[string, number | undefined, boolean]>([
    ['new documents', undefined, false],
    ['new documents in parts', 16, false],
    ['a new embedder, round by round', 16, true],
  ])('pays for nothing twice: %s', async (_, vectorBytesMax, isSettings) => {
    const waits: (() => void)[] = [];
    const hold: MadeScript = ([text]) =>
      isHeld(text) && waits.length === 0
        ? new Promise((go) => void waits.push(() => go(undefined)))
        : undefined;
    const options = { ...(vectorBytesMax && { vectorBytesMax }) };
    const { provider, openWriter, settings } = await made(hold, options);
    const harness = await started({ openWriter });
    const addition = drafts.add('films', films(13));
    const [first, second] = isSettings ? [addition, settings] : [settings, addition];
    await harness.run(first);
    const [uid = -1] = await harness.send(second);
    await expect.poll(() => waits.length).toBe(1);
    await harness.run(drafts.create('other'));
    for (const go of waits) go();
    const [done] = await harness.wait([uid]);
    expect(done).toMatchObject({ status: 'succeeded' });
    expect([...provider.paid.keys()]).toHaveLength(14);
    expect(new Set(provider.paid.values())).toEqual(new Set([1]));
    const batch = await harness.service.handlers.getBatch({ uid: done?.batchUid as number });
    expect(batch?.stats.embedderRequests).toEqual({ total: 13, failed: 0 });
    await harness.service.drain();
  });

  it('fails with the last error of the provider, and delays no other task', async () => {
    const { harness } = await waiting(
      ([text]) => (isHeld(text) ? { status: 503, body: 'down' } : undefined),
      { retryMsMax: 50_000 },
    );
    const [uid = -1] = await harness.send(drafts.add('films', films(6)));
    const [other] = await harness.run(drafts.create('other'));
    expect(other).toMatchObject({ status: 'succeeded' });
    expect(await harness.wait([uid])).toMatchObject([
      { status: 'failed', error: { message: expect.stringContaining('down') } },
    ]);
    await harness.service.drain();
  });
});
