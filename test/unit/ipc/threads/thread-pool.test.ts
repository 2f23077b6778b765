/** Shutdown of a thread pool waits a bounded time for threads that still load. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ThreadPool } from '../../../../src/ipc/threads/thread-pool.ts';

/**
 * Counts in `counts[0]` the threads that began to load, in `counts[1]` those that have loaded;
 * sleeps `loadMs` in between.
 */
const ENTRY = `
import { workerData } from 'node:worker_threads';
const { counts, loadMs } = workerData;
Atomics.add(counts, 0, 1);
await new Promise((resolve) => setTimeout(resolve, loadMs));
Atomics.add(counts, 1, 1);
export default (text) => text;`;

let folder: string;
let filename: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-threads-'));
  writeFileSync(join(folder, 'entry.mjs'), ENTRY);
  filename = pathToFileURL(join(folder, 'entry.mjs')).href;
});
afterAll(() => rmSync(folder, { recursive: true }));

const newCounts = () => new Int32Array(new SharedArrayBuffer(8));

it('waits for the threads that it started with, at once', async () => {
  const counts = newCounts();
  const pool = new ThreadPool({
    filename,
    minThreads: 2,
    maxThreads: 2,
    workerData: { counts, loadMs: 100 },
  });
  await pool.destroy();
  expect([...counts]).toEqual([2, 2]);
  expect(pool.threads).toEqual([]);
});

it('waits for a thread that a task started', async () => {
  const counts = newCounts();
  const pool = new ThreadPool({
    filename,
    minThreads: 0,
    maxThreads: 1,
    workerData: { counts, loadMs: 100 },
  });
  const task = pool.run('done').catch(() => 'lost');
  await pool.destroy();
  expect([...counts]).toEqual([1, 1]);
  expect(['done', 'lost']).toContain(await task);
});

it('does not wait for a pool that has loaded, nor for threads that died while they loaded', async () => {
  const counts = newCounts();
  const warm = new ThreadPool(
    { filename, minThreads: 0, maxThreads: 1, workerData: { counts, loadMs: 0 } },
    1e9,
  );
  expect(await warm.run('done')).toBe('done');
  await warm.destroy();
  const broken = new ThreadPool({ filename, minThreads: 0, maxThreads: 1, workerData: null }, 1e9);
  broken.on('error', () => undefined);
  const lost = broken.run('done').catch(() => 'lost');
  await new Promise((resolve) => broken.once('error', resolve));
  await broken.destroy();
  expect(await lost).toBe('lost');
});

it('ends a thread that never loads all the same', async () => {
  const counts = newCounts();
  const workerData = { counts, loadMs: 2 ** 31 - 1 };
  const pool = new ThreadPool({ filename, minThreads: 1, maxThreads: 1, workerData }, 200);
  await pool.destroy();
  expect(counts[1]).toBe(0);
  expect(pool.threads).toEqual([]);
});
