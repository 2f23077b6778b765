/** An embedder whose work runs behind a message port, here in the same thread. */
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddingError } from '../../../../src/embedding/embedder.ts';
import type { EmbedTask } from '../../../../src/embedding/thread/embedding-messages.ts';
import { EmbeddingThread } from '../../../../src/embedding/thread/embedding-thread.ts';
import { ThreadEmbedder } from '../../../../src/embedding/thread/thread-embedder.ts';
import { vectorsOf } from '../../../support/embedded-vectors.ts';
import { Gate } from '../../../support/gate.ts';
import { madeEnvironment, restSettings } from '../../../support/made-embedder.ts';
import {
  type MadeProvider,
  type MadeScript,
  madeVector,
  makeProvider,
} from '../../../support/made-provider.ts';
import { PATIENCE_MS } from '../../../support/until.ts';

let provider: MadeProvider;
afterEach(() => provider.close());

const TEXTS = Array.from({ length: 100 }, (_, n) => `text ${n}`);
const never = () => new AbortController().signal;

async function madeThreadEmbedder(script?: MadeScript, graceMs = 0): Promise<ThreadEmbedder> {
  provider = await makeProvider(script);
  const more = { retryMsMax: 100, graceMs };
  const models = { get: () => Promise.reject(new Error('there are no local models')) };
  const thread = new EmbeddingThread(madeEnvironment(provider, undefined, more), models);
  return new ThreadEmbedder(restSettings(provider.url), (name, task) =>
    name === 'embed' ? thread.embed(task as EmbedTask) : thread.dimensions(task as EmbedTask),
  );
}

describe('an embedder in another thread', () => {
  it('gives the vectors in the order of the texts, and reports them as they arrive', async () => {
    const embedder = await madeThreadEmbedder();
    const told: number[] = [];
    const requests: (string | null)[] = [];
    const vectors = await vectorsOf(embedder, TEXTS, {
      signal: never(),
      onEmbedded: ({ at }) => void told.push(...at),
      onRequest: (error) => void requests.push(error),
    });
    expect(vectors.map((vector) => [...vector])).toEqual(TEXTS.map(madeVector));
    expect(told.sort((a, b) => a - b)).toEqual([...TEXTS.keys()]);
    expect(requests).toEqual([null, null, null, null]);
  });

  it('asks for dimensions', async () => {
    expect(await (await madeThreadEmbedder()).dimensions(never())).toBe(2);
  });

  it('does not ask for more in a lane before what came is safe', async () => {
    const embedder = await madeThreadEmbedder();
    const release: (() => void)[] = [];
    const embedding = vectorsOf(embedder, Array(32 * 40).fill('x'), {
      signal: never(),
      onEmbedded: () => new Promise<void>((resolve) => release.push(resolve)),
    });
    await expect.poll(() => release.length).toBeGreaterThan(0);
    const lanes = 16;
    expect(provider.requests.length).toBeLessThanOrEqual(lanes);
    const timer = setInterval(() => {
      for (const resolve of release.splice(0)) resolve();
    }, 1);
    expect(await embedding).toHaveLength(32 * 40);
    clearInterval(timer);
  });

  it('fails with the text that is to blame', async () => {
    const embedder = await madeThreadEmbedder((texts) =>
      texts.includes('text 70') ? { status: 400, body: 'no' } : undefined,
    );
    const failed = embedder.embedDocuments(TEXTS, { signal: never() });
    await expect(failed).rejects.toBeInstanceOf(EmbeddingError);
    await expect(failed).rejects.toMatchObject({ inputAt: 70 });
  });

  it('fails with what went wrong with the report of a request', async () => {
    const embedder = await madeThreadEmbedder();
    const failed = embedder.embedDocuments(TEXTS, {
      signal: never(),
      onRequest: () => {
        throw new Error('the report failed');
      },
    });
    await expect(failed).rejects.toThrow('the report failed');
  });

  it('fails with what went wrong with vectors that had come', async () => {
    const embedder = await madeThreadEmbedder();
    const failed = embedder.embedDocuments(TEXTS, {
      signal: never(),
      onEmbedded: () => Promise.reject(new Error('the disk is full')),
    });
    await expect(failed).rejects.toThrow('the disk is full');
  });

  it('ends with the reason of its signal, and asks for no more', async () => {
    const embedder = await madeThreadEmbedder(() => ({ hangs: true }));
    const giving = new AbortController();
    const given = embedder.embedDocuments(TEXTS, { signal: giving.signal });
    await expect.poll(() => provider.requests.length).toBeGreaterThan(0);
    giving.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await expect(embedder.dimensions(giving.signal)).rejects.toThrow('enough');
  });

  it('reports vectors that arrive soon after it was stopped, and requests no more', async () => {
    const gate = new Gate();
    const afterGate = () => gate.pass().then(() => undefined);
    const embedder = await madeThreadEmbedder(afterGate, PATIENCE_MS);
    const giving = new AbortController();
    const told: number[] = [];
    const given = embedder.embedDocuments(TEXTS, {
      signal: giving.signal,
      onEmbedded: ({ at }) => void told.push(...at),
    });
    await expect.poll(() => provider.requests.length).toBe(2);
    giving.abort(new Error('enough'));
    gate.release();
    await expect(given).rejects.toThrow('enough');
    expect(told).toHaveLength(64);
    expect(provider.requests).toHaveLength(2);
  });
});
