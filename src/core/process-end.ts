/** How a process ended, as far as it matters for what it was doing. */

/**
 * - own: by what it did itself, such as a crash or an error that nobody caught
 * - outside: killed, or nobody knows; the host may have died
 */
export type ProcessEnd = 'own' | 'outside';

/** What the kernel and abort() send to a process that has gone wrong; out of heap is an abort. */
const OWN_SIGNALS = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];

/** The data folder could not be written: what was being done is not to blame. */
export const EXIT_STORE_FAILED = 75;

/** @param code null when the process ended by a signal */
export function processEnd(code: number | null, signal: string | null): ProcessEnd {
  if (code !== null) return code === EXIT_STORE_FAILED ? 'outside' : 'own';
  return signal !== null && OWN_SIGNALS.includes(signal) ? 'own' : 'outside';
}
