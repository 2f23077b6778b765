/** Lowers the CPU priority of a thread. */
import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread, for work that no request waits for. Linux only: other
 * systems have priorities for whole processes. Has no effect where a sandbox forbids the call.
 */
export function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A failure is ignored: the thread then keeps its normal priority.
  }
}
