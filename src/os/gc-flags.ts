/**
 * Garbage collection flags of a process whose threads search (ADR 22). V8 marks a heap again when it
 * has grown by a tenth to a third, and counts memory of typed arrays as growth, so threads that evict
 * cached results would mark 30 MB every 100 searches and lose the compiled code of closures each time.
 */
import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  /** Marks a heap when it has grown to twice its size after the last marking. */
  '--heap-growing-percent=100',
  /** Collects the young generation in its own thread: helper threads wait for a busy processor. */
  '--no-parallel-scavenge',
];

/** Applies to all threads of the process. */
export function collectForSearches(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
