/**
 * Goal: freed memory goes back where the allocator allows it, and asking for it is harmless
 * everywhere.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { collectAndTrim, exposeCollection, mallocTrim } from '../../../src/os/malloc-trim.ts';

const CHUNK_BYTES = 64 << 10;
const CHUNKS = 2000;

describe('freed memory', () => {
  it('may be released at any time, again and again, and what is held stays as it is', () => {
    const held = Array.from({ length: CHUNKS }, (_, i) =>
      new Uint8Array(CHUNK_BYTES).fill(i & 0xff),
    );
    for (let i = 0; i < held.length; i += 2) held[i] = new Uint8Array(1).fill(i & 0xff);
    mallocTrim();
    mallocTrim();
    expect(
      held.every((bytes, i) => bytes[0] === (i & 0xff) && bytes[bytes.length - 1] === (i & 0xff)),
    ).toBe(true);
  });

  it('takes garbage along in threads that begin once collecting is exposed', async () => {
    exposeCollection();
    const thread = new Worker(
      `const { parentPort } = require('node:worker_threads');
       const bytes = () => process.memoryUsage().arrayBuffers;
       let held = Array.from({ length: 30 }, () => new Uint8Array(1 << 20));
       const before = bytes();
       held = null;
       // Buffers are given back beside the thread, some time after a collection has found them.
       const collect = () => {
         globalThis.gc();
         if (before - bytes() > 16 << 20) parentPort.postMessage(before - bytes());
         else setImmediate(collect);
       };
       collect();`,
      { eval: true },
    );
    const [givenBack] = await once(thread, 'message');
    expect(givenBack).toBeGreaterThan(16 << 20);
  });

  it('collects garbage where collecting is exposed, and is released elsewhere too', () => {
    const scope = globalThis as { gc?: (() => void) | undefined };
    const { gc } = scope;
    let collections = 0;
    scope.gc = () => {
      collections += 1;
    };
    collectAndTrim();
    scope.gc = undefined;
    expect(collectAndTrim).not.toThrow();
    scope.gc = gc;
    expect(collections).toBe(1);
  });
});
