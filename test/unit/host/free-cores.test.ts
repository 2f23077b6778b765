/** Cores that nobody else uses, from two looks at the counters of the host. */
import { describe, expect, it } from 'vitest';
import {
  type CpuTimes,
  createFreeCores,
  freeCoresBetween,
  readCpuTimes,
} from '../../../src/host/free-cores.ts';

const start: CpuTimes = { idleMs: 1000, ownMs: 100, cores: 4 };

describe('free cores', () => {
  it('are the idle ones and those of this process', () => {
    expect(freeCoresBetween(start, { idleMs: 1400, ownMs: 100, cores: 4 }, 100)).toBe(4);
    expect(freeCoresBetween(start, { idleMs: 1150, ownMs: 200, cores: 4 }, 100)).toBe(2.5);
    expect(freeCoresBetween(start, { idleMs: 1000, ownMs: 100, cores: 4 }, 100)).toBe(0);
  });

  it('are never more than there are, though counters advance in steps', () => {
    expect(freeCoresBetween(start, { idleMs: 1420, ownMs: 130, cores: 4 }, 100)).toBe(4);
  });

  it('are looked at once in 100 ms, and unknown at first', () => {
    let nowMs = 0;
    let reads = 0;
    const read = (): CpuTimes => ({ idleMs: 3 * nowMs, ownMs: ++reads, cores: 4 });
    const free = createFreeCores(read, () => nowMs);
    nowMs = 99;
    expect(free()).toBe(0);
    nowMs = 100;
    expect(free()).toBe(3.01);
    nowMs = 150;
    expect(free()).toBe(3.01);
    expect(reads).toBe(2);
  });

  it('come from counters that grow', async () => {
    const earlier = readCpuTimes();
    const startedAt = process.cpuUsage();
    while (process.cpuUsage(startedAt).user < 50_000);
    const later = readCpuTimes();
    expect(later.ownMs).toBeGreaterThan(earlier.ownMs);
    expect(later.idleMs).toBeGreaterThanOrEqual(earlier.idleMs);
    expect(later.cores).toBeGreaterThan(0);
  });
});
