/** Threads write, read and forget in one shared cache: no reader ever gets a mixture. */
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { SharedCache } from '../../src/search/snapshot/shared-cache.ts';

const THREADS = 3;
const MEMORY_BYTES = 200 << 10;
const ROUNDS = 5000;

/** Writes and reads; the words of a value tell its key and its generation. */
const ENTRY = `
import { parentPort, workerData } from 'node:worker_threads';
const { SharedCache } = await import(workerData.module);
const cache = new SharedCache(workerData.memory);
let random = workerData.seed;
const next = (end) => {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return Math.floor((random / 2 ** 32) * end);
};
const take = (length) => new Uint32Array(length);
let hits = 0;
const wrong = [];
for (let generation = 1; generation <= workerData.rounds; generation++) {
  const key = next(60);
  const length = 1 + next(key % 3 === 0 ? 3000 : 90);
  const value = new Uint32Array(length).fill(key * 1000003 + generation * 17);
  cache.write('key ' + key, generation, [value], 1 + next(5));
  for (let i = 0; i < 8; i++) {
    const asked = next(60);
    const found = cache.read('key ' + asked, take);
    if (found === null) continue;
    hits++;
    const expected = (asked * 1000003 + found.generation * 17) >>> 0;
    const isWhole = found.words.length > 0 && found.words.every((word) => word === expected);
    if (!isWhole && wrong.length < 5) wrong.push(asked + ': ' + found.words.slice(0, 4));
  }
}
parentPort.postMessage({ hits, wrong });
`;

interface Counts {
  readonly hits: number;
  readonly wrong: readonly string[];
}

function inThread(memory: SharedArrayBuffer, seed: number): Promise<Counts> {
  const module = new URL('../../dist/src/search/snapshot/shared-cache.js', import.meta.url).href;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(ENTRY)}`);
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: { memory, seed, module, rounds: ROUNDS } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

it('gives whole values of the key only', async () => {
  const memory = SharedCache.memory(MEMORY_BYTES);
  const seeds = Array.from({ length: THREADS }, (_, i) => i + 1);
  for (const { hits, wrong } of await Promise.all(seeds.map((seed) => inThread(memory, seed)))) {
    expect(wrong).toEqual([]);
    expect(hits).toBeGreaterThan(100);
  }
  expect(new SharedCache(memory).figures.bytes).toBeLessThanOrEqual(MEMORY_BYTES);
});
