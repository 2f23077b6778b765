/** The life of serving threads, with a small entry: they join, fault and come back, vanish, log. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  ServingThreads,
  type ServingThreadsOptions,
} from '../../../../src/ipc/serving/serving-threads.ts';
import { counter } from '../../../../src/observability/metric.ts';

/** Speaks the link's messages by hand: does what the configuration names. */
const ENTRY = `
import { parentPort, threadId, workerData } from 'node:worker_threads';
const tell = (name, data) => parentPort.postMessage({ kind: 'news', name, data });
const { config, isFirst } = workerData;
parentPort.on('message', (message) => {
  if (message.name === 'dismissed') process.exit(1);
  if (message.name === 'listen') tell('logLine', { msg: 'line of ' + isFirst });
  if (message.name === 'logLine') tell('levelsChanged', message.data);
  if (message.kind !== 'ask') return;
  const data = message.name === 'metrics' ? [{ name: 'n', help: 'N', type: 'counter', values: [{ labels: {}, value: 1 }] }] : null;
  parentPort.postMessage({ kind: 'answer', id: message.id, data });
});
tell('joined', { descriptor: threadId });
if (config === 'fault' && Atomics.add(new Int32Array(workerData.askedCount), 0, 1) === 0) tell('faulted', { error: 'boom' });
if (config === 'vanish') setImmediate(() => process.exit(0));
if (config === 'listen' && isFirst) tell('listen', { others: 'info', parts: new Map() });
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-serving-'));
  writeFileSync(join(folder, 'entry.mjs'), ENTRY);
});
afterAll(() => rmSync(folder, { recursive: true }));

const running: ServingThreads<string>[] = [];
afterEach(async () => {
  for (const threads of running.splice(0)) await threads.stop(1000);
});

function threadsFor(config: string, count = 2) {
  const joined: unknown[] = [];
  const left: unknown[] = [];
  const lost: Error[] = [];
  const levels: unknown[] = [];
  const refuse = () => {
    throw new Error('not asked for here');
  };
  const options: ServingThreadsOptions<string> = {
    entry: pathToFileURL(join(folder, 'entry.mjs')),
    count,
    data: {
      config,
      figures: new SharedArrayBuffer(8),
      progress: new SharedArrayBuffer(8),
      askedCount: new SharedArrayBuffer(4),
      guesses: new SharedArrayBuffer(8),
      keyRates: new SharedArrayBuffer(8),
    },
    handlers: {
      search: refuse,
      checkPayload: refuse,
      embed: refuse,
      metricsOfMain: () => [counter('main', 'M', 1)],
    },
    log: { warn: () => undefined, error: () => undefined },
    listenToMain: () => () => undefined,
    onLevels: (heard) => levels.push(heard),
    onJoin: (descriptor) => joined.push(descriptor),
    onLeave: (descriptor) => left.push(descriptor),
    onLost: (error) => lost.push(error),
  };
  const threads = new ServingThreads(options);
  running.push(threads);
  return { threads, joined, left, lost, levels };
}

it('all join, count for themselves, and stop', async () => {
  const { threads, joined, lost } = threadsFor('idle');
  await threads.start();
  await expect.poll(() => joined).toHaveLength(2);
  expect((await threads.metrics()).map(({ name }) => name)).toEqual(['n', 'n']);
  await threads.stop(1000);
  expect(lost).toEqual([]);
});

it('one that meets a bug gets no more connections, ends, and starts again', async () => {
  const { threads, joined, left, lost } = threadsFor('fault', 1);
  await threads.start();
  await expect.poll(() => joined).toHaveLength(2);
  expect(left).toEqual(joined.slice(0, 1));
  expect(lost).toEqual([]);
});

it('one that vanishes is lost', async () => {
  const { threads, lost } = threadsFor('vanish', 1);
  await threads.start();
  await expect.poll(() => lost).toHaveLength(1);
});

it('one that streams the log hears the lines of the others', async () => {
  const { threads, levels } = threadsFor('listen');
  await threads.start();
  await expect.poll(() => levels).toContainEqual({ msg: 'line of false' });
  expect(levels).not.toContainEqual({ msg: 'line of true' });
});
