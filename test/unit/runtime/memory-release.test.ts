/** Freed memory goes back after work that made the process grow, and only then. */
import { expect, it } from 'vitest';
import { MemoryRelease } from '../../../src/runtime/memory-release.ts';

const MB = 1 << 20;

function createRelease() {
  const state = { bytes: 100 * MB, releases: 0, waiting: [] as (() => void)[] };
  const release = new MemoryRelease({
    residentBytes: () => state.bytes,
    release: () => {
      state.releases++;
      state.bytes -= 20 * MB;
    },
    later: (run) => void state.waiting.push(run),
  });
  const settle = () => {
    for (const run of state.waiting.splice(0)) run();
  };
  return { state, release, settle };
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
  expect(state.waiting).toHaveLength(1);
  state.bytes += 40 * MB;
  settle();
  expect(state.releases).toBe(1);
  release.afterWork();
  expect(state.waiting).toHaveLength(1);
});
