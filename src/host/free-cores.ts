/** How much of the host nobody else uses: its idle time and what this process takes itself. */
import { cpus } from 'node:os';

/**
 * Idle time of all cores since the boot of the host, time of this process on them since its start.
 */
export interface CpuTimes {
  readonly idleMs: number;
  readonly ownMs: number;
  readonly cores: number;
}

export function readCpuTimes(): CpuTimes {
  const times = cpus().map((core) => core.times);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  const { user, system } = process.cpuUsage();
  return { idleMs, ownMs: (user + system) / 1000, cores: times.length };
}

/** Cores, with fractions. Time that a hypervisor took away counts as used by others. */
export function freeCoresBetween(earlier: CpuTimes, later: CpuTimes, elapsedMs: number): number {
  const freeMs = later.idleMs - earlier.idleMs + (later.ownMs - earlier.ownMs);
  return Math.min(later.cores, freeMs / elapsedMs);
}

/** The host counts in hundredths of a second: shorter spans tell nothing. */
const WINDOW_MS = 100;

/**
 * A meter that looks at the host at most once in 100 ms and says 0 until it has seen that long a
 * span.
 */
export function createFreeCores(read: () => CpuTimes, now: () => number): () => number {
  let earlier = read();
  let sinceMs = now();
  let free = 0;
  return () => {
    const elapsedMs = now() - sinceMs;
    if (elapsedMs < WINDOW_MS) return free;
    const later = read();
    free = freeCoresBetween(earlier, later, elapsedMs);
    earlier = later;
    sinceMs += elapsedMs;
    return free;
  };
}
