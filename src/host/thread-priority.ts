/** Lets a thread yield to all others of the machine that want to run. */
import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread. Linux alone keeps priorities by thread; elsewhere the
 * whole process would be slowed down, so nothing happens, as where a sandbox forbids it.
 */
export function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Work in the background then competes with the rest; nothing else depends on it.
  }
}
