/** Classifies how a process ended, to decide whether its current work is to blame. */

/**
 * - own: the process failed, such as by a crash or an uncaught error
 * - outside: killed, or unknown; the host may have died
 * - fenced: another node writes the object store now
 */
export const PROCESS_ENDS = ['own', 'outside', 'fenced'] as const;
export type ProcessEnd = (typeof PROCESS_ENDS)[number];

/** Signals of the kernel and of abort() for a faulty process; out of heap is an abort. */
const OWN_SIGNALS = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];

/** The data folder could not be written: the current work is not to blame. */
export const EXIT_STORE_FAILED = 75;

/** Another server took over the object store: a restart as writer would take it back. */
export const EXIT_FENCED = 76;

/** @param code null when the process ended by a signal */
export function processEnd(code: number | null, signal: string | null): ProcessEnd {
  if (code === EXIT_FENCED) return 'fenced';
  if (code !== null) return code === EXIT_STORE_FAILED ? 'outside' : 'own';
  return signal !== null && OWN_SIGNALS.includes(signal) ? 'own' : 'outside';
}
