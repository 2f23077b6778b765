/** Freed memory goes back after work that made the process grow, and once when all is quiet. */
import { expect, it } from 'vitest';
import { MemoryRelease } from '../../../src/os/memory-release.ts';

const MB = 1 << 20;

function createRelease() {
  const waiting: { readonly run: () => void; readonly ms: number }[] = [];
  const state = { bytes: 100 * MB, releases: 0, waiting };
  const release = new MemoryRelease({
    residentBytes: () => state.bytes,
    release: () => {
      state.releases++;
      state.bytes -= 20 * MB;
    },
    later: (run, ms) => void waiting.push({ run, ms }),
  });
  const pass = (isDue: (ms: number) => boolean) => {
    const due = waiting.filter(({ ms }) => isDue(ms));
    for (const one of due) waiting.splice(waiting.indexOf(one), 1);
    for (const { run } of due) run();
  };
  return {
    state,
    release,
    settle: () => pass((ms) => ms < 1000),
    quiet: () => pass((ms) => ms >= 1000),
  };
}

it('waits until the process has grown by 32 MB since the last time', () => {
  const { state, release, settle } = createRelease();
  state.bytes += 31 * MB;
  release.afterWork();
  settle();
  expect(state.releases).toBe(0);
  state.bytes += MB;
  release.afterWork();
  settle();
  expect(state.releases).toBe(1);
  state.bytes += 31 * MB;
  release.afterWork();
  settle();
  expect(state.releases).toBe(1);
});

it('looks once for work that comes in a row', () => {
  const { state, release, settle } = createRelease();
  for (let i = 0; i < 5; i++) release.afterWork();
  expect(state.waiting).toHaveLength(2);
  state.bytes += 40 * MB;
  settle();
  expect(state.releases).toBe(1);
  release.afterWork();
  expect(state.waiting).toHaveLength(2);
});

it('goes back once when no work has come for a while, however little it is', () => {
  const { state, release, settle, quiet } = createRelease();
  release.afterWork();
  settle();
  release.afterWork();
  quiet();
  expect(state.releases).toBe(0);
  quiet();
  expect(state.releases).toBe(1);
  expect(state.waiting.filter(({ ms }) => ms >= 1000)).toEqual([]);
  release.afterWork();
  quiet();
  expect(state.releases).toBe(2);
});
