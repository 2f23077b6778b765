/** The threads that V8 compiles and marks with, beside those that answer people. */
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { NICENESS } from './thread-priority.ts';

/** Node starts one that keeps time, then these, before it runs anything. */
const THREADS = 1 + 4;

/** Numbers of the helper threads, as Linux counts; empty where it does not tell. */
export function helperThreads(): number[] {
  if (process.platform !== 'linux') return [];
  try {
    return readdirSync('/proc/self/task')
      .map(Number)
      .filter((thread) => thread > process.pid)
      .sort((a, b) => a - b)
      .slice(0, THREADS);
  } catch {
    return [];
  }
}

/**
 * They compile what has become hot in portions of 4 milliseconds, while a search, or its client, waits
 * for the processor: faster code for later ones can wait for those.
 */
export function helpersYieldToOthers(): void {
  try {
    const niceness = Math.max(NICENESS.longWork, getPriority());
    for (const thread of helperThreads()) setPriority(thread, niceness);
  } catch {
    // A sandbox forbids it: they then compete with the rest.
  }
}
