/**
 * The query pool with a small thread entry: replies, bounds of the queue, cancelled tasks, dying
 * threads, releases.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/core/errors.ts';
import { QueryPool, type QueryPoolOptions } from '../../../../src/ipc/queries/query-pool.ts';
import type { QueryTask } from '../../../../src/ipc/queries/query-protocol.ts';
import type { PublishedIndex } from '../../../../src/ipc/replica/published-indexes.ts';
import { IndexingPool } from '../../../../src/ipc/threads/indexing-pool.ts';
import { QueryMetrics } from '../../../../src/observability/query-metrics.ts';
import { until } from '../../../support/until.ts';

/**
 * Counts its tasks in their manifest, sleeps `id` milliseconds, then returns its thread's start
 * data; -1 kills the thread, -2 makes the task throw.
 */
const ENTRY = `
import { workerData } from 'node:worker_threads';
const cell = new Int32Array(new SharedArrayBuffer(4));
const answer = ({ task: { work, manifest }, stopSlot }) => {
  const flags = new Int32Array(workerData.stopFlags);
  const [posted, begun, stopped, withdrawn] = [0, 1, 2, 3];
  if (Atomics.compareExchange(flags, stopSlot, posted, begun) === withdrawn)
    return { stopSlot, reply: null };
  Atomics.add(new Int32Array(manifest), 0, 1);
  if (work.id === '-1') process.exit(1);
  if (work.id === '-2') return { stopSlot, error: new Error('a bug') };
  if (work.id === 'untilStopped')
    while (Atomics.load(flags, stopSlot) !== stopped) Atomics.wait(cell, 0, 0, 5);
  const isStopped = Atomics.load(flags, stopSlot) === stopped ? ' stopped' : '';
  Atomics.wait(cell, 0, 0, Number(work.id ?? 0) || 0);
  const body = new TextEncoder().encode(workerData.cache.ownBytes + ' ' + work.id + isStopped);
  return { stopSlot, reply: { ok: true, body } };
};
export default (port) => {
  port.on('message', (posted) => port.postMessage(answer(posted)));
  port.postMessage(null);
  return new Promise(() => {});
};`;

/** Counts the threads that began to load in `cache.shared`; all but the first wait for its second cell. */
const HELD = `
import { workerData } from 'node:worker_threads';
const held = new Int32Array(workerData.cache.shared);
if (Atomics.add(held, 0, 1) > 0) Atomics.wait(held, 1, 0);
export { default } from './entry.mjs';`;

const INDEXING = `
import { threadId, workerData } from 'node:worker_threads';
const double = (numbers) => ({ value: numbers.map((number) => number * 2) });
const where = () => ({ value: { thread: threadId, isBackground: workerData.isBackground } });
const refuse = () => ({ error: { code: 'bad_request', message: 'not so' } });
const fail = () => { throw new Error('bad chunk'); };
const tasks = { double, where, refuse, whereBehind: where, fail };
export default ({ name, task }) => tasks[name](task);`;

let folder: string;
let entry: string;
let heldEntry: string;
let indexingEntry: string;
const pools: { close(graceMs?: number): Promise<void> }[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-pool-'));
  writeFileSync(join(folder, 'entry.mjs'), ENTRY);
  entry = pathToFileURL(join(folder, 'entry.mjs')).href;
  writeFileSync(join(folder, 'held.mjs'), HELD);
  heldEntry = pathToFileURL(join(folder, 'held.mjs')).href;
  writeFileSync(join(folder, 'indexing.mjs'), INDEXING);
  indexingEntry = pathToFileURL(join(folder, 'indexing.mjs')).href;
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close(1000);
});
afterAll(() => rmSync(folder, { recursive: true }));

const indexing = () => ({ entry: indexingEntry, threads: 1, memoryBytes: 1e9 });

function poolWith(options: Partial<QueryPoolOptions> = {}): QueryPool {
  const defaults = {
    entry,
    slowSearchMs: 0,
    cache: { ownBytes: 7, shared: new SharedArrayBuffer(64), threads: 2 },
    threads: 1,
    metrics: new QueryMetrics(1),
    queueSize: 100,
    perThread: 1,
    dropAfterMs: 5000,
    answerBytesMax: 1 << 20,
    onBug: () => {},
  };
  const pool = new QueryPool({ ...defaults, ...options });
  pools.push(pool);
  return pool;
}

/** A pool whose threads have loaded. */
async function loadedPool(options: Partial<QueryPoolOptions> = {}): Promise<QueryPool> {
  const pool = poolWith(options);
  await pool.whenLoaded();
  return pool;
}

const runningIn = (pool: QueryPool): number =>
  pool.metrics().find(({ name }) => name === 'meilisearch_searches_running')?.values[0]?.value ?? 0;

const taskOf = (id: number | 'untilStopped', snapshotKey = '1:1'): QueryTask => ({
  snapshotKey,
  manifest: new SharedArrayBuffer(8),
  location: 'a',
  work: { kind: 'document', id: String(id), fields: null, retrieveVectors: false },
});
/** A federated search of many queries, which runs until its client has left. */
const wideTask = (): QueryTask => {
  const task = taskOf('untilStopped');
  const search = { queries: new Array(21).fill({}) };
  return {
    ...task,
    work: { kind: 'federated', search, id: 'untilStopped' },
  } as unknown as QueryTask;
};
const published = (id: number, generation: number) =>
  ({ manifest: { id, generation } }) as unknown as PublishedIndex;

describe('QueryPool', () => {
  it('answers each task with its own reply', async () => {
    const pool = poolWith({ threads: 2 });
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => pool.run(taskOf(index % 3))),
    );
    const texts = replies.map((reply) =>
      reply.ok ? new TextDecoder().decode(reply.body) : 'error',
    );
    expect(texts).toEqual(Array.from({ length: 50 }, (_, index) => `7 ${index % 3}`));
  });

  it('starts its threads with the first task when it starts late', async () => {
    const pool = poolWith({ threads: 2, startsLate: true });
    await pool.preopen({ key: '1:2', location: 'a' } as PublishedIndex);
    expect(pool.threadIds.size).toBe(0);
    expect(await pool.run(taskOf(0))).toMatchObject({ ok: true });
    expect(pool.threadIds.size).toBe(2);
  });

  it('ends without threads when it had no task', async () => {
    const pool = poolWith({ startsLate: true });
    await pool.close(0);
    await expect(pool.run(taskOf(0))).rejects.toThrow('The server is stopping.');
  });

  it('opens a new generation in each thread, unless searches wait', async () => {
    const pool = await loadedPool({ threads: 2 });
    const shared = new SharedArrayBuffer(8);
    const index = { key: '1:2', shared, location: 'a' } as PublishedIndex;
    await pool.preopen(index);
    const opened = new Int32Array(shared);
    expect(opened[0]).toBe(2);
    const searches = [30, 30, 0].map((ms) => pool.run(taskOf(ms)));
    await pool.preopen(index);
    expect(opened[0]).toBe(2);
    await Promise.all(searches);
  });

  it('refuses what exceeds the queue with 503', async () => {
    const pool = await loadedPool({ queueSize: 1 });
    const accepted = [pool.run(taskOf(30)), pool.run(taskOf(1))];
    await expect(pool.run(taskOf(1))).rejects.toMatchObject({
      code: 'too_many_search_requests',
      status: 503,
    });
    await Promise.all(accepted);
    expect((await pool.run(taskOf(0))).ok).toBe(true);
  });

  it('makes room at the cost of the key that floods', async () => {
    const pool = await loadedPool({ queueSize: 3 });
    const order: string[] = [];
    const ask = (keyUid: string | null, name: string) =>
      pool
        .run(taskOf(30), { isAborted: false, keyUid })
        .then(() => order.push(name))
        .catch(({ code }) => order.push(`${name} ${code}`));
    const slow = pool.run(taskOf(200), { isAborted: false, keyUid: 'flood' });
    const flood = ['1', '2', '3', '4'].map((i) => ask('flood', `flood ${i}`));
    const others = [ask('calm', 'calm'), ask(null, 'master')];
    await Promise.all([slow, ...flood, ...others]);
    expect(order).toEqual([
      'flood 4 too_many_search_requests',
      'flood 3 too_many_search_requests',
      'flood 2 too_many_search_requests',
      ...['calm', 'master', 'flood 1'],
    ]);
  });

  it('charges a key the time of its searches: many short ones pass by a few long ones', async () => {
    const pool = await loadedPool();
    const order: string[] = [];
    const ask = (keyUid: string, ms: number) =>
      pool.run(taskOf(ms), { isAborted: false, keyUid }).then(() => order.push(keyUid));
    const long = [200, 200].map((ms) => ask('long', ms));
    const short = Array.from({ length: 5 }, () => ask('short', 0));
    await Promise.all([...long, ...short]);
    expect(order).toEqual(['long', 'short', 'short', 'short', 'short', 'short', 'long']);
  });

  it('counts the tasks of the front itself for no key', async () => {
    const pool = await loadedPool({ threads: 2 });
    await pool.run({ ...taskOf(0), isSynthetic: true });
    const asked = [1, 2].map(() => pool.run(taskOf(30), { isAborted: false, keyUid: 'calm' }));
    expect(runningIn(pool)).toBe(2);
    await Promise.all(asked);
  });

  it('keeps no task behind a long one while another thread is free', async () => {
    const pool = await loadedPool({ threads: 2 });
    const client = { isAborted: false };
    const long = pool.run(taskOf('untilStopped'), client);
    await Promise.all([20, 20, 20, 20].map((ms) => pool.run(taskOf(ms))));
    client.isAborted = true;
    expect((await long).ok).toBe(true);
  });

  it('leaves a thread to others while federated searches of many queries run', async () => {
    const pool = await loadedPool({ threads: 2 });
    const callers = ['a', 'a', 'a', 'b'].map((keyUid) => ({ keyUid, isAborted: false }));
    const wide = callers.map((caller) => pool.run(wideTask(), caller));
    await until('one runs', () => runningIn(pool) === 1);
    expect(pool.waitingCount).toBe(3);
    expect((await pool.run(taskOf(0), { keyUid: 'a', isAborted: false })).ok).toBe(true);
    const ended: number[] = [];
    for (const [i, task] of wide.entries())
      void task.then(
        () => ended.push(i),
        () => ended.push(i),
      );
    // Keys take turns: the only one of `b` is next.
    for (const i of [0, 3, 1, 2]) {
      (callers[i] as { isAborted: boolean }).isAborted = true;
      await until('it has ended', () => ended.length > 0);
      expect(ended.splice(0)).toEqual([i]);
    }
    expect(pool.waitingCount).toBe(0);
  });

  it('refuses no search because federated searches of many queries wait', async () => {
    const pool = await loadedPool({ threads: 2, queueSize: 20 });
    const flood = { keyUid: 'a', isAborted: false };
    const wide = Array.from({ length: 50 }, () => pool.run(wideTask(), flood));
    const refused = wide.map((task) =>
      task.then(
        () => false,
        (error) => error.status === 503,
      ),
    );
    await until('one runs', () => runningIn(pool) === 1);
    expect(pool.waitingCount).toBe(2);
    const others = Array.from({ length: 10 }, () =>
      pool.run(taskOf(0), { keyUid: 'b', isAborted: false }),
    );
    expect((await Promise.all(others)).every(({ ok }) => ok)).toBe(true);
    flood.isAborted = true;
    expect((await Promise.all(refused)).filter((isRefused) => isRefused)).toHaveLength(47);
  });

  it('posts no more tasks than fit when a dropped search of many queries admits the next', async () => {
    const pool = await loadedPool({ threads: 1 });
    const callers = [1, 2, 3].map(() => ({ keyUid: 'a', isAborted: false }));
    // The thread is busy for longer than a task may be posted ahead.
    const first = pool.run(taskOf(100), { keyUid: 'a', isAborted: false });
    const wide = callers.map((caller) => pool.run(wideTask(), caller).catch(() => null));
    const others = [1, 2, 3].map(() => pool.run(taskOf(0), { keyUid: 'a', isAborted: false }));
    for (const caller of callers.slice(0, 1)) caller.isAborted = true;
    await first;
    expect((await Promise.all(others)).every(({ ok }) => ok)).toBe(true);
    for (const caller of callers) caller.isAborted = true;
    await Promise.all(wide);
    expect(pool.waitingCount).toBe(0);
  });

  it('gives no task to a thread that has not loaded', async () => {
    const shared = new SharedArrayBuffer(8);
    const held = new Int32Array(shared);
    const cache = { ownBytes: 7, shared, threads: 2 };
    const pool = poolWith({ entry: heldEntry, threads: 2, cache });
    await until('both threads load', () => held[0] === 2 || null);
    await Promise.all([1, 2, 3, 4].map((ms) => pool.run(taskOf(ms))));
    expect(held[1]).toBe(0);
    Atomics.store(held, 1, 1);
    Atomics.notify(held, 1);
    await pool.whenLoaded();
    const both = [pool.run(taskOf(20)), pool.run(taskOf(20))];
    expect(runningIn(pool)).toBe(2);
    await Promise.all(both);
  });

  it('says when a thread died while it loaded', async () => {
    const bugs: unknown[] = [];
    const pool = poolWith({ entry: `${entry}.missing`, onBug: (error) => bugs.push(error) });
    await expect(pool.whenLoaded()).rejects.toThrow('a query thread ended while it loaded');
    expect(bugs).not.toEqual([]);
  });

  it('rejects what waits when it closes before a thread has loaded', async () => {
    const shared = new SharedArrayBuffer(8);
    const held = new Int32Array(shared);
    const cache = { ownBytes: 7, shared, threads: 1 };
    held[0] = 1;
    const pool = poolWith({ entry: heldEntry, cache });
    const waiting = expect(pool.run(taskOf(0))).rejects.toThrow('The server is stopping.');
    const closing = pool.close(1);
    await waiting;
    Atomics.store(held, 1, 1);
    Atomics.notify(held, 1);
    await closing;
  });

  it('runs each task once, however often it returns to the queue', async () => {
    const pool = poolWith({ threads: 2, queueSize: 1000 });
    const shared = new SharedArrayBuffer(8);
    const ask = (ms: number, keyUid: string) =>
      pool.run({ ...taskOf(ms), manifest: shared }, { isAborted: false, keyUid });
    const asked = Array.from({ length: 60 }, (_, i) => ask(i % 12, `key ${i % 3}`));
    for (let i = 0; i < 60; i++) {
      await asked[i];
      asked.push(ask(i % 7, `key ${i % 2}`));
    }
    await Promise.all(asked);
    expect(new Int32Array(shared)[0]).toBe(asked.length);
    expect(pool.waitingCount).toBe(0);
  });

  it('says when to come back by the pace of the queue', async () => {
    const pool = await loadedPool({ queueSize: 3 });
    const asked = Array.from({ length: 20 }, () =>
      pool.run(taskOf(1)).catch((error: ApiError) => error),
    );
    const refused = (await Promise.all(asked)).filter((answer) => answer instanceof ApiError);
    expect(refused.length).toBeGreaterThan(10);
    for (const { retryAfterMs } of refused) expect(retryAfterMs).toBe(1000);
  });

  it('drops what waited too long', async () => {
    const pool = await loadedPool({ dropAfterMs: 40 });
    const slow = pool.run(taskOf(150));
    await expect(pool.run(taskOf(0))).rejects.toMatchObject({ code: 'too_many_search_requests' });
    await slow;
  });

  it('does not start what the client no longer waits for', async () => {
    const pool = await loadedPool();
    const slow = [pool.run(taskOf(50)), pool.run(taskOf(50))];
    const client = { isAborted: false };
    const forgotten = pool.run(taskOf(10_000), client);
    client.isAborted = true;
    await expect(forgotten).rejects.toThrow('The client closed the connection.');
    await Promise.all(slow);
    expect(pool.waitingCount).toBe(0);
  });

  it('stops what runs for a client that has left, and nothing else', async () => {
    const pool = await loadedPool();
    const textOf = async (reply: ReturnType<QueryPool['run']>): Promise<string> => {
      const answer = await reply;
      return answer.ok ? new TextDecoder().decode(answer.body) : 'error';
    };
    const client = { isAborted: false };
    const work = { ...taskOf(0).work, id: 'untilStopped' } as QueryTask['work'];
    const running = pool.run({ ...taskOf(0), work }, client);
    client.isAborted = true;
    expect(await textOf(running)).toBe('7 untilStopped stopped');
    const others = Array.from({ length: 10 }, () => textOf(pool.run(taskOf(1))));
    expect(new Set(await Promise.all(others))).toEqual(new Set(['7 1']));
  });

  it('takes nothing from a client that has left', async () => {
    await expect(poolWith().run(taskOf(0), { isAborted: true })).rejects.toThrow(
      'The client closed the connection.',
    );
  });

  it('answers `internal` when a thread dies, and goes on with a new one', async () => {
    let bugs = 0;
    const pool = await loadedPool({ onBug: () => (bugs += 1) });
    await expect(pool.run(taskOf(-1))).rejects.toMatchObject({ code: 'internal' });
    expect(bugs).toBeGreaterThan(0);
    expect((await pool.run(taskOf(0))).ok).toBe(true);
  });

  it('answers `internal` when a task throws, in the same thread', async () => {
    const bugs: unknown[] = [];
    const pool = await loadedPool({ onBug: (error) => bugs.push(error) });
    const before = [...pool.threadIds];
    await expect(pool.run(taskOf(-2))).rejects.toMatchObject({ code: 'internal' });
    expect(bugs).toMatchObject([{ message: 'a bug' }]);
    expect((await pool.run(taskOf(0))).ok).toBe(true);
    expect([...pool.threadIds]).toEqual(before);
  });

  it('says when older generations of an index are no longer read', async () => {
    const pool = await loadedPool();
    await pool.released(published(1, 5));
    const order: string[] = [];
    const old = pool.run(taskOf(40, '1:4')).then(() => order.push('old'));
    const other = pool.run(taskOf(40, '2:1')).then(() => order.push('other'));
    const release = pool.released(published(1, 5)).then(() => order.push('released'));
    await Promise.all([old, other, release]);
    expect(order.indexOf('released')).toBeLessThan(order.indexOf('other'));
    await pool.released(published(1, 5));
  });

  it('finishes accepted tasks before it closes and takes no more', async () => {
    const pool = await loadedPool();
    const accepted = Promise.all([30, 1, 1, 1].map((ms) => pool.run(taskOf(ms))));
    const closing = pool.close(2000);
    await expect(pool.run(taskOf(0))).rejects.toMatchObject({ code: 'internal' });
    expect((await accepted).every(({ ok }) => ok)).toBe(true);
    await closing;
  });

  it('rejects what runs longer than a closing pool waits, which is no bug', async () => {
    const bugs: unknown[] = [];
    const pool = poolWith({ onBug: (error) => bugs.push(error) });
    const long = pool.run(taskOf(60_000));
    const rejected = expect(long).rejects.toThrow('The server is stopping.');
    await pool.close(50);
    await rejected;
    expect(bugs).toEqual([]);
  });
});

describe('IndexingPool', () => {
  it('runs the named task and passes on what it throws', async () => {
    const pool = new IndexingPool({ ...indexing(), backgroundTasks: new Set() });
    pools.push(pool);
    expect(await pool.run<number[], number[]>('double', [1, 2])).toEqual([2, 4]);
    await expect(pool.run('fail', null)).rejects.toThrow('bad chunk');
    await expect(pool.run('refuse', null)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('runs small tasks although no thread started before', async () => {
    const pool = new IndexingPool({
      ...indexing(),
      backgroundTasks: new Set(),
      startsLate: true,
    });
    pools.push(pool);
    const small = { isSmall: true };
    expect(await pool.run<number[], number[]>('double', [2], small)).toEqual([4]);
  });

  it('runs background tasks in a separate thread that is marked as the background thread', async () => {
    const pool = new IndexingPool({ ...indexing(), backgroundTasks: new Set(['whereBehind']) });
    pools.push(pool);
    const where = (name: string) =>
      pool.run<null, { thread: number; isBackground: boolean }>(name, null);
    const [first, behind] = await Promise.all([where('where'), where('whereBehind')]);
    const again = await where('where');
    expect(first).toMatchObject({ isBackground: false });
    expect(again).toEqual(first);
    expect(behind).toMatchObject({ isBackground: true });
    expect(behind.thread).not.toBe(first.thread);
  });
});
