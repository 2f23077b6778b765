/** Lowers the CPU priority of a thread. */
import { constants, setPriority } from 'node:os';

/** Niceness values of Linux: each step divides the scheduling weight of a thread by about 1.25. */
export const NICENESS = {
  /** For work that no request waits for. */
  background: constants.priority.PRIORITY_BELOW_NORMAL,
  /**
   * For work that a client waits for, with less urgency than searches: a third of their CPU share.
   */
  longWork: constants.priority.PRIORITY_BELOW_NORMAL / 2,
};

/**
 * Lowers the priority of the calling thread. Linux only: other systems have priorities for whole
 * processes. Has no effect where a sandbox forbids the call.
 */
export function yieldToOtherThreads(work: keyof typeof NICENESS): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS[work]);
  } catch {
    // A failure is ignored: the thread then keeps its normal priority.
  }
}
