/** When a node that follows probes the store, and when it opens it for writing. */
import { expect, it } from 'vitest';
import { TakeoverWatch } from '../../../src/cluster/takeover-watch.ts';

const writer = { nodeId: 'other', url: 'http://other', beat: 7, hasStopped: false };
const POSITION = 30;
const TAKEOVER_MS = 5000;

function watch(role: 'all' | 'reader' = 'all') {
  const watched = new TakeoverWatch({
    role,
    nodeId: 'own',
    wasFenced: false,
    takeoverMs: TAKEOVER_MS,
  });
  const step = (silentMs: number, change = {}) =>
    watched.step({ writer, silentMs, position: POSITION, ...change });
  return { watched, step };
}

it('probes the store before the time is over, and writes when it is over', () => {
  const { watched, step } = watch();
  expect(step(2900)).toBe('follow');
  expect(step(3100)).toBe('probe');
  expect(step(3200)).toBe('follow');
  expect(watched.probed(POSITION, POSITION, 500)).toBe(true);
  expect(step(4900)).toBe('follow');
  expect(step(5000)).toBe('write');
});

it('probes again after a commit of the writer', () => {
  const { watched, step } = watch();
  step(3100);
  watched.probed(POSITION, POSITION, 500);
  expect(step(100, { position: POSITION + 1 })).toBe('follow');
  expect(step(5000, { position: POSITION + 1 })).toBe('probe');
});

it('replaces a writer that has stopped at once, after a probe', () => {
  const { watched, step } = watch();
  const stopped = { writer: { ...writer, hasStopped: true } };
  expect(step(0, stopped)).toBe('probe');
  watched.probed(POSITION, POSITION, 100);
  expect(step(100, stopped)).toBe('write');
});

it('never takes over as a reader', () => {
  expect(watch('reader').step(1e9)).toBe('follow');
});

it('does not take a missed commit or an unreachable store for the end of the writer', () => {
  const { watched, step } = watch();
  step(5000);
  expect(watched.probed(POSITION + 1, POSITION, 100)).toBe(false);
  expect(step(5000)).toBe('probe');
  expect(watched.probed(null, POSITION, 100)).toBe(false);
  expect(step(5000)).toBe('probe');
});

it('waits once for a store that answers slowly, which may have been away', () => {
  const { watched, step } = watch();
  step(5000);
  expect(watched.probed(POSITION, POSITION, 4100)).toBe(false);
  step(5000);
  expect(watched.probed(POSITION, POSITION, 4100)).toBe(true);
  expect(step(5000)).toBe('write');
});

it('probes again when the database could not be opened for writing', () => {
  const { watched, step } = watch();
  step(5000);
  watched.probed(POSITION, POSITION, 100);
  expect(step(5000)).toBe('write');
  watched.failed();
  expect(step(5000)).toBe('probe');
});
