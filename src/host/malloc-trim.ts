/** Returns freed memory to the operating system: `gc()` where it is exposed, then `malloc_trim(0)`. */
import { setFlagsFromString } from 'node:v8';
import koffi from 'koffi';

let trim: (() => void) | null | undefined;

/** null if the allocator is not that of glibc. */
function loadTrim(): (() => void) | null {
  if (process.platform !== 'linux') return null;
  try {
    const mallocTrim = koffi.load('libc.so.6').func('int malloc_trim(size_t)') as unknown as (
      pad: number,
    ) => number;
    return () => {
      mallocTrim(0);
    };
  } catch {
    return null;
  }
}

/** Blocks the calling thread for some milliseconds per 100 MB. Does nothing where glibc is absent. */
export function mallocTrim(): void {
  if (trim === undefined) trim = loadTrim();
  trim?.();
}

/** Threads that start after this call can collect their garbage in `collectAndTrim`. */
export function exposeCollection(): void {
  setFlagsFromString('--expose-gc');
}

/**
 * Collects the garbage of the calling thread, if collection is exposed, then trims. Takes some 5 ms
 * for each 10 MB of live heap.
 */
export function collectAndTrim(): void {
  (globalThis as { gc?: () => void }).gc?.();
  mallocTrim();
}
