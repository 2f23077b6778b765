/** When a node that follows probes the store, and when it opens it for writing. */
import { expect, it } from 'vitest';
import { TakeoverWatch } from '../../../src/cluster/takeover-watch.ts';
import type { WriterNote } from '../../../src/cluster/writer-note.ts';

const writer = { nodeId: 'other', url: 'http://other', beat: 7, hasStopped: false };
const TAKEOVER_MS = 4000;
const LOOK_MS = 100;
const PROBE_MS = 100;

/** A node that looks every 100 ms and begins at 0; a probe finds what `found` returns. */
function node(
  found: (ms: number) => string | null,
  role: 'all' | 'reader' = 'all',
  openedUnder: WriterNote | null = null,
) {
  const own = { role, nodeId: 'own', wasFenced: false, takeoverMs: TAKEOVER_MS };
  const watch = new TakeoverWatch(own, 0, openedUnder);
  const probes: number[] = [];
  /** @returns when it opens the database for writing; null = not until `endMs` */
  const run = (beginMs: number, endMs: number, tookMs = PROBE_MS, note = writer): number | null => {
    for (let ms = beginMs; ms <= endMs; ms += LOOK_MS) {
      const step = watch.step(note, ms);
      if (step === 'write') return ms;
      if (step === 'follow') continue;
      probes.push(ms);
      expect(watch.step(note, ms)).toBe('follow');
      ms += tookMs;
      watch.probed(found(ms), tookMs, ms);
    }
    return null;
  };
  return { watch, probes, run };
}

it('probes at an interval, and once more when the writer was silent for the time of a takeover', () => {
  const { probes, run } = node(() => 'log/9');
  expect(run(0, 10_000)).toBe(4400);
  expect(probes).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4200]);
});

it('follows while the log grows', () => {
  const { run } = node((ms) => `log/${Math.floor(ms / 3000)}`);
  expect(run(0, 60_000)).toBe(null);
});

it('sees in the last probe what was written during a pause of its own process', () => {
  const { run } = node((ms) => (ms < 30_000 ? 'log/9' : 'log/10'));
  expect(run(0, 2000)).toBe(null);
  expect(run(32_000, 35_900)).toBe(null);
});

it('replaces a writer that has stopped at once, when a second probe finds no other', () => {
  const { run } = node(() => 'log/9');
  expect(run(0, 500, PROBE_MS, { ...writer, hasStopped: true })).toBe(400);
});

it.each([
  { ...writer, nodeId: 'own' },
  { ...writer, hasStopped: true },
])('waits for a node that takes over, and replaces it when it is silent', (note) => {
  const { run } = node(() => 'log/9', 'all', note);
  expect(run(0, 10_000, PROBE_MS, note)).toBe(4400);
});

it('replaces at once a writer that stopped after it had taken over', () => {
  const { run } = node((ms) => (ms < 1000 ? 'log/9' : 'log/10'), 'all', {
    ...writer,
    nodeId: 'own',
  });
  expect(run(0, 900)).toBe(null);
  expect(run(1000, 2000, PROBE_MS, { ...writer, beat: 1, hasStopped: true })).toBe(1400);
});

it('never takes over as a reader', () => {
  expect(node(() => 'log/9', 'reader').run(0, 60_000)).toBe(null);
});

it('counts no time in which the store did not answer', () => {
  const { run } = node((ms) => (ms > 1000 && ms < 5000 ? null : 'log/9'));
  expect(run(0, 12_000)).toBe(8400);
});

it('counts the rest of the time when one probe fails, or is slow', () => {
  const { run } = node((ms) => (ms > 2000 && ms < 3000 ? null : 'log/9'));
  expect(run(0, 12_000)).toBe(5400);
  const slow = node(() => 'log/9');
  expect(slow.run(0, 2900)).toBe(null);
  expect(slow.run(3000, 4300, 1300)).toBe(null);
  expect(slow.run(4400, 12_000)).toBe(6000);
});

it('gives the writer all of its time again when the store was away for long', () => {
  const { run } = node(() => 'log/9');
  expect(run(0, 2900)).toBe(null);
  expect(run(3000, 5500, 2500)).toBe(null);
  expect(run(5600, 12_000)).toBe(9700);
});

it('replaces the writer of a store that is always slow', () => {
  expect(node(() => 'log/9').run(0, 20_000, 1300)).toBeLessThan(10_000);
});

it('counts the silence again when the database could not be opened for writing', () => {
  const { watch, run } = node(() => 'log/9');
  const beganMs = run(0, 10_000) ?? Number.NaN;
  watch.failed(beganMs);
  expect(run(beganMs, beganMs + TAKEOVER_MS - LOOK_MS)).toBe(null);
  expect(run(beganMs + TAKEOVER_MS, beganMs + TAKEOVER_MS + 1000)).not.toBe(null);
});
