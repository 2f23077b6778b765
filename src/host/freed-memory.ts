/**
 * Gives memory that the process has freed back to the operating system, which glibc's allocator
 * would keep for later.
 */
import koffi from 'koffi';

let trim: (() => void) | null | undefined;

/** null where the allocator is another one. */
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

/**
 * Takes some milliseconds for each 100 MB, in the calling thread; does nothing where it cannot be
 * had.
 */
export function releaseFreedMemory(): void {
  if (trim === undefined) trim = loadTrim();
  trim?.();
}
