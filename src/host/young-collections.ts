/** How V8 collects young objects in this process. */
import { setFlagsFromString } from 'node:v8';

/**
 * Each thread collects its own young objects alone. V8 would share the work of half a millisecond
 * with helper threads, and wait for them: many milliseconds where all processors are busy.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
