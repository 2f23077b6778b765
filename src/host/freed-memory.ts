/**
 * Gives memory back: what nobody looks at any more to the allocator, which V8 would keep until some
 * tens of megabytes of new arrays have come, and what is free to the operating system, which glibc's
 * allocator would keep for later.
 */
import { setFlagsFromString } from 'node:v8';
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

/** Threads that begin after this can give back their garbage. */
export function exposeCollection(): void {
  setFlagsFromString('--expose-gc');
}

/**
 * The same with the garbage of the calling thread, where collecting it was exposed. Takes as long as
 * marking what lives on its heap: some 5 ms for each 10 MB.
 */
export function releaseGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
  releaseFreedMemory();
}
