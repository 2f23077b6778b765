/** Tasks whose documents are embedded: what waits, what is given up, what is told. */
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingStore } from '../../../src/embedding/cache/embedding-store.ts';
import { documentEmbedders } from '../../../src/embedding/document-embedders.ts';
import { openEmbedder } from '../../../src/embedding/open-embedder.ts';
import { IndexWriter } from '../../../src/indexing/index-writer.ts';
import { MemoryStore } from '../../../src/storage/memory-store.ts';
import type { OpenIndexWriter } from '../../../src/tasks/processing/index-writers.ts';
import { inProcessPool } from '../../support/in-process-writers.ts';
import {
  drafts,
  type Harness,
  openHarness,
  temporaryFolder,
} from '../../support/indexer-harness.ts';
import { madeEnvironment, restSettings } from '../../support/made-embedder.ts';
import { type MadeProvider, type MadeScript, makeProvider } from '../../support/made-provider.ts';

const providers: MadeProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.close();
});

/** Texts are sent one by one, so that some can be answered. */
const ONE_BY_ONE = {
  request: { input: ['{{text}}'] },
  response: { data: [{ embedding: '{{embedding}}' }] },
};

async function made(script?: MadeScript) {
  const provider = await makeProvider(script);
  providers.push(provider);
  const store = await EmbeddingStore.open(new MemoryStore(), 'v/', 1e6);
  const environment = madeEnvironment(provider, undefined, { retryMsMax: 100 });
  const embedderOf = documentEmbedders((settings) => openEmbedder(settings, environment), store);
  const pool = inProcessPool();
  const openWriter: OpenIndexWriter = (manifest, folder) =>
    new IndexWriter({ manifest, ...folder, pool, embedderOf, memoryBudgetBytes: 64 << 20 });
  const e = restSettings(provider.url, { documentTemplate: '{{doc.t}}', ...ONE_BY_ONE });
  const settings = drafts.settings('films', { embedders: { e } } as never);
  return { provider, openWriter, settings };
}

async function started(...options: Parameters<typeof openHarness>): Promise<Harness> {
  const harness = await openHarness(...options);
  harness.service.start();
  return harness;
}

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
    expect(new Set(provider.paid.values())).toEqual(new Set([1]));
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
    await expect.poll(() => provider.paid.size, { timeout: 10_000 }).toBe(4);
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
    await expect.poll(() => provider.paid.size, { timeout: 10_000 }).toBe(4);
    await harness.run(drafts.cancel({ uids: [uid] }));
    expect(await harness.wait([uid])).toMatchObject([{ status: 'canceled' }]);
    await harness.service.drain();
  });
});
