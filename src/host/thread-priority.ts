/** Lets a thread yield to others of the machine that want to run. */
import { constants, setPriority } from 'node:os';

/** By how much, as Linux counts: a thread has about a quarter less with each step. */
export const NICENESS = {
  /** Nobody waits for it. */
  background: constants.priority.PRIORITY_BELOW_NORMAL,
  /** Somebody waits, who expects to wait longer than others: a third of their share. */
  longWork: constants.priority.PRIORITY_BELOW_NORMAL / 2,
};

/**
 * Lowers the priority of the calling thread. Linux alone keeps priorities by thread; elsewhere the
 * whole process would be slowed down, so nothing happens, as where a sandbox forbids it.
 */
export function yieldToOtherThreads(work: keyof typeof NICENESS): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS[work]);
  } catch {
    // It then competes with the rest; nothing else depends on it.
  }
}
